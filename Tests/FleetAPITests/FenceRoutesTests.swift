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
      try await aside {
        let admin = try server.client(server.keys.admin)
        let gateway = try server.client(server.keys.gateway)
        #expect(try gateway.send("GET", "/api/geofences").status == 404)
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

  @Test func fences_are_replaced_only_by_who_has_seen_them() async throws {
    try await TestServer.run { server in
      try await aside {
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

  @Test func a_wrong_fence_is_named_and_nothing_is_replaced() async throws {
    try await TestServer.run { server in
      try await aside {
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
