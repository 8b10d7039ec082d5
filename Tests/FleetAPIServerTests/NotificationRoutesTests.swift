import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// One's own notifications, and rules, on both databases.
@Suite struct NotificationRoutesTests {
  @Test(arguments: TestServer.Database.allCases)
  func people_read_their_own_notifications(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let ann = try await server.addPerson("ann@example.com")
      let bob = try await server.addPerson("bob@example.com", [.viewer])
      let ids = try await server.storage.change(tenant: .standard, by: Actor(.server), at: WallClock.now) {
        transaction throws(ThingError) in
        var ids: [String] = []
        for (number, person) in [ann, bob, bob].enumerated() {
          var notification = FleetWork.Notification()
          (notification.personID, notification.text) = (person.id, "News \(number)")
          notification.at = Timestamp(nanoseconds: Int64(number) * 1_000_000_000)
          ids.append(try transaction.insert(notification).id.string)
        }
        return ids
      }
      let erased = bob.id
      try await runBlocking {
        let path = "/api/notifications"
        let (admin, viewer) = (try server.signIn("ann@example.com"), try server.signIn("bob@example.com"))
        func texts(_ session: String, _ query: String = "") throws -> [String?] {
          try server.asPage(session, "GET", path + query).list.map { $0["text"] as? String }
        }
        #expect(try texts(admin) == ["News 0"] && texts(viewer) == ["News 2", "News 1"])
        #expect(try server.asPage(admin, "POST", "\(path)/\(ids[1])/read").status == 404)
        let read = try server.asPage(viewer, "POST", "\(path)/\(ids[1])/read")
        #expect(try read.status == 200 && read.json["readAt"] != nil && !read.text.contains("mailAt"), "\(read.text)")
        #expect(try texts(viewer, "?unread=true") == ["News 2"])
        #expect(try server.asPage(viewer, "POST", "\(path)/read").status == 204)
        #expect(try texts(viewer, "?unread=true").isEmpty && texts(viewer).count == 2)
        #expect(try texts(admin, "?unread=true") == ["News 0"])
        #expect(try server.asPage(admin, "DELETE", "/api/people/\(erased.string)").status == 204)
      }
      let left = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<FleetWork.Notification>()).items.map(\.value.personID)
      }
      #expect(left == [ann.id])
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func rules_name_people_and_fleets_that_exist(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let ann = try await server.addPerson("ann@example.com")
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func add(_ more: String) throws -> TestClient.Reply {
          try client.send("POST", "/api/rules", json: #"{"name":"R","events":["inspectionDefects"]\#(more)}"#)
        }
        let made = try add(
          #","personIds":["\#(ann.id.string)"],"quietHours":{"from":"22:00","to":"06:00"},"channels":["email"]"#)
        #expect(
          made.status == 201 && made.text.contains(#""quietHours":{"from":"22:00","to":"06:00"}"#), "\(made.text)")
        for (wrong, path) in [
          (#","personIds":["019d0000-0000-7000-8000-000000000000"]"#, "personIds"),
          (#","fleetIds":["019d0000-0000-7000-8000-000000000000"]"#, "fleetIds"), (#","channels":[]"#, "channels"),
          (#","quietHours":{"from":"22:00","to":"22:00"}"#, "quietHours.to"),
          (#","quietHours":{"from":"25:00","to":"06:00"}"#, "quietHours.from"), (#","digest":"yearly""#, "digest"),
        ] {
          let reply = try add(wrong)
          #expect(reply.status == 422 && reply.text.contains(#""path":"\#(path)""#), "\(reply.text)")
        }
      }
    }
  }
}
