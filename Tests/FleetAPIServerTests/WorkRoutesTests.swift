import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Drivers, assignments and expenses, on both databases.
@Suite struct WorkRoutesTests {
  /// A server with a driver Dora, who can sign in, and VAN-1 and VAN-2 in two fleets.
  private static func run(
    on database: TestServer.Database, _ body: @escaping @Sendable (TestServer, _ dora: String) throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      let person = try await server.addPerson("dora@example.com", [.driver])
      _ = try await server.addPerson("mech@example.com", [.maintenance])
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "POST", "/api/drivers",
          json:
            #"{"name":"Dora","personId":"\#(person.id.string)","fleetId":"\#(depots.ids.north)","licenceNumber":"AT-77","licenceClasses":["B","C"],"licenceExpiry":"2031-05-04"}"#
        )
        #expect(made.status == 201, "\(made.text)")
        try body(server, try #require(try made.json["id"] as? String))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func licences_are_hidden_from_those_who_may_read_only_names(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora in
      for (email, sees) in [("mech@example.com", false), ("viewer@example.com", false), ("dora@example.com", true)] {
        let session = try server.signIn(email)
        let shown = try server.asPage(session, "GET", "/api/drivers/\(dora)")
        #expect(shown.status == 200 && shown.text.contains("AT-77") == sees, "\(email): \(shown.text)")
        #expect(try server.asPage(session, "GET", "/api/drivers").text.contains("AT-77") == sees)
        #expect(try server.asPage(session, "GET", "/api/drivers?sort=licenceExpiry").status == 403)
      }
      let dora = "/api/drivers/\(dora)"
      let session = try server.signIn("dora@example.com")
      let any = ["If-Match": "*"]
      #expect(try server.asPage(session, "PATCH", dora, #"{"status":"offDuty"}"#, headers: any).status == 200)
      #expect(try server.asPage(session, "PATCH", dora, #"{"licenceExpiry":"2040-01-01"}"#, headers: any).status == 403)
      let client = try server.client(server.keys.admin)
      #expect(try client.send("PATCH", dora, json: #"{"status":"suspended"}"#, headers: any).status == 200)
      #expect(try server.asPage(session, "PATCH", dora, #"{"status":"available"}"#, headers: any).status == 403)
    }
  }

  /// Maintenance reads drivers' names only.
  @Test(arguments: TestServer.Database.allCases)
  func telephone_numbers_are_hidden_from_maintenance(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora in
      let client = try server.client(server.keys.admin)
      let path = "/api/drivers/\(dora)"
      let changed = try client.send("PATCH", path, json: #"{"phone":"+43 1 234"}"#, headers: ["If-Match": "*"])
      #expect(changed.status == 200, "\(changed.text)")
      for (email, sees) in [("mech@example.com", false), ("viewer@example.com", true), ("dora@example.com", true)] {
        let session = try server.signIn(email)
        for path in [path, "/api/drivers"] {
          let text = try server.asPage(session, "GET", path).text
          #expect(text.contains("+43 1 234") == sees && text.contains("Dora"), "\(email): \(text)")
          #expect(text.contains("personId") == sees, "\(email): \(text)")
        }
      }
      let mechanic = try server.signIn("mech@example.com")
      #expect(try server.asPage(mechanic, "GET", "/api/phones").status == 403)
    }
  }

  /// The number of a licence is also in documents about it and in their files.
  @Test(arguments: TestServer.Database.allCases)
  func documents_of_licences_are_hidden_like_licences(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora in
      let client = try server.client(server.keys.admin)
      let made = try client.send("POST", "/api/files", json: #"{"name":"licence.pdf","size":3}"#)
      let file = try #require(try made.json["id"] as? String, "\(made.text)")
      let sent = try client.send(
        "PATCH", "/api/files/\(file)/content", Array("abc".utf8),
        headers: ["Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"])
      #expect(sent.status == 204, "\(sent.text)")
      let document = try client.send(
        "POST", "/api/documents",
        json:
          #"{"of":{"kind":"driver","id":"\#(dora)"},"kind":"licence","number":"AT-77-X","fileIds":["\#(file)"]}"#)
      let id = try #require(try document.json["id"] as? String, "\(document.text)")
      let other = try client.send(
        "POST", "/api/documents", json: #"{"of":{"kind":"vehicle","id":"VAN-1"},"kind":"insurance","number":"I-1"}"#)
      #expect(other.status == 201, "\(other.text)")
      func statuses(_ send: (String) throws -> TestClient.Reply) throws -> [Int] {
        try ["/api/documents/\(id)", "/api/files/\(file)", "/api/files/\(file)/content"].map { try send($0).status }
      }
      for (email, sees) in [("mech@example.com", false), ("viewer@example.com", false), ("dora@example.com", true)] {
        let session = try server.signIn(email)
        let found = try statuses { try server.asPage(session, "GET", $0) }
        #expect(found == Array(repeating: sees ? 200 : 404, count: 3), "\(email): \(found)")
        for query in ["", "?q=AT-77", "?kind=licence", "?format=csv"] {
          let list = try server.asPage(session, "GET", "/api/documents\(query)")
          #expect(list.status == 200 && list.text.contains("AT-77-X") == sees, "\(email) \(query): \(list.text)")
        }
        let insurance = try server.asPage(session, "GET", "/api/documents").text.contains("I-1")
        #expect(insurance == (email != "dora@example.com"), "\(email)")
      }
      let reader = try server.client(server.keys.readOnly)
      #expect(try statuses { try reader.send("GET", $0) } == [404, 404, 404])
      #expect(try reader.send("GET", "/api/documents").list.count == 1)
      #expect(try client.send("GET", "/api/documents").list.count == 2)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func assignments_of_a_vehicle_or_a_driver_never_overlap(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora in
      let client = try server.client(server.keys.admin)
      let emil = try #require(try client.send("POST", "/api/drivers", json: #"{"name":"Emil"}"#).json["id"] as? String)
      func assign(_ driver: String, _ vehicle: String, _ from: String, _ to: String?) throws -> TestClient.Reply {
        let end = to.map { #","to":"\#($0)T00:00:00Z""# } ?? ""
        return try client.send(
          "POST", "/api/assignments",
          json: #"{"driverId":"\#(driver)","vehicleId":"\#(vehicle)","from":"\#(from)T00:00:00Z"\#(end)}"#)
      }
      let first = try assign(dora, "VAN-1", "2030-01-10", "2030-01-20")
      #expect(first.status == 201, "\(first.text)")
      // An assignment may begin at the time at which another one ends.
      #expect(try assign(emil, "VAN-1", "2030-01-20", "2030-01-25").status == 201)
      #expect(try assign(emil, "VAN-1", "2030-01-05", "2030-01-10").status == 201)
      for (driver, vehicle, from, to) in [
        (emil, "VAN-1", "2030-01-19", "2030-01-20"), (emil, "VAN-1", "2030-01-01", nil),
        (dora, "VAN-2", "2030-01-12", "2030-01-13"), (dora, "VAN-2", "2029-01-01", "2030-01-11"),
      ] {
        let reply = try assign(driver, vehicle, from, to)
        #expect(reply.status == 409 && reply.errorCode == "overlap", "\(reply.text)")
      }
      // After an assignment was cancelled, its vehicle and driver are free.
      let id = try #require(try first.json["id"] as? String)
      #expect(try client.send("POST", "/api/assignments/\(id)/cancel").json["status"] as? String == "cancelled")
      #expect(try assign(dora, "VAN-2", "2030-01-12", "2030-01-13").status == 201)
      let again = try client.send("POST", "/api/assignments/\(id)/end")
      #expect(
        again.status == 409 && again.errorCode == "invalidState" && again.text.contains(#""allowedFrom":["active"]"#))
      #expect(try assign(dora, "NONE", "2031-01-12", nil).status == 422)
      #expect(try assign(dora, "VAN-2", "2031-05-05", nil).errorCode == "licenceExpired")
      #expect(try assign(dora, "VAN-2", "2031-05-04", "2031-05-04").status == 422)
      #expect(try client.send("GET", "/api/assignments?vehicle=VAN-1&status=active").list.count == 2)
      #expect(try client.send("GET", "/api/assignments?driver=\(emil)&sort=from").list.count == 2)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_assignment_of_the_past_is_completed_at_once(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora in
      let client = try server.client(server.keys.admin)
      func status(_ from: String, _ to: String) throws -> String? {
        let reply = try client.send(
          "POST", "/api/assignments",
          json:
            #"{"driverId":"\#(dora)","vehicleId":"VAN-1","from":"\#(from)T00:00:00Z","to":"\#(to)T00:00:00Z"}"#)
        #expect(reply.status == 201, "\(reply.text)")
        return try reply.json["status"] as? String
      }
      #expect(try status("2026-01-01", "2026-01-02") == "completed")
      // A planned assignment is active: it has not ended.
      #expect(try status("2030-01-01", "2030-01-02") == "active")
      #expect(try client.send("GET", "/api/vehicles/VAN-1").json["status"] as? String == "available")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_wrong_assignment_of_the_past_is_made_void_and_replaced(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora in
      let client = try server.client(server.keys.admin)
      let any = ["If-Match": "*"]
      let emil = try #require(try client.send("POST", "/api/drivers", json: #"{"name":"Emil"}"#).json["id"] as? String)
      func assign(_ driver: String, _ to: String) throws -> TestClient.Reply {
        try client.send(
          "POST", "/api/assignments",
          json:
            #"{"driverId":"\#(driver)","vehicleId":"VAN-1","from":"2026-01-01T00:00:00Z","to":"\#(to)T00:00:00Z"}"#)
      }
      func driver() throws -> String? {
        try client.send("GET", "/api/vehicles/VAN-1/driver?at=2026-01-01T12:00:00Z").json["driverId"] as? String
      }
      let id = try #require(try assign(dora, "2026-01-03").json["id"] as? String)
      let path = "/api/assignments/\(id)"
      #expect(try driver() == dora)
      let period = try client.send("PATCH", path, json: #"{"to":"2026-01-02T00:00:00Z"}"#, headers: any)
      #expect(period.status == 409 && period.errorCode == "invalidState", "\(period.text)")
      #expect(try client.send("PATCH", path, json: #"{"notes":"wrong van"}"#, headers: any).status == 200)
      // Only those who assign vehicles may correct an assignment.
      let session = try server.signIn("dora@example.com")
      #expect(try server.asPage(session, "PATCH", path, #"{"void":true}"#, headers: any).status == 403)
      #expect(try assign(emil, "2026-01-02").errorCode == "overlap")
      let void = try client.send("PATCH", path, json: #"{"void":true}"#, headers: any)
      #expect(try void.status == 200 && void.json["void"] as? Bool == true, "\(void.text)")
      #expect(try driver() == nil)
      let right = try assign(emil, "2026-01-02")
      #expect(right.status == 201, "\(right.text)")
      #expect(try driver() == emil)
      #expect(try client.send("GET", "/api/assignments?vehicle=VAN-1&void=false").list.count == 1)
      let audit = try client.send("GET", "/api/audit?thing=\(id)")
      #expect(audit.text.contains(#""after":{"void":true}"#), "\(audit.text)")
      // It cannot become valid again while the right assignment is there.
      #expect(try client.send("PATCH", path, json: #"{"void":false}"#, headers: any).errorCode == "overlap")
      let other = try #require(try right.json["id"] as? String)
      #expect(
        try client.send("PATCH", "/api/assignments/\(other)", json: #"{"void":true}"#, headers: any).status == 200)
      #expect(try client.send("PATCH", path, json: #"{"void":false}"#, headers: any).status == 200)
      #expect(try driver() == dora)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_active_assignment_is_cancelled_and_not_made_void(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora in
      let client = try server.client(server.keys.admin)
      let made = try client.send(
        "POST", "/api/assignments",
        json: #"{"driverId":"\#(dora)","vehicleId":"VAN-1","from":"2030-01-01T00:00:00Z"}"#)
      let path = "/api/assignments/\(try #require(try made.json["id"] as? String))"
      let void = try client.send("PATCH", path, json: #"{"void":true}"#, headers: ["If-Match": "*"])
      #expect(void.errorCode == "invalidState" && void.text.contains(#""allowedFrom":["completed"]"#), "\(void.text)")
      #expect(try client.send("POST", "\(path)/cancel").status == 200)
      let cancelled = try client.send("PATCH", path, json: #"{"void":true}"#, headers: ["If-Match": "*"])
      #expect(cancelled.errorCode == "invalidState", "\(cancelled.text)")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_driver_sees_the_assigned_vehicle_only_during_the_assignment(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora in
      let client = try server.client(server.keys.admin)
      let session = try server.signIn("dora@example.com")
      func seen() throws -> [String] {
        try server.asPage(session, "GET", "/api/vehicles").list.compactMap { $0["id"] as? String }
      }
      #expect(try seen().isEmpty)
      #expect(try server.asPage(session, "GET", "/api/vehicles/VAN-2").status == 404)
      let made = try client.send("POST", "/api/assignments", json: #"{"driverId":"\#(dora)","vehicleId":"VAN-2"}"#)
      #expect(made.status == 201, "\(made.text)")
      #expect(try client.send("GET", "/api/vehicles/VAN-2").json["status"] as? String == "assigned")
      #expect(try seen() == ["VAN-2"])
      #expect(try server.asPage(session, "GET", "/api/vehicles/VAN-2").status == 200)
      #expect(try server.asPage(session, "GET", "/api/vehicles/VAN-1").status == 404)
      #expect(
        try server.asPage(session, "PATCH", "/api/vehicles/VAN-2", #"{"name":"x"}"#, headers: ["If-Match": "*"]).status
          == 403)
      #expect(try server.asPage(session, "GET", "/api/assignments").list.count == 1)
      let id = try #require(try made.json["id"] as? String)
      #expect(try server.asPage(session, "POST", "/api/assignments/\(id)/end").status == 403)
      #expect(try client.send("POST", "/api/assignments/\(id)/end").status == 200)
      #expect(try client.send("GET", "/api/vehicles/VAN-2").json["status"] as? String == "available")
      #expect(try seen().isEmpty)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func expenses_are_seen_by_their_driver_and_their_fleet(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora in
      let client = try server.client(server.keys.admin)
      func body(_ vehicle: String?, _ amount: String = "12.50") -> String {
        let of = vehicle.map { #""vehicleId":"\#($0)","# } ?? ""
        return
          #"{\#(of)"at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"\#(amount)","currency":"EUR"}}"#
      }
      let driver = try server.signIn("dora@example.com")
      let assigned = try client.send(
        "POST", "/api/assignments",
        json:
          #"{"driverId":"\#(dora)","vehicleId":"VAN-2","from":"2026-05-04T00:00:00Z","to":"2026-05-05T00:00:00Z"}"#)
      #expect(assigned.status == 201)
      let own = try server.asPage(driver, "POST", "/api/expenses", body("VAN-2", "3.2"))
      #expect(own.status == 201 && own.text.contains(dora), "\(own.text)")
      #expect((try own.json["amount"] as? [String: String]) == ["amount": "3.2", "currency": "EUR"])
      #expect(try client.send("POST", "/api/expenses", json: body("VAN-1")).status == 201)
      #expect(try client.send("POST", "/api/expenses", json: body(nil)).status == 201)
      func count(_ email: String) throws -> Int {
        try server.asPage(try server.signIn(email), "GET", "/api/expenses").list.count
      }
      #expect(try count("dora@example.com") == 1)
      // The viewer may see the fleet of VAN-1. The mechanic may see all expenses of vehicles.
      #expect(try count("viewer@example.com") == 1)
      #expect(try count("mech@example.com") == 2)
      let viewer = try server.signIn("viewer@example.com")
      let id = try #require(try own.json["id"] as? String)
      #expect(try server.asPage(viewer, "GET", "/api/expenses/\(id)").status == 404)
      // A driver cannot give an entry to another driver.
      let emil = try #require(try client.send("POST", "/api/drivers", json: #"{"name":"Emil"}"#).json["id"] as? String)
      let handed = try server.asPage(
        driver, "PATCH", "/api/expenses/\(id)", #"{"driverId":"\#(emil)"}"#, headers: ["If-Match": "*"])
      #expect(handed.status == 403)
      for wrong in [
        #"{"category":"toll","amount":{"amount":"1","currency":"EUR"}}"#,
        #"{"at":"2026-05-04T10:00:00Z","category":"beer","amount":{"amount":"1","currency":"EUR"}}"#,
        #"{"at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"1","currency":"eur"}}"#,
        #"{"at":"2026-05-04T10:00:00Z","category":"toll","amount":12}"#, body("NONE"),
        #"{"at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"1","currency":"XQQ"}}"#,
        #"{"at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"-1","currency":"EUR"}}"#,
      ] {
        #expect(try client.send("POST", "/api/expenses", json: wrong).status == 422, "\(wrong)")
      }
      #expect(try client.send("GET", "/api/expenses?vehicle=VAN-1&category=toll,wash").list.count == 1)
    }
  }
}
