import TestKit
import Testing

@testable import FleetAPI

/// `/api/geofences`
@Suite struct FenceRoutesTests {
  private static func fences(_ radius: String) -> String {
    #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"yard","radius":\#(radius)},"#
      + #" "geometry":{"type":"Point","coordinates":[9.1774,47.6595]}}]}"#
  }

  @Test func fences_come_back_byte_for_byte_and_only_when_they_have_changed() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        let gateway = try server.client(server.keys.gateway)
        let none = try gateway.send("GET", "/api/geofences")
        #expect(none.status == 200 && none.headers["etag"] == "\"none\"")
        #expect(none.text == #"{"type":"FeatureCollection","features":[]}"#)
        #expect(try gateway.send("GET", "/api/geofences", headers: ["If-None-Match": "\"none\""]).status == 304)
        let put = try admin.send("PUT", "/api/geofences", json: Self.fences("120"))
        #expect(put.status == 204)
        let tag = put.headers["etag"] ?? ""
        #expect(tag.hasPrefix("\""))
        let first = try gateway.send("GET", "/api/geofences")
        #expect(first.text == Self.fences("120"))
        #expect(first.headers["etag"] == tag)
        #expect(first.headers["content-type"] == "application/geo+json")
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
          let again = try gateway.send("GET", "/api/geofences", headers: ["If-None-Match": known])
          #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
        }
        _ = try admin.send("PUT", "/api/geofences", json: Self.fences("121"))
        let changed = try gateway.send("GET", "/api/geofences", headers: ["If-None-Match": tag])
        #expect(changed.status == 200 && changed.text == Self.fences("121"))
      }
    }
  }

  @Test func fences_are_replaced_only_with_a_matching_entity_tag() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        func put(_ radius: String, _ headers: [String: String]) throws -> TestClient.Reply {
          try admin.send("PUT", "/api/geofences", json: Self.fences(radius), headers: headers)
        }
        #expect(try put("1", ["If-Match": "\"0\""]).status == 412)
        let first = try put("1", ["If-None-Match": "*"])
        #expect(first.status == 204)
        #expect(try put("2", ["If-None-Match": "*"]).status == 412)
        #expect(try put("2", ["If-Match": first.headers["etag"] ?? ""]).status == 204)
        let late = try put("3", ["If-Match": first.headers["etag"] ?? ""])
        #expect(late.status == 412 && late.errorCode == "changedMeanwhile")
        #expect(try admin.send("GET", "/api/geofences").text == Self.fences("2"))
      }
    }
  }

  @Test func removed_fences_reach_gateways_as_an_empty_collection() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        let gateway = try server.client(server.keys.gateway)
        let put = try admin.send("PUT", "/api/geofences", json: Self.fences("120"))
        let tag = put.headers["etag"] ?? ""
        #expect(try admin.send("DELETE", "/api/geofences", headers: ["If-Match": "\"x\""]).status == 412)
        #expect(try gateway.send("GET", "/api/geofences", headers: ["If-None-Match": tag]).status == 304)
        let removed = try admin.send("DELETE", "/api/geofences", headers: ["If-Match": tag])
        #expect(removed.status == 204)
        let left = try gateway.send("GET", "/api/geofences", headers: ["If-None-Match": tag])
        #expect(left.status == 200 && left.text == #"{"type":"FeatureCollection","features":[]}"#)
        // With the tag "none", a gateway keeps its fences.
        #expect(left.headers["etag"] == removed.headers["etag"] && left.headers["etag"] != "\"none\"")
        #expect(try admin.send("DELETE", "/api/geofences").status == 204)
      }
    }
  }

  @Test func conditional_requests_follow_rfc_9110() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        func put(_ radius: String, _ headers: [String: String]) throws -> TestClient.Reply {
          try admin.send("PUT", "/api/geofences", json: Self.fences(radius), headers: headers)
        }
        // 13.1.1: `*` matches any document, but there is none.
        #expect(try put("1", ["If-Match": "*"]).status == 412)
        #expect(try put("1", ["If-None-Match": "\"none\""]).status == 412)
        #expect(try put("1", ["If-Match": "\"none\""]).status == 204)
        #expect(try put("1", ["If-Match": "\"none\""]).status == 412)
        #expect(try put("1", ["If-None-Match": "\"x\""]).status == 204)
        let tag = try admin.send("GET", "/api/geofences").headers["etag"] ?? ""
        // 8.8.3.2: a weak tag never means that the bytes are the same; in 13.1.2, it is allowed.
        for headers in [
          ["If-Match": "W/\(tag)"], ["If-None-Match": "\"x\", W/\(tag)"], ["If-None-Match": tag],
          ["If-Match": tag, "If-None-Match": tag], ["If-Match": "\"a,\(tag.dropFirst())"],
        ] {
          #expect(try put("2", headers).status == 412, "\(headers)")
        }
        for (number, headers) in [
          ["If-Match": "*"], ["If-None-Match": "\"a,b\" , ,W/\"c\""], ["If-Match": "*", "If-None-Match": "\"x\""],
        ].enumerated() {
          #expect(try put("\(3 + number)", headers).status == 204, "\(headers)")
        }
        for field in ["x", "\"x", "W/x", "\"a\" \"b\"", "*, \"a\"", ",", "w/\"a\""] {
          #expect(try put("9", ["If-Match": field]).status == 400, "\(field)")
        }
        #expect(try admin.send("GET", "/api/geofences").text == Self.fences("5"))
        #expect(try admin.send("GET", "/api/geofences", headers: ["If-Match": tag]).status == 412)
        func vehicle(_ id: String, _ headers: [String: String]) throws -> Int {
          try admin.send("PUT", "/api/vehicles/\(id)", json: "{}", headers: headers).status
        }
        #expect(try vehicle("VAN-1", ["If-Match": "*"]) == 200)
        #expect(try vehicle("VAN-1", ["If-None-Match": "\"x\""]) == 200)
        #expect(try vehicle("VAN-1", ["If-Match": "\"x\""]) == 412)
        // This makes a new vehicle, and another one has the id.
        #expect(try vehicle("VAN-1", ["If-None-Match": "*"]) == 201)
        #expect(
          try admin.send("PUT", "/api/vehicles/VAN-1", json: #"{"name":"x"}"#, headers: ["If-None-Match": "*"]).status
            == 409)
        #expect(try vehicle("none", ["If-Match": "\"x\""]) == 404)
        let gateway = try admin.send(
          "PUT", "/api/gateways/gw-1", json: #"{"vehicles":[]}"#, headers: ["If-Match": "\"x\""])
        #expect(gateway.status == 412)
        #expect(try admin.send("DELETE", "/api/vehicles/VAN-2", headers: ["If-Match": "\"x\""]).status == 412)
        #expect(try admin.send("DELETE", "/api/vehicles/VAN-2", headers: ["If-Match": "*"]).status == 204)
      }
    }
  }

  @Test func an_invalid_fence_is_named_and_nothing_is_replaced() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        _ = try admin.send("PUT", "/api/geofences", json: Self.fences("120"))
        let reply = try admin.send("PUT", "/api/geofences", json: Self.fences("-5"))
        #expect(reply.status == 422)
        #expect(
          reply.errorMessage.contains("feature 0 \"yard\": features[0].properties.radius"), "\(reply.errorMessage)")
        #expect(try admin.send("GET", "/api/geofences").text == Self.fences("120"))
      }
    }
  }
}
