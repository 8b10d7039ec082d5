import FleetAccess
import FleetDomain
import FleetStorageTestKit
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Tokens with a scope, an end and a last use, and the audit of keys, on both databases.
@Suite struct TokenScopeTests {
  private static func add(_ body: String, _ client: TestClient) throws -> (id: String, secret: String) {
    let reply = try client.send("POST", "/api/tokens", json: body)
    guard reply.status == 201, let token = try reply.json["token"] as? [String: Any], let id = token["id"] as? String,
      let secret = try reply.json["secret"] as? String
    else { throw TestClient.Failure(description: reply.text) }
    return (id, secret)
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_token_may_what_its_role_allows_in_its_fleets(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        for (vehicle, key) in [(1, server.keys.gateway), (2, server.keys.otherGateway)] {
          let sample = SampleRecord(vehicle, type: "trip", vehicle: "VAN-\(vehicle)", gateway: "gw-\(vehicle)")
          #expect(try server.client(key).send("POST", "/api/telemetry", [sample].lines).status == 200)
        }
        // The role, and the statuses of requests for VAN-1, VAN-2, their trips, a driver, a change of VAN-1 and of
        // VAN-2, keys, people.
        let rows: [(String, [Int])] = [
          ("admin", [200, 404, 200, 201, 200, 404, 403, 200]), ("readOnly", [200, 404, 200, 403, 403, 403, 403, 403]),
          ("maintenance", [200, 404, 200, 403, 403, 403, 403, 403]),
          ("viewer", [200, 404, 200, 403, 403, 403, 403, 403]),
        ]
        for (role, expected) in rows {
          let token = try Self.add(#"{"role":"\#(role)","scope":["\#(fleets.north)"]}"#, admin)
          let client = try server.client(token.secret)
          let any = ["If-Match": "*"]
          let replies = [
            try client.send("GET", "/api/vehicles/VAN-1"), try client.send("GET", "/api/vehicles/VAN-2"),
            try client.send("GET", "/api/trips"),
            try client.send("POST", "/api/drivers", json: #"{"name":"D","fleetId":"\#(fleets.north)"}"#),
            try client.send("PATCH", "/api/vehicles/VAN-1", json: #"{"name":"\#(role)"}"#, headers: any),
            try client.send("PATCH", "/api/vehicles/VAN-2", json: #"{"name":"x"}"#, headers: any),
            try client.send("GET", "/api/tokens"), try client.send("GET", "/api/people"),
          ]
          #expect(replies.map(\.status) == expected, "\(role): \(replies.map(\.text))")
          #expect(replies[2].list.count == 1, "\(role): \(replies[2].text)")
          // Gateways belong to the whole tenant.
          let gateways = try client.send("GET", "/api/gateways")
          #expect(
            gateways.status == 403
              && ["this token is limited to fleets", "this token may only read", "the role of this token"]
                .contains { gateways.errorMessage.contains($0) },
            "\(role): \(gateways.text)")
          #expect(try client.send("GET", "/api/vehicles").list.count == 1)
          #expect(try client.send("GET", "/api/vehicles/VAN-2/trips").status == 404)
        }
        // Drivers of other fleets, and those without a fleet, are not listed.
        _ = try admin.send("POST", "/api/drivers", json: #"{"name":"S","fleetId":"\#(fleets.south)"}"#)
        let viewer = try server.client(try Self.add(#"{"role":"viewer","scope":["\#(fleets.north)"]}"#, admin).secret)
        #expect(try viewer.send("GET", "/api/drivers").list.map { $0["name"] as? String } == ["D"])
        for wrong in [
          #"{"role":"driver"}"#, #"{"role":"viewer","scope":"some"}"#, #"{"role":"viewer","scope":[]}"#,
          #"{"role":"viewer","scope":["0193e0f2-7c11-7a5e-8f3b-2d1c0b9a8877"]}"#,
          #"{"role":"viewer","expiresAt":"2020-01-01T00:00:00Z"}"#, #"{"role":"viewer","expiresAt":"soon"}"#,
        ] {
          #expect(try admin.send("POST", "/api/tokens", json: wrong).status == 422, "\(wrong)")
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_token_ends_at_its_time_and_closes_its_connections(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        let end = TextOf.time(WallClock.now.adding(seconds: 3))
        let token = try Self.add(#"{"role":"readOnly","expiresAt":"\#(end)"}"#, admin)
        let live = try WebSocketTestClient(port: server.port, token: token.secret)
        _ = try live.listen("fleet")
        let client = try server.client(token.secret)
        #expect(try client.send("GET", "/api/vehicles").status == 200)
        guard case .close(1008, let reason) = try live.close() else {
          Issue.record("the connection was not closed")
          return
        }
        #expect(reason == "the token has expired; ask for a new one")
        let refused = try client.send("GET", "/api/vehicles")
        #expect(refused.status == 401 && refused.errorCode == "expired", "\(refused.text)")
        let listed = try #require(
          try admin.send("GET", "/api/tokens").list.first { $0["id"] as? String == token.id })
        #expect(
          listed["expiresAt"] as? String == end && listed["lastUsedAt"] != nil && listed["scope"] as? String == "all")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_audit_has_every_change_of_keys_and_fences_without_secrets(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let admin = try await server.addPerson("admin@example.com")
      try await runBlocking {
        let session = try server.signIn("admin@example.com")
        func send(_ method: String, _ path: String, _ body: String? = nil) throws -> TestClient.Reply {
          let reply = try server.asPage(session, method, path, body, from: 7)
          #expect((200..<300).contains(reply.status), "\(method) \(path): \(reply.text)")
          return reply
        }
        let key = try send("POST", "/api/gateways", #"{"id":"gw-9","vehicles":["V-1"]}"#).json["key"] as? String
        _ = try send("PUT", "/api/gateways/gw-9", #"{"vehicles":["V-1","V-2"]}"#)
        // The request changes nothing, so nothing is written to the audit.
        _ = try send("PUT", "/api/gateways/gw-9", #"{"vehicles":["V-1","V-2"]}"#)
        _ = try send("POST", "/api/gateways/gw-9/revoke")
        _ = try send("POST", "/api/gateways/gw-9/rotate")
        _ = try send("DELETE", "/api/gateways/gw-9")
        let made = try send("POST", "/api/tokens", #"{"role":"readOnly","label":"office"}"#)
        let secret = try made.json["secret"] as? String
        let id = try #require((try made.json["token"] as? [String: Any])?["id"] as? String)
        _ = try send("DELETE", "/api/tokens/\(id)")
        _ = try send("DELETE", "/api/tokens/\(id)?remove=true")
        _ = try send("PUT", "/api/geofences", #"{"type":"FeatureCollection","features":[]}"#)
        let reply = try send("GET", "/api/audit?limit=200")
        let entries = reply.list.filter { ["gateway", "token", "geofences"].contains($0["kind"] as? String) }
          .filter { ($0["actor"] as? [String: Any])?["kind"] as? String == "person" }
        #expect(
          entries.reversed().map { "\($0["kind"] ?? "") \($0["action"] ?? "")" } == [
            "gateway create", "gateway change", "gateway revoke", "gateway rotateKey", "gateway remove",
            "token create", "token revoke", "token remove", "geofences change",
          ])
        for entry in entries {
          #expect((entry["actor"] as? [String: Any])?["id"] as? String == admin.id.json.textValue)
          #expect(entry["address"] as? String == "127.0.0.7")
        }
        let change = try #require(
          entries.first { $0["action"] as? String == "change" && $0["kind"] as? String == "gateway" })
        #expect((change["before"] as? [String: [String]])?["vehicles"] == ["V-1"])
        #expect((change["after"] as? [String: [String]])?["vehicles"] == ["V-1", "V-2"])
        #expect((change["details"] as? [String: String])?["id"] == "gw-9")
        for text in [try #require(key), try #require(secret)] {
          #expect(!reply.text.contains(text))
          #expect(!reply.text.contains(Hexadecimal.text(Secret.hash(of: text).bytes)))
        }
      }
    }
  }
}
