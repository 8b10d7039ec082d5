import FleetAccess
import FleetDomain
import FleetStorageTestKit
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// `/api/gateways` and `/api/tokens`: adding and removing keys.
@Suite struct GatewayRoutesTests {
  @Test func a_key_is_valid_until_it_is_rotated_or_revoked() async throws {
    try await TestServer.run { server in
      try await runBlocking {
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

  @Test(arguments: TestServer.Database.allCases)
  func new_ids_have_no_spaces_that_cannot_be_seen(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      // A gateway of an earlier version keeps its id and its records.
      let old = Secret(.gatewayKey)
      _ = try await server.storage.addGateway(
        "gw ", allowedVehicles: [], key: old.hash, tenant: .standard, at: WallClock.now)
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        for id in ["tr ", " tr", "tr\u{3000}", "sp\u{A0}ace", "a  b"] {
          #expect(try admin.send("POST", "/api/gateways", json: #"{"id":"\#(id)"}"#).status == 422, "\(id)")
          #expect(try admin.send("POST", "/api/vehicles", json: #"{"id":"\#(id)"}"#).status == 422, "\(id)")
        }
        #expect(try admin.send("POST", "/api/vehicles", json: #"{"id":"sp ace"}"#).status == 201)
        let gateway = try server.client(old.text)
        let own = try gateway.send("POST", "/api/telemetry", [SampleRecord(1, vehicle: "gw ", gateway: "gw ")].lines)
        #expect(own.status == 200 && own.text.contains(#""stored":1"#), "\(own.text)")
        let new = try gateway.send("POST", "/api/telemetry", [SampleRecord(2, vehicle: "car ", gateway: "gw ")].lines)
        #expect(!new.text.contains(#""stored":1"#) && new.text.contains("vehicleId"), "\(new.text)")
      }
    }
  }

  @Test func the_server_stores_what_a_gateway_reports_about_itself() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let gateway = try server.client(server.keys.gateway)
        _ = try gateway.send(
          "POST", "/api/telemetry", [SampleRecord(1)].lines,
          headers: ["Obdgate-Spool-Depth": "4711", "Obdgate-Version": "0.1.0"])
        _ = try gateway.send("GET", "/api/geofences", headers: ["Obdgate-Spool-Depth": "-3"])
        for version in ["9\u{202E}1", "9\u{200B}1", "\u{FEFF}", String(repeating: "9", count: 65)] {
          _ = try gateway.send("GET", "/api/geofences", headers: ["Obdgate-Version": version])
        }
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
      try await runBlocking {
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

  @Test func a_gateway_shows_the_vehicle_that_it_is_in() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let gateway = try server.client(server.keys.freeGateway)
        let reader = try server.client(server.keys.readOnly)
        func current() throws -> [String?] {
          let one = try reader.send("GET", "/api/gateways/gw-free").json
          let listed = try reader.send("GET", "/api/gateways").list.first { $0["id"] as? String == "gw-free" }
          return [one["currentVehicle"] as? String, listed?["currentVehicle"] as? String]
        }
        #expect(try current() == [nil, nil])
        let first = SampleRecord(1, vehicle: "CAR-1", gateway: "gw-free")
        let second = SampleRecord(2, vehicle: "CAR-2", gateway: "gw-free")
        // Another gateway's vehicle is refused and does not count.
        let foreign = SampleRecord(3, vehicle: "VAN-1", gateway: "gw-free")
        _ = try gateway.send("POST", "/api/telemetry", [first].lines)
        #expect(try current() == ["CAR-1", "CAR-1"])
        _ = try gateway.send("POST", "/api/telemetry", [second, foreign].lines)
        #expect(try current() == ["CAR-2", "CAR-2"])
        _ = try gateway.send("POST", "/api/telemetry", [first].lines)
        #expect(try current() == ["CAR-2", "CAR-2"], "an old record was sent again")
        // The result of GET is valid for PUT.
        let admin = try server.client(server.keys.admin)
        let text = try admin.send("GET", "/api/gateways/gw-free").text
        #expect(try admin.send("PUT", "/api/gateways/gw-free", json: text).status == 200)
      }
    }
  }

  @Test func a_removed_gateway_loses_its_key_and_leaves_its_records() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        let gateway = try server.client(server.keys.gateway)
        #expect(try gateway.send("POST", "/api/telemetry", [SampleRecord(1)].lines).status == 200)
        #expect(try admin.send("DELETE", "/api/gateways/gw-1", headers: ["If-Match": "\"x\""]).status == 412)
        #expect(try admin.send("DELETE", "/api/gateways/gw-1").status == 204)
        #expect(try gateway.send("POST", "/api/telemetry", [SampleRecord(2)].lines).status == 401)
        #expect(try admin.send("GET", "/api/gateways/gw-1").status == 404)
        #expect(try admin.send("DELETE", "/api/gateways/gw-1").status == 404)
        #expect(try admin.send("GET", "/api/vehicles/VAN-1/telemetry").list.count == 1)
        // The same ID may be registered again, and continues with the vehicle.
        let again = try admin.send("POST", "/api/gateways", json: #"{"id":"gw-1","vehicles":["VAN-1"]}"#)
        #expect(again.status == 201)
        let key = try again.json["key"] as? String ?? ""
        let sent = try server.client(key).send("POST", "/api/telemetry", [SampleRecord(2)].lines)
        #expect(try sent.json["stored"] as? Int == 1)
        // The other tenant's gateway of the same name is not touched.
        #expect(try server.client(server.keys.foreignAdmin).send("GET", "/api/gateways/gw-1").status == 200)
      }
    }
  }

  @Test func a_token_reads_until_it_is_revoked() async throws {
    try await TestServer.run { server in
      try await runBlocking {
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
        // A long list is returned in pages. None of them contains the removed token.
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
        for label in [#"a\u202Eb"#, #"a\u200Bb"#, #"a\nb"#] {
          let refused = try admin.send("POST", "/api/tokens", json: #"{"role":"readOnly","label":"\#(label)"}"#)
          #expect(refused.status == 422 && refused.errorMessage.contains("invisible ones"), "\(refused.text)")
        }
      }
    }
  }
}
