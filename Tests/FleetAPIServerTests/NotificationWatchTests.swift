import FleetDomain
import FleetWork
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Notifications on the live channel `me`, on both databases.
@Suite struct NotificationWatchTests {
  @Test(arguments: TestServer.Database.allCases)
  func a_person_receives_new_notifications_and_no_others(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let ann = try await server.addPerson("ann@example.com")
      let bob = try await server.addPerson("bob@example.com", [.viewer])
      func notify(_ person: Stored<Person>, _ texts: [String]) async throws -> [String] {
        try await server.storage.change(tenant: .standard, by: Actor(.server), at: WallClock.now) {
          transaction throws(ThingError) in
          var ids: [String] = []
          for text in texts {
            var notification = FleetWork.Notification()
            (notification.personID, notification.text, notification.at) = (person.id, text, transaction.now)
            ids.append(try transaction.insert(notification).id.string)
          }
          return ids
        }
      }
      let clients = try await runBlocking {
        try ["ann@example.com", "bob@example.com", "bob@example.com"].map { email in
          let client = try WebSocketTestClient(port: server.port, token: try server.accessToken(email))
          #expect(try client.listen("me")["event"] as? String == "subscribed")
          return Unchecked(client)
        }
      }
      let ids = try await notify(bob, ["First", "Second"])
      _ = try await notify(ann, ["Other"])
      try await runBlocking {
        for client in clients[1...] {
          let events = try (0..<2).map { _ in try client.value.event() }
          #expect(events.allSatisfy { $0["event"] as? String == "notification" && $0["channel"] as? String == "me" })
          let shown = events.compactMap { $0["notification"] as? [String: Any] }
          #expect(Set(shown.compactMap { $0["id"] as? String }) == Set(ids))
          #expect(Set(shown.compactMap { $0["text"] as? String }) == ["First", "Second"])
          #expect(shown.allSatisfy { $0["mailAt"] == nil })
        }
        let own = try clients[0].value.event()["notification"] as? [String: Any]
        #expect(own?["text"] as? String == "Other")
      }
      // Nothing is sent again, and nothing after the end of the subscription.
      try await runBlocking {
        try clients[1].value.send(#"{"action":"unsubscribe","channel":"me"}"#)
        #expect(try clients[1].value.event()["event"] as? String == "unsubscribed")
      }
      _ = try await notify(bob, ["Third"])
      try await runBlocking {
        let third = try clients[2].value.event()["notification"] as? [String: Any]
        #expect(third?["text"] as? String == "Third")
        try clients[1].value.send(#"{"action":"ping"}"#)
        #expect(try clients[1].value.event()["event"] as? String == "pong")
      }
    }
  }
}
