import FleetWeb
import TestKit
import Testing

@testable import FleetAPI

/// The files of the web app, as a browser receives them.
@Suite struct WebAnswersTests {
  private static func run(
    map: BaseMap? = nil, _ test: @escaping @Sendable (TestClient) throws -> Void
  ) async throws {
    let folder = try ScratchFolder()
    try folder.write(
      "site.json",
      #"""
      {"files":[{"path":"/index.html","type":"text/html; charset=utf-8","tag":"page","immutable":false,"codings":[]},
        {"path":"/app.js","type":"text/javascript","tag":"code","immutable":true,"codings":["br","gzip"]}]}
      """#)
    for (name, text) in [
      ("index.html", "<title>"), ("app.js", "a long text"), ("app.js.br", "b"), ("app.js.gz", "gz"),
    ] {
      try folder.write(name, text)
    }
    var site = try WebSite(folder: folder.path)
    site.map = map
    let made = site
    try await TestServer.run(web: made) { server in
      try await runBlocking { try test(try server.client()) }
    }
  }

  @Test func sends_the_coding_that_the_browser_accepts() async throws {
    try await Self.run { client in
      for (accepted, coding, text) in [
        (nil, nil, "a long text"), ("gzip, deflate, br, zstd", "br", "b"), ("gzip", "gzip", "gz"),
        ("br;q=0, gzip", "gzip", "gz"), ("identity", nil, "a long text"), ("*", "br", "b"),
      ] as [(String?, String?, String)] {
        let reply = try client.send("GET", "/app.js", headers: accepted.map { ["Accept-Encoding": $0] } ?? [:])
        #expect(reply.status == 200 && reply.headers["content-encoding"] == coding, "\(accepted ?? "none")")
        #expect(String(decoding: reply.body, as: UTF8.self) == text)
        #expect(reply.headers["vary"] == "Accept-Encoding")
        #expect(reply.headers["content-type"] == "text/javascript")
        #expect(reply.headers["cache-control"] == "public, max-age=31536000, immutable")
      }
    }
  }

  @Test func answers_304_if_the_browser_has_the_file() async throws {
    try await Self.run { client in
      let tag = try #require(try client.send("GET", "/").headers["etag"])
      let again = try client.send("GET", "/", headers: ["If-None-Match": tag])
      #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
      #expect(again.headers["cache-control"] == "no-cache")
      // Another coding is another representation.
      let packed = try client.send("GET", "/app.js", headers: ["If-None-Match": "\"code\"", "Accept-Encoding": "br"])
      #expect(packed.status == 200 && packed.headers["etag"] == "\"code-br\"")
    }
  }

  @Test func a_map_template_extends_the_policy_by_its_origin_only() async throws {
    let map = BaseMap(
      .template("https://tiles.example/{z}/{x}/{y}.png"), format: .png, attribution: "© A", zooms: 0...19)
    try await Self.run(map: map) { client in
      let policy = try #require(try client.send("GET", "/").headers["content-security-policy"])
      #expect(policy.contains("img-src 'self' data: blob: https://tiles.example;"))
      #expect(policy.contains("connect-src 'self' https://tiles.example;") && policy.contains("script-src 'self';"))
      let source = try client.send("GET", "/map/source.json")
      #expect(try source.json["tiles"] as? String == "https://tiles.example/{z}/{x}/{y}.png")
      #expect(try client.send("GET", "/map/tiles/0/0/0").status == 404)
    }
  }

  @Test func sends_the_tiles_of_a_file() async throws {
    struct Tiles: TileReader {
      func tile(zoom: Int, column: Int, row: Int) async throws -> [UInt8]? { column == 1 ? nil : [0x1F, 0x8B, 7] }
    }
    let map = BaseMap(.reader(Tiles()), format: .pbf, attribution: "", zooms: 0...3)
    try await Self.run(map: map) { client in
      let tile = try client.send("GET", "/map/tiles/2/0/3")
      #expect(tile.status == 200 && Array(tile.body) == [0x1F, 0x8B, 7] && tile.headers["content-encoding"] == "gzip")
      #expect(tile.headers["content-type"] == "application/x-protobuf")
      #expect(try client.send("GET", "/map/tiles/2/1/3").status == 204)
      #expect(try client.send("GET", "/map/tiles/4/0/0").status == 404)
    }
    try await Self.run { client in
      let source = try client.send("GET", "/map/source.json")
      #expect(source.status == 204)
    }
  }

  @Test func pages_may_run_only_scripts_of_the_server() async throws {
    try await Self.run { client in
      let reply = try client.send("GET", "/")
      let policy = try #require(reply.headers["content-security-policy"])
      #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"))
      #expect(!policy.contains("unsafe"))
      #expect(reply.headers["x-content-type-options"] == "nosniff")
    }
  }

  @Test func gives_the_page_only_to_browsers_and_only_outside_the_API() async throws {
    try await Self.run { client in
      let page = ["Accept": "text/html,application/xhtml+xml"]
      #expect(try client.send("GET", "/vehicles/VAN-001", headers: page).status == 200)
      #expect(try client.send("GET", "/vehicles/VAN-001").status == 404)
      #expect(try client.send("GET", "/api/none", headers: page).status == 404)
      #expect(try client.send("GET", "/ws", headers: page).status == 426)
      #expect(try client.send("POST", "/", headers: page).status == 404)
      #expect(try client.send("GET", "/api/health").status == 200)
      let head = try client.send("HEAD", "/")
      #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "7")
    }
  }
}
