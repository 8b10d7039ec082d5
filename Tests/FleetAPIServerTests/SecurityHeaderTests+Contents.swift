import FleetAccess
import FleetDomain
import FleetWeb
import Foundation
import TestKit
import Testing

@testable import FleetAPI

extension SecurityHeaderTests {
  private static let secured = ServerOptions.test { options in
    options.proxies = TrustedProxies([AddressNetwork("127.0.0.1")!])
  }

  private static func check(_ reply: TestClient.Reply, _ status: Int, _ what: String) {
    #expect(reply.status == status, "\(what): \(reply.status) \(reply.text.prefix(200))")
    #expect(reply.headers["x-content-type-options"] == "nosniff", "\(what)")
    let policy = reply.headers["content-security-policy"] ?? ""
    #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"), "\(what): \(policy)")
    #expect(reply.headers["referrer-policy"] == "no-referrer", "\(what)")
    #expect(reply.headers["strict-transport-security"] == "max-age=31536000", "\(what)")
    #expect(reply.headers["cache-control"] != nil, "\(what)")
  }

  /// Contents that a browser could interpret: files that people have uploaded, and exports.
  @Test func files_and_exports_have_the_headers() async throws {
    try await TestServer.run(Self.secured) { server in
      try await runBlocking {
        let tls = ["X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"]
        let client = try server.client(server.keys.admin)
        func get(_ path: String, _ status: Int = 200, _ more: [String: String] = [:]) throws -> TestClient.Reply {
          let reply = try client.send("GET", path, headers: tls.merging(more) { $1 })
          Self.check(reply, status, "GET \(path)")
          return reply
        }
        let page = Array("<!doctype html><script>alert(1)</script>".utf8)
        let id = try FileRoutesTests.upload(client, page, name: "page.html")
        _ = try FileRoutesTests.finished(client, id)
        let content = try get("/api/files/\(id)/content")
        #expect(content.body == page)
        // A browser stores the file, and does not show it as a page of this server.
        #expect(content.headers["content-disposition"]?.hasPrefix("attachment") == true)
        #expect(content.headers["content-type"]?.contains("html") != true, "\(content.headers)")
        if let tag = content.headers["etag"] { _ = try get("/api/files/\(id)/content", 304, ["If-None-Match": tag]) }
        _ = try get("/api/files/\(id)/content", 206, ["Range": "bytes=0-3"])
        _ = try get("/api/files/\(id)/content", 416, ["Range": "bytes=999999-"])
        for format in ["csv", "xlsx"] { _ = try get("/api/vehicles?format=\(format)") }
        _ = try get("/api/exports")
        _ = try get("/api/openapi.json")
        _ = try get("/metrics", 404)
        _ = try get("/api/vehicles/VAN-9", 404)
        let head = try client.send("HEAD", "/api/vehicles", headers: tls)
        Self.check(head, 200, "HEAD")
      }
    }
  }

  /// Errors of each step of a request: its line and headers, the route, the body, the preconditions, the storage.
  @Test func errors_of_every_kind_have_the_headers() async throws {
    try await TestServer.run(Self.secured) { server in
      _ = server.storage.fail(.health, times: 100)
      try await runBlocking {
        let tls = ["X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"]
        func send(
          _ method: String, _ path: String, _ body: String?, _ status: Int, _ more: [String: String] = [:]
        ) throws {
          let client = try server.client(server.keys.admin)
          let reply = try client.send(method, path, body.map { Array($0.utf8) }, headers: tls.merging(more) { $1 })
          Self.check(reply, status, "\(method) \(path) \(status)")
        }
        let json = ["Content-Type": "application/json"]
        try send("POST", "/api/vehicles", "{", 400, json)
        try send("POST", "/api/fleets", #"{"name":5}"#, 422, json)
        try send("PATCH", "/api/vehicles/VAN-1", #"{"name":"x"}"#, 428, json)
        try send("GET", "/api/health", nil, 503)
      }
    }
  }

  @Test func pages_have_the_headers_and_a_window_of_their_own() async throws {
    let folder = try ScratchFolder()
    try folder.write(
      "site.json",
      #"{"files":[{"path":"/index.html","type":"text/html; charset=utf-8","tag":"t","immutable":false,"codings":[]}]}"#)
    try folder.write("index.html", "<title>")
    let site = try WebSite(folder: folder.path)
    try await TestServer.run(Self.secured, web: site) { server in
      try await runBlocking {
        let tls = ["X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"]
        for (path, status, more) in [
          ("/", 200, [:]), ("/", 304, ["If-None-Match": "\"t\""]), ("/vehicles", 200, ["Accept": "text/html"]),
          ("/none.js", 404, [:]),
        ] as [(String, Int, [String: String])] {
          let reply = try server.client().send("GET", path, headers: tls.merging(more) { $1 })
          Self.check(reply, status, path)
          // Pages of other sites that open one of these get no access to its window.
          if status != 404 { #expect(reply.headers["cross-origin-opener-policy"] == "same-origin", "\(path)") }
        }
      }
    }
  }
}
