import FleetDomain
import NIOEmbedded
import TestKit
import Testing

@testable import FleetAPI

/// Properties of all answers: access by browsers, compression, logging.
@Suite struct AnswerTests {
  private static let listed = ServerOptions.test { $0.live.origins = AllowedOrigins(["https://fleet.example"]) }
  private static let page = ["Origin": "https://fleet.example"]

  @Test func a_page_of_a_configured_origin_may_read_answers_and_errors() async throws {
    try await TestServer.run(Self.listed) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for path in ["/api/vehicles", "/api/vehicles/none", "/api/none", "/api/health"] {
          let reply = try client.send("GET", path, headers: Self.page)
          #expect(reply.headers["access-control-allow-origin"] == "https://fleet.example", "\(path)")
          #expect(reply.headers["vary"]?.contains("Origin") == true)
          #expect(reply.headers["access-control-expose-headers"]?.contains("ETag") == true)
          #expect(reply.headers["access-control-allow-credentials"] == nil)
          let foreign = try client.send("GET", path, headers: ["Origin": "https://evil.example"])
          #expect(foreign.headers["access-control-allow-origin"] == nil, "\(path)")
          #expect(foreign.headers["vary"]?.contains("Origin") == true)
        }
      }
    }
  }

  @Test func a_page_may_ask_before_it_sends_a_request() async throws {
    try await TestServer.run(Self.listed) { server in
      try await runBlocking {
        // Browsers send this request without a key.
        let client = try server.client()
        let asked = Self.page.merging(["Access-Control-Request-Method": "PUT"]) { $1 }
        let reply = try client.send("OPTIONS", "/api/vehicles/VAN-1", headers: asked)
        #expect(reply.status == 204)
        #expect(reply.headers["access-control-allow-origin"] == "https://fleet.example")
        #expect(reply.headers["access-control-allow-methods"]?.contains("PUT") == true)
        for name in ["Authorization", "Content-Type", "If-Match"] {
          #expect(reply.headers["access-control-allow-headers"]?.contains(name) == true)
        }
        let foreign = asked.merging(["Origin": "https://evil.example"]) { $1 }
        let refused = try client.send("OPTIONS", "/api/vehicles/VAN-1", headers: foreign)
        #expect(refused.status == 405 && refused.headers["access-control-allow-origin"] == nil)
        #expect(try client.send("OPTIONS", "/api/vehicles").status == 405)
      }
    }
    // Without configured origins nothing is different.
    try await TestServer.run { server in
      try await runBlocking {
        let reply = try server.client(server.keys.admin).send("GET", "/api/vehicles", headers: Self.page)
        #expect(reply.headers["access-control-allow-origin"] == nil && reply.headers["vary"] == nil)
      }
    }
  }

  @Test func long_responses_are_compressed_as_the_client_accepts() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let gateway = try server.client(server.keys.gateway)
        _ = try gateway.send("POST", "/api/telemetry", (1...200).map { SampleRecord($0) }.lines)
        let client = try server.client(server.keys.readOnly)
        let path = "/api/vehicles/VAN-1/telemetry?limit=200"
        let plain = try client.send("GET", path)
        #expect(plain.headers["content-encoding"] == nil && plain.headers["vary"] == "Accept-Encoding")
        for (accepted, coding, tool) in [
          ("gzip", "gzip", "gzip"), ("zstd", "zstd", "zstd"), ("gzip, deflate, br, zstd", "zstd", "zstd"),
          ("gzip;q=1.0, zstd;q=0.5", "gzip", "gzip"), ("*", "zstd", "zstd"), ("zstd;q=0, gzip", "gzip", "gzip"),
        ] {
          let packed = try client.send("GET", path, headers: ["Accept-Encoding": accepted])
          #expect(packed.headers["content-encoding"] == coding, "\(accepted)")
          #expect(packed.body.count < plain.body.count / 4)
          #expect(try Tool.run(tool, ["-dc"], stdin: packed.body).stdout == plain.body)
        }
        for accepted in ["br", "identity", "gzip;q=0", "identity, gzip;q=0.5", ""] {
          let same = try client.send("GET", path, headers: ["Accept-Encoding": accepted])
          #expect(same.headers["content-encoding"] == nil && same.body == plain.body, "\(accepted)")
        }
        // Too short to be worth it; and bytes that have an entity tag.
        let short = try client.send("GET", "/api/vehicles/VAN-1", headers: ["Accept-Encoding": "gzip"])
        #expect(short.headers["content-encoding"] == nil)
        let fence =
          #"{"type":"Feature","properties":{"id":"a","radius":9,"note":"\#(String(repeating: "x", count: 4_000))"},"#
          + #""geometry":{"type":"Point","coordinates":[9,47]}}"#
        let fences = #"{"type":"FeatureCollection","features":[\#(fence)]}"#
        #expect(try server.client(server.keys.admin).send("PUT", "/api/geofences", json: fences).status == 204)
        let tagged = try client.send("GET", "/api/geofences", headers: ["Accept-Encoding": "gzip"])
        #expect(tagged.headers["content-encoding"] == nil && tagged.text == fences)
      }
    }
  }

  @Test func an_unknown_telemetry_key_is_rejected_with_the_nearest_known_one() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.readOnly)
        let path = "/api/vehicles/VAN-1/telemetry?fields="
        for (fields, hint) in [("speed,coolantTmp", "coolantTemp"), ("sped", "speed"), ("timestmp", "timestamp")] {
          let reply = try client.send("GET", path + fields)
          #expect(reply.status == 400)
          #expect(reply.errorMessage.contains("did you mean \"\(hint)\"?"), "\(reply.text)")
        }
        let reply = try client.send("GET", path + "nosuch")
        #expect(reply.status == 400 && reply.errorMessage.contains("fields: no key of telemetry is called \"nosuch\""))
        #expect(try client.send("GET", path).status == 400)
        for fields in ["speed", "speed,%20rpm", "egrTemperatureA", "F150_ODO,Vehicle.Speed", "seq,dtcCodes,ecus"] {
          #expect(try client.send("GET", path + fields).status == 200, "\(fields)")
        }
      }
    }
  }

  @Test func a_plus_that_became_a_space_is_explained() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.readOnly)
        let path = "/api/vehicles/VAN-1/telemetry?from="
        let reply = try client.send("GET", path + "2026-01-01T00:00:00+01:00")
        #expect(reply.status == 400 && reply.errorMessage.contains("write + as %2B"), "\(reply.text)")
        #expect(try client.send("GET", path + "2026-01-01T00:00:00%2B01:00").status == 200)
        #expect(try !client.send("GET", path + "yesterday").errorMessage.contains("%2B"))
      }
    }
  }

  @Test func the_access_log_shows_no_query_and_no_key() {
    #expect(AccessLog.path("/api/vehicles/VAN-1/telemetry?from=x&token=fst_00") == "/api/vehicles/VAN-1/telemetry")
    #expect(AccessLog.path("/api/tokens/fst_0123") == "/api/tokens/…")
    #expect(AccessLog.path("/api/tokens/%66sk_0123/x") == "/api/tokens/…/x")
    #expect(AccessLog.path("/a\nb c") == "/a?b?c")
    #expect(AccessLog.path("/" + String(repeating: "x", count: 900)).utf8.count <= 260)
  }

  @Test func work_for_loops_that_have_ended_is_dropped() throws {
    let loop = EmbeddedEventLoop()
    let (running, done) = (RunningLoops(), Tally())
    running.begin([loop])
    running.execute(on: loop) { _ = done.next() }
    running.end()
    running.execute(on: loop) { _ = done.next() }
    loop.run()
    #expect(done.value == 1)
    try loop.syncShutdownGracefully()
  }
}
