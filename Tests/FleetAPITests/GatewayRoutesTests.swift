import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// `/api/gateways` and `/api/tokens`: keys come and go.
@Suite struct GatewayRoutesTests {
  @Test func a_key_is_good_until_it_is_rotated_or_revoked() async throws {
    try await TestServer.run { server in
      try await aside {
        let admin = try server.client(server.keys.admin)
        let added = try admin.send("POST", "/api/gateways", json: #"{"id":"gw-7","vehicles":["VAN-7"]}"#)
        #expect(added.status == 201)
        #expect(try admin.send("POST", "/api/gateways", json: #"{"id":"gw-7"}"#).status == 409)
        let first = try added.json["key"] as? String ?? ""
        let record = SampleRecord(1, vehicle: "VAN-7", gateway: "gw-7")
        func send(_ key: String) throws -> Int {
          try server.client(key).send("POST", "/api/telemetry", [record].lines).status
        }
        #expect(try send(first) == 200)
        let second = try admin.send("POST", "/api/gateways/gw-7/rotate", []).json["key"] as? String ?? ""
        #expect(try send(first) == 401)
        #expect(try send(second) == 200)
        #expect(try admin.send("POST", "/api/gateways/gw-7/revoke", []).status == 204)
        #expect(try send(second) == 401)
        #expect(try admin.send("GET", "/api/gateways/gw-7").json["revokedAt"] != nil)
        #expect(try admin.send("GET", "/api/gateways/gw-7").text.contains(second) == false)
      }
    }
  }

  @Test func what_a_gateway_says_of_itself_is_noted() async throws {
    try await TestServer.run { server in
      try await aside {
        let gateway = try server.client(server.keys.gateway)
        _ = try gateway.send(
          "POST", "/api/telemetry", [SampleRecord(1)].lines,
          headers: ["Obdgate-Spool-Depth": "4711", "Obdgate-Version": "0.1.0"])
        _ = try gateway.send("GET", "/api/geofences", headers: ["Obdgate-Spool-Depth": "-3"])
        let seen = try server.client(server.keys.readOnly).send("GET", "/api/gateways/gw-1").json
        #expect(seen["spoolDepth"] as? Int == 4711)
        #expect(seen["version"] as? String == "0.1.0")
        #expect(seen["lastSeen"] != nil)
        let other = try server.client(server.keys.readOnly).send("GET", "/api/gateways/gw-2").json
        #expect(other["lastSeen"] == nil)
      }
    }
  }

  @Test func vehicles_of_a_gateway_can_be_changed() async throws {
    try await TestServer.run { server in
      try await aside {
        let admin = try server.client(server.keys.admin)
        let reply = try admin.send("PUT", "/api/gateways/gw-1", json: #"{"vehicles":["VAN-2"]}"#)
        #expect(try reply.json["vehicles"] as? [String] == ["VAN-2"])
        let gateway = try server.client(server.keys.gateway)
        let records = [SampleRecord(1), SampleRecord(2, vehicle: "VAN-2")]
        let results = try gateway.send("POST", "/api/telemetry", records.lines).json["results"] as? [[String: Any]]
        #expect(results?.map { $0["outcome"] as? String } == ["refused", "stored"])
        #expect(try admin.send("PUT", "/api/gateways/gw-1", json: "{}").status == 422)
        #expect(try admin.send("PUT", "/api/gateways/none", json: #"{"vehicles":[]}"#).status == 404)
      }
    }
  }

  @Test func a_token_reads_until_it_is_revoked() async throws {
    try await TestServer.run { server in
      try await aside {
        let admin = try server.client(server.keys.admin)
        let added = try admin.send("POST", "/api/tokens", json: #"{"role":"readOnly","label":"wall display"}"#)
        #expect(added.status == 201)
        let secret = try added.json["secret"] as? String ?? ""
        let id = (try added.json["token"] as? [String: Any])?["id"] as? String ?? ""
        #expect(try server.client(secret).send("GET", "/api/vehicles").status == 200)
        let listed = try admin.send("GET", "/api/tokens")
        #expect(listed.list.contains { $0["id"] as? String == id && $0["label"] as? String == "wall display" })
        #expect(!listed.text.contains(secret))
        #expect(try admin.send("DELETE", "/api/tokens/\(id)").status == 204)
        #expect(try server.client(secret).send("GET", "/api/vehicles").errorCode == "revoked")
        // A list of many comes in pages; a token that was removed is on none of them.
        let rest = try admin.send("GET", "/api/tokens?limit=1").json["next"] as? String ?? ""
        let behind = try admin.send("GET", "/api/tokens?limit=1000&cursor=\(rest)").list
        #expect(behind.contains { $0["id"] as? String == id && $0["revokedAt"] != nil })
        #expect(try admin.send("DELETE", "/api/tokens/\(id)?remove=maybe").status == 400)
        #expect(try admin.send("DELETE", "/api/tokens/\(id)?remove=true").status == 204)
        let left = try admin.send("GET", "/api/tokens").list
        #expect(!left.contains { $0["id"] as? String == id })
        #expect(try server.client(secret).send("GET", "/api/vehicles").errorCode == "unauthorized")
        #expect(try admin.send("DELETE", "/api/tokens/\(id)?remove=true").status == 404)
        #expect(try admin.send("POST", "/api/tokens", json: #"{"role":"root"}"#).status == 422)
      }
    }
  }
}
