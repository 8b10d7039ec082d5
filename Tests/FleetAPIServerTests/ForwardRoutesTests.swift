import FleetAccess
import FleetConnectors
import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Forwards over HTTP.
@Suite struct ForwardRoutesTests {
  private static var options: ServerOptions { .test { $0.accounts.use(SecretKeys(file: SecretKeys.newLine())!) } }

  @Test func a_webhook_needs_a_secret_of_standard_webhooks() async throws {
    try await TestServer.run(Self.options) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func make(_ more: String) throws -> TestClient.Reply {
          let hook = #"{"name":"Hook","format":"webhook","address":"https://hook.example/fleet"\#(more)}"#
          return try client.send("POST", "/api/forwards", json: hook)
        }
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let made = try make(#","secret":"\#(secret)""#)
        #expect(made.status == 201 && !made.text.contains("whsec_"), "\(made.text)")
        #expect(try made.json["hasSecret"] as? Bool == true)
        for (more, path) in [
          (#","secret":"Bearer x""#, "secret"), (#","secret":"whsec_AAAA""#, "secret"),
          (#","secret":"\#(secret)","keyHeader":"X-Key""#, "keyHeader"), ("", "secret"),
          (#","secret":null"#, "secret"), (#","isActive":false"#, "secret"),
        ] {
          let reply = try make(more)
          #expect(reply.status == 422 && reply.text.contains(#""path":"\#(path)""#), "\(reply.text)")
        }
        // Nothing of the rejected requests was stored, and the secret cannot be taken away later.
        #expect(try client.send("GET", "/api/forwards").list.count == 1)
        let path = "/api/forwards/\(try #require(try made.json["id"] as? String))"
        func change(_ json: String) throws -> TestClient.Reply {
          try client.send("PATCH", path, json: json, headers: ["If-Match": "*"])
        }
        let removed = try change(#"{"secret":null}"#)
        #expect(removed.status == 422 && removed.text.contains(#""path":"secret""#), "\(removed.text)")
        #expect(try change(#"{"name":"Other"}"#).status == 200)
      }
    }
  }

  @Test func the_password_of_a_broker_needs_a_user_in_the_address() async throws {
    try await TestServer.run(Self.options) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func make(_ address: String, _ more: String = "") throws -> TestClient.Reply {
          try client.send(
            "POST", "/api/forwards", json: #"{"name":"H","format":"homeAssistant","address":"\#(address)"\#(more)}"#)
        }
        let alone = try make("mqtts://broker.example/vans", #","secret":"pw""#)
        #expect(alone.status == 422 && alone.text.contains(#""path":"address""#), "\(alone.text)")
        // A broker that lets anonymous clients in needs neither.
        #expect(try make("mqtts://broker.example/vans").status == 201)
        let made = try make("mqtts://me@broker.example/vans", #","secret":"pw""#)
        #expect(made.status == 201, "\(made.text)")
        let path = "/api/forwards/\(try #require(try made.json["id"] as? String))"
        let changed = try client.send(
          "PATCH", path, json: #"{"address":"mqtts://broker.example/vans"}"#, headers: ["If-Match": "*"])
        #expect(changed.status == 422 && changed.text.contains(#""path":"address""#), "\(changed.text)")
      }
    }
  }

  @Test func a_forward_whose_messages_are_on_a_broker_is_removed_later() async throws {
    try await TestServer.run(Self.options) { server in
      let id = try await runBlocking {
        let forward = #"{"name":"Home","format":"homeAssistant","address":"mqtts://fleet@broker.example/vans"}"#
        let made = try server.client(server.keys.admin).send("POST", "/api/forwards", json: forward)
        return try #require(try (made.json["id"] as? String).flatMap { UUIDv7($0.utf8.span) })
      }
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        var device = PublishedDevice()
        (device.forwardID, device.vehicle, device.entities) = (id, "VAN-1", .array([.text("sensor/speed")]))
        return try transaction.insert(device).id
      }
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let path = "/api/forwards/\(id.string)"
        func change(_ json: String) throws -> TestClient.Reply {
          try client.send("PATCH", path, json: json, headers: ["If-Match": "*"])
        }
        // The password belongs to this broker, and its messages have this prefix.
        for address in ["mqtts://fleet@other.example/vans", "mqtts://fleet@broker.example/cars"] {
          let moved = try change(#"{"address":"\#(address)"}"#)
          #expect(moved.status == 422 && moved.text.contains(#""path":"address""#), "\(moved.text)")
        }
        #expect(try change(#"{"address":"mqtts://other@broker.example/vans"}"#).status == 200)
        let ended = try client.send("DELETE", path)
        #expect(ended.status == 202 && ended.text.contains(#""removeBy":""#), "\(ended.text)")
        #expect(try change(#"{"isActive":true}"#).status == 422)
        #expect(try client.send("GET", path).status == 200)
        #expect(try client.send("DELETE", path).status == 204)
        #expect(try client.send("GET", path).status == 404)
      }
    }
  }

  /// Two tenants with the same broker and prefix could replace the messages of each other's vehicles.
  @Test(arguments: TestServer.Database.allCases)
  func topics_belong_to_one_tenant(_ database: TestServer.Database) async throws {
    try await TestServer.run(Self.options, on: database) { server in
      try await runBlocking {
        func make(_ key: String, _ prefix: String) throws -> TestClient.Reply {
          try server.client(key).send(
            "POST", "/api/forwards",
            json: #"{"name":"H","format":"homeAssistant","address":"mqtts://me@broker.example/\#(prefix)"}"#)
        }
        let (admin, foreign) = (server.keys.admin, server.keys.foreignAdmin)
        for (key, prefix) in [(admin, "vans"), (admin, "vans/~other"), (foreign, "~other/vans"), (foreign, "~other")] {
          let made = try make(key, prefix)
          #expect(made.status == 201, "\(prefix): \(made.text)")
        }
        for (key, prefix) in [
          (admin, "~other/vans"), (admin, "~default/vans"), (foreign, "vans"), (foreign, "~default/vans"),
          (foreign, "~other2/vans"), (foreign, "~/other"), (foreign, "other/vans"),
        ] {
          let reply = try make(key, prefix)
          #expect(reply.status == 422 && reply.text.contains(#""path":"address""#), "\(prefix): \(reply.text)")
        }
        // The prefix cannot be changed to that of another tenant either.
        let client = try server.client(foreign)
        let id = try #require(try client.send("GET", "/api/forwards").list.first?["id"] as? String)
        let moved = try client.send(
          "PATCH", "/api/forwards/\(id)", json: #"{"address":"mqtts://me@broker.example/vans"}"#,
          headers: ["If-Match": "*"])
        #expect(moved.status == 422 && moved.text.contains("~other/"), "\(moved.text)")
      }
    }
  }

  @Test func a_forward_to_home_assistant_needs_the_address_of_a_broker() async throws {
    try await TestServer.run(Self.options) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func make(_ address: String, _ more: String = "") throws -> TestClient.Reply {
          let forward = #"{"name":"Home","format":"homeAssistant","address":"\#(address)"\#(more)}"#
          return try client.send("POST", "/api/forwards", json: forward)
        }
        let made = try make("mqtts://fleet@broker.example/vans", #","secret":"right one""#)
        #expect(made.status == 201 && !made.text.contains("right one"), "\(made.text)")
        #expect(try made.json["hasSecret"] as? Bool == true)
        for address in [
          "https://broker.example/vans", "mqtts://broker.example", "mqtts://fleet:secret@broker.example/vans",
          "mqtts://broker.example/vans/+", "mqtts://broker.example/vans/#", "mqtts://broker.example/$SYS",
          "mqtts://broker.example/$share/x", "mqtts://broker.example/vans//x",
          "mqtts://broker.example/vans/../x", "mqtts://broker.example/..", "mqtts://broker.example/vans/%2B",
          "mqtts://broker.example/homeassistant", "mqtt://broker.example/vans",
          "mqtts://127.0.0.1/vans", "mqtts://10.0.0.1/vans",
        ] {
          let reply = try make(address)
          #expect(reply.status == 422 && reply.text.contains(#""path":"address""#), "\(address): \(reply.text)")
        }
        let header = try make("mqtts://broker.example/vans", #","keyHeader":"X-Key""#)
        #expect(header.status == 422 && header.text.contains(#""path":"keyHeader""#), "\(header.text)")
      }
    }
  }
}
