import FleetAccess
import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// The headers and cookies that protect browsers.
@Suite struct SecurityHeaderTests {
  private static let tls = ["X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"]
  private static let behindProxy = ServerOptions.test { options in
    options.proxies = TrustedProxies([AddressNetwork("127.0.0.1")!])
  }

  @Test func every_answer_of_every_route_has_the_headers() async throws {
    try await TestServer.run(Self.behindProxy) { server in
      let routes = FleetRoutes.table(of: server.storage).routes
      try await runBlocking {
        var statuses: Set<Int> = []
        func check(_ reply: TestClient.Reply, _ what: String) {
          statuses.insert(reply.status)
          #expect(reply.headers["x-content-type-options"] == "nosniff", "\(what)")
          #expect(reply.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true, "\(what)")
          #expect(reply.headers["content-security-policy"]?.contains("default-src 'none'") == true, "\(what)")
          #expect(reply.headers["referrer-policy"] == "no-referrer", "\(what)")
          #expect(reply.headers["cache-control"] != nil, "\(what)")
          #expect(reply.headers["strict-transport-security"] == "max-age=31536000", "\(what)")
        }
        for route in routes {
          let path = route.path.text.replacing("{vehicleId}", with: "VAN-1").replacing("{gatewayId}", with: "gw-1")
          for token in [nil, server.keys.admin, server.keys.gateway] {
            let body = route.method == .get ? nil : Array("{}".utf8)
            var headers = Self.tls
            if body != nil { headers["Content-Type"] = "application/json" }
            let reply = try server.client(token).send(route.method.rawValue, path, body, headers: headers)
            check(reply, "\(route.method) \(path) \(reply.status)")
          }
        }
        for (method, path) in [("GET", "/none"), ("DELETE", "/api/health"), ("GET", "/api/vehicles?x=1")] {
          check(try server.client(server.keys.admin).send(method, path, headers: Self.tls), "\(method) \(path)")
        }
        #expect(statuses.isSuperset(of: [200, 400, 401, 403, 404, 405]))
        // Over plain HTTP, browsers ignore the header, and it would be wrong if there is no HTTPS.
        #expect(try server.client().send("GET", "/api/health").headers["strict-transport-security"] == nil)
      }
    }
  }

  /// RFC 6265bis, section 4.1.3.2: the prefix requires `Secure`, `Path=/` and no `Domain`.
  @Test func cookies_over_tls_are_bound_to_this_host() async throws {
    try await TestServer.run(Self.behindProxy) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let login = #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#
        let reply = try server.asPage(nil, "POST", "/api/auth/login", login, headers: Self.tls)
        #expect(reply.status == 200 && reply.cookies.count == 2, "\(reply.text)")
        for cookie in reply.cookies {
          let attributes = cookie.split(separator: ";").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
          #expect(cookie.hasPrefix("__Host-fleet-"), "\(cookie)")
          #expect(
            Set(attributes).isSuperset(of: ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"])
              && !attributes.contains { $0.lowercased().hasPrefix("domain") }, "\(cookie)")
        }
        let session = try #require(reply.cookie("__Host-fleet-session"))
        func status(_ name: String, _ headers: [String: String]) throws -> Int {
          try server.client().send(
            "GET", "/api/auth/session", headers: headers.merging(["Cookie": "\(name)=\(session)"]) { $1 }
          ).status
        }
        #expect(try status("__Host-fleet-session", Self.tls) == 200)
        // Another host of the domain, or a page without TLS, can set a cookie without the prefix.
        #expect(try status("fleet-session", Self.tls) == 401)
        #expect(try status("__Host-fleet-session", ["X-Forwarded-For": "192.0.2.1"]) == 401)
      }
    }
  }
}
