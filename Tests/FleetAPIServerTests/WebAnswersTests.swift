import FleetWeb
import TestKit
import Testing

@testable import FleetAPI

/// The files of the web app, as a browser receives them.
@Suite struct WebAnswersTests {
  private static func run(_ test: @escaping @Sendable (TestClient) throws -> Void) async throws {
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
    let site = try WebSite(folder: folder.path)
    try await TestServer.run(web: site) { server in
      try await aside { try test(try server.client()) }
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
