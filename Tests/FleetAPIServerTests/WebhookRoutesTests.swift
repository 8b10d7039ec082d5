import FleetAccess
import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// `/api/webhooks` and `/api/push-subscriptions`, on both databases.
@Suite struct WebhookRoutesTests {
  private static let path = "/api/webhooks"

  @Test(arguments: TestServer.Database.allCases)
  func a_secret_is_shown_once_and_never_in_the_audit(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "POST", Self.path, json: #"{"url":"https://hooks.example/fleet","events":["defectOpened"]}"#)
        let id = try #require(made.json["id"] as? String)
        let secret = try #require(made.json["secret"] as? String)
        #expect(try made.status == 201 && made.json["state"] as? String == "waiting")
        #expect(WebhookSignature(secret) != nil)
        let read = try client.send("GET", "\(Self.path)/\(id)")
        #expect(try read.json["secret"] == nil && read.json["waiting"] as? Int == 0, "\(read.text)")
        let changed = try client.send(
          "PATCH", "\(Self.path)/\(id)", json: #"{"description":"Depot"}"#, headers: ["If-Match": "*"])
        #expect(try changed.status == 200 && changed.json["secret"] == nil, "\(changed.text)")
        let rotated = try client.send("POST", "\(Self.path)/\(id)/rotate")
        let new = try #require(rotated.json["secret"] as? String)
        #expect(try new != secret && WebhookSignature(new) != nil && rotated.json["previousSecretUntil"] != nil)
        // A client may choose the secret.
        let own = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let chosen = try client.send(
          "POST", Self.path, json: #"{"url":"https://hooks.example/2","secret":"\#(own)"}"#)
        #expect(try chosen.json["secret"] as? String == own && chosen.json["events"] == nil)
        let audit = try client.send("GET", "/api/audit?limit=100").text
        for text in [secret, new, own, "whsec_"] { #expect(!audit.contains(text)) }
        #expect(audit.contains(#""action":"rotate""#))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func wrong_settings_are_rejected_and_webhooks_are_limited(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for (wrong, field) in [
          (#"{"url":"http://hooks.example/"}"#, "url"), (#"{"url":"https://127.0.0.1/"}"#, "url"),
          (#"{"url":"file:///etc/passwd"}"#, "url"), (#"{"url":"https://0.0.0.0/"}"#, "url"),
          (#"{"url":"https://127.1/"}"#, "url"), (#"{"url":"https://2130706433/"}"#, "url"),
          (#"{"url":"https://0x7f.1/"}"#, "url"), (#"{"url":"https://localhost%00.example/"}"#, "url"),
          (#"{"url":"https://LOCALHOST./"}"#, "url"), (#"{"url":"https://10.0.0.1/"}"#, "url"),
          (#"{"url":"https://[fe80::1]/"}"#, "url"), (#"{"url":"https://[::ffff:7f00:1]/"}"#, "url"),
          (#"{"url":"https://h.example/","events":["noEvent"]}"#, "events.0"),
          (#"{"url":"https://h.example/","fleetIds":["019d0000-0000-7000-8000-000000000000"]}"#, "fleetIds"),
          (#"{"url":"https://h.example/","secret":"short"}"#, "secret"),
        ] {
          let reply = try client.send("POST", Self.path, json: wrong)
          #expect(reply.status == 422 && reply.text.contains(#""path":"\#(field)""#), "\(reply.text)")
        }
        for number in 0..<Webhook.most {
          #expect(
            try client.send("POST", Self.path, json: #"{"url":"https://h.example/\#(number)"}"#).status == 201)
        }
        let more = try client.send("POST", Self.path, json: #"{"url":"https://h.example/more"}"#)
        #expect(more.status == 409 && more.text.contains("limitReached"))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_test_and_a_repeated_delivery_wait_in_the_list(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let id = try await runBlocking {
        let client = try server.client(server.keys.admin)
        let id = try #require(
          try client.send("POST", Self.path, json: #"{"url":"https://hooks.example/"}"#).json["id"] as? String)
        let test = try client.send("POST", "\(Self.path)/\(id)/test")
        #expect(try test.status == 202 && test.json["event"] as? String == "test" && test.json["body"] == nil)
        let delivery = try #require(test.json["id"] as? String)
        let again = try client.send("POST", "\(Self.path)/\(id)/deliveries/\(delivery)/redeliver")
        #expect(again.status == 409 && again.text.contains("invalidState"), "\(again.text)")
        #expect(try client.send("GET", "\(Self.path)/\(id)").json["waiting"] as? Int == 1)
        return (webhook: id, delivery: delivery)
      }
      try await server.storage.change(tenant: .standard, by: Actor(.server), at: WallClock.now) {
        transaction throws(ThingError) in
        guard let receiver = UUIDv7(id.webhook.utf8.span), let delivery = UUIDv7(id.delivery.utf8.span),
          let stored = try transaction.find(receiver, DeliveryProgress.self)
        else { return }
        var progress = stored.value
        try transaction.finish(
          try transaction.existing(delivery, Delivery.self),
          DeliveryAttempt(.failed, status: 500, duration: 12, error: "status 500"), &progress)
        try transaction.update(stored, to: progress, action: "test")
      }
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let list = try client.send("GET", "\(Self.path)/\(id.webhook)/deliveries").list
        #expect(list.count == 1 && list[0]["state"] as? String == "failed" && list[0]["status"] as? Int == 500)
        #expect(list[0]["duration"] as? Int == 12 && list[0]["error"] as? String == "status 500")
        let again = try client.send("POST", "\(Self.path)/\(id.webhook)/deliveries/\(id.delivery)/redeliver")
        #expect(try again.status == 202 && again.json["state"] as? String == "waiting", "\(again.text)")
        #expect(try again.json["eventId"] as? String == list[0]["eventId"] as? String)
        #expect(try client.send("DELETE", "\(Self.path)/\(id.webhook)").status == 204)
        #expect(try client.send("GET", "\(Self.path)/\(id.webhook)/deliveries").status == 404)
      }
    }
  }

  private static func push(_ endpoint: String) -> String {
    """
    {"endpoint":"\(endpoint)","expirationTime":null,"keys":{"auth":"BTBZMqHH6r4Tts7J_aSIgg","p256dh":\
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}
    """
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_browser_belongs_to_the_session_that_allowed_it(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      _ = try await server.addPerson("ann@example.com")
      _ = try await server.addPerson("bob@example.com", [.viewer])
      try await runBlocking {
        let path = "/api/push-subscriptions"
        let (ann, bob) = (try server.signIn("ann@example.com"), try server.signIn("bob@example.com"))
        let keys = try [ann, bob].map { session in
          try #require(try server.asPage(session, "GET", "/api/push-key").json["key"] as? String)
        }
        #expect(keys[0] == keys[1] && Base64URL.bytes(keys[0])?.count == 65, "one key pair for the tenant")
        func add(_ session: String, _ endpoint: String) throws -> TestClient.Reply {
          try server.asPage(session, "POST", path, Self.push(endpoint))
        }
        let first = try add(ann, "https://push.example/1")
        #expect(first.status == 201 && !first.text.contains("push.example"), "\(first.text)")
        #expect(try add(ann, "https://push.example/1").json["id"] as? String == first.json["id"] as? String)
        for wrong in ["http://push.example/1", "https://127.0.0.1/1", "ftp://push.example/"] {
          #expect(try add(ann, wrong).status == 422)
        }
        // Another person signs in with the same browser.
        #expect(try add(bob, "https://push.example/1").status == 201)
        #expect(try server.asPage(ann, "GET", path).list.isEmpty && server.asPage(bob, "GET", path).list.count == 1)
        for number in 2...20 { #expect(try add(bob, "https://push.example/\(number)").status == 201) }
        #expect(try add(bob, "https://push.example/21").status == 409)
        #expect(try server.asPage(bob, "POST", "/api/auth/logout").status < 300)
        let again = try server.signIn("bob@example.com")
        #expect(try server.asPage(again, "GET", path).list.isEmpty)
      }
    }
  }
}
