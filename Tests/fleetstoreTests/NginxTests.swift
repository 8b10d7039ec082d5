import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// A fleet store behind a real nginx, configured as docs/FleetStore.md states.
@Suite struct NginxTests {
  private static let password = "correct horse battery"
  /// Headers with which a client pretends to be another one, over another protocol.
  private static let forged = [
    "-H", "X-Forwarded-For: 198.51.100.7", "-H", "X-Forwarded-Proto: http", "-H",
    "Forwarded: for=198.51.100.8;proto=http", "-H", "X-Real-IP: 198.51.100.9",
  ]

  private final class Site {
    let scratch: ScratchFolder
    let store: ServedStore
    let proxy: Nginx
    /// The value of the administrator's session cookie.
    let session: String
    /// All cookies of the sign-in, as the server has set them.
    let cookies: [String]

    init() throws {
      scratch = try ScratchFolder()
      let settings = try scratch.write("c.json", #"{"database":"sqlite:fleet.db","trustedProxies":["127.0.0.1"]}"#)
      store = try ServedStore(["--config", settings])
      do {
        proxy = try Nginx(to: store.port)
        let link = try FleetstoreProgram.run(["setup", "--config", settings], in: scratch.path).output
        let token = try #require(
          link.split(separator: "#").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) })
        let body =
          #"{"token":"\#(token)","password":"\#(NginxTests.password)","email":"ann@example.org","firstName":"A","lastName":"L"}"#
        let answer = try proxy.curl(
          ["-X", "POST", "-H", "Origin: \(proxy.url)", "--json", body, "\(proxy.url)/api/auth/setup"], from: 7)
        try #require(answer.head.contains(" 200"), "\(answer)")
        let found = answer.head.components(separatedBy: "\r\n").compactMap { line -> String? in
          line.lowercased().hasPrefix("set-cookie: ") ? String(line.dropFirst(12)) : nil
        }
        cookies = found
        session = try #require(
          found.first { $0.hasPrefix("__Host-fleet-session=") }?.split(separator: ";").first.map {
            String($0.dropFirst("__Host-fleet-session=".count))
          }, "\(answer.head)")
      } catch {
        store.program.kill()
        throw error
      }
    }

    deinit { store.program.kill() }

    var cookie: [String] { ["-H", "Cookie: __Host-fleet-session=\(session)"] }

    /// The address of the current session's last request, as the server shows it.
    func address(_ sessions: String) throws -> String? {
      let json = try JSONSerialization.jsonObject(with: Data(sessions.utf8)) as? [String: Any]
      let list = json?["data"] as? [[String: Any]] ?? []
      return list.first { $0["isCurrent"] as? Bool == true }?["address"] as? String
    }
  }

  @Test func people_sign_in_over_tls_with_cookies_of_this_host() async throws {
    try await runBlocking {
      let site = try Site()
      #expect(site.cookies.count == 2)
      for cookie in site.cookies {
        #expect(cookie.hasPrefix("__Host-"), "\(cookie)")
        for attribute in ["; Secure", "; HttpOnly", "; SameSite=Lax", "; Path=/"] {
          #expect(cookie.contains(attribute), "\(cookie)")
        }
        #expect(!cookie.lowercased().contains("domain"))
      }
      let own = try site.proxy.curl(site.cookie + ["\(site.proxy.url)/api/auth/session"])
      #expect(own.head.contains(" 200") && own.body.contains("ann@example.org"), "\(own)")
      #expect(own.head.lowercased().contains("strict-transport-security: max-age=31536000"))
      // Another page cannot use the cookie, whatever it says about itself.
      let url = "\(site.proxy.url)/api/auth/logout"
      for origin in ["https://evil.example", "https://localhost:1", "null"] {
        let foreign = try site.proxy.curl(site.cookie + ["-X", "POST", "-H", "Origin: \(origin)", url])
        #expect(foreign.head.contains(" 403") && foreign.body.contains("crossSite"), "\(origin): \(foreign)")
      }
      let out = try site.proxy.curl(site.cookie + ["-X", "POST", "-H", "Origin: \(site.proxy.url)", url])
      #expect(out.head.contains(" 204") || out.head.contains(" 200"), "\(out)")
    }
  }

  @Test func the_address_and_protocol_are_those_that_nginx_saw() async throws {
    try await runBlocking {
      let site = try Site()
      let url = "\(site.proxy.url)/api/sessions"
      for headers in [[], Self.forged, ["-H", "X-Forwarded-For: 127.0.0.1, 198.51.100.7, 127.0.0.1"]] {
        let login = try site.proxy.curl(
          headers + [
            "-X", "POST", "-H", "Origin: \(site.proxy.url)", "--json",
            #"{"email":"ann@example.org","password":"\#(Self.password)"}"#, "\(site.proxy.url)/api/auth/login",
          ], from: 9)
        #expect(login.head.contains(" 200") && login.head.contains("__Host-fleet-session="), "\(login)")
        let session = login.head.components(separatedBy: "__Host-fleet-session=").dropFirst().first?.prefix {
          $0 != ";"
        }
        let listed = try site.proxy.curl(
          headers + ["-H", "Cookie: __Host-fleet-session=\(session ?? "")", url], from: 9)
        #expect(try site.address(listed.body) == "127.0.0.9", "\(headers): \(listed.body)")
        #expect(listed.head.lowercased().contains("strict-transport-security"))
      }
      // The audit has the same address.
      let audit = try site.proxy.curl(site.cookie + ["\(site.proxy.url)/api/audit?limit=200"])
      #expect(audit.body.contains(#""address":"127.0.0.9""#) && !audit.body.contains("198.51.100"), "\(audit.body)")
    }
  }

  /// A client that reaches the server past the proxy is not believed.
  @Test func headers_of_other_clients_are_ignored() async throws {
    try await runBlocking {
      let site = try Site()
      let url = "http://127.0.0.1:\(site.store.port)"
      let secure = ["-H", "X-Forwarded-For: 198.51.100.7", "-H", "X-Forwarded-Proto: https"]
      let health = try Nginx.curl(["--interface", "127.0.0.7"] + secure + ["\(url)/api/health"])
      #expect(health.head.contains(" 200") && !health.head.lowercased().contains("strict-transport"), "\(health)")
      // The cookie with the prefix is valid only over TLS.
      let session = try Nginx.curl(["--interface", "127.0.0.7"] + secure + site.cookie + ["\(url)/api/auth/session"])
      #expect(session.head.contains(" 401"), "\(session)")
    }
  }

  @Test func a_websocket_passes_and_belongs_to_the_session() async throws {
    try await runBlocking {
      let site = try Site()
      let program = """
        import sys, ssl, json, websocket
        url, authority, cookie, origin = sys.argv[1:]
        socket = websocket.create_connection(url, sslopt={"ca_certs": authority}, cookie=cookie, origin=origin, timeout=60)
        print(json.loads(socket.recv())["event"], flush=True)
        socket.send(json.dumps({"action": "subscribe", "channel": "fleet"}))
        print(json.loads(socket.recv())["event"], flush=True)
        while True:
            opcode, data = socket.recv_data()
            if opcode == websocket.ABNF.OPCODE_CLOSE:
                print("close", int.from_bytes(data[:2], "big"), flush=True)
                break
            print(json.loads(data)["event"], flush=True)
        """
      let python = try Tool.python(with: "websocket")
      let url = "wss://localhost:\(site.proxy.port)/ws"
      let client = try RunningProgram(
        python, ["-c", program, url, site.proxy.authority, "__Host-fleet-session=\(site.session)", site.proxy.url])
      defer { client.kill() }
      for event in ["authenticated", "subscribed"] { try client.line(within: .seconds(60)) { $0 == event } }
      let record =
        #"{"type":"telemetry","id":"019df1ad-ee28-716a-aa27-000000000001","timestamp":"2026-05-04T06:30:01Z","#
        + #""timeQuality":"gps","gatewayId":"gw-1","vehicleId":"VAN-1","#
        + #""epoch":"019df1ad-ee28-716a-aa27-aa9ecdc9b1c9","seq":1,"speed":12.5}"#
      let sent = try site.store.request(
        "/api/telemetry", token: site.store.token, ["-H", "Content-Type: application/jsonl", "--data-raw", record])
      #expect(sent.contains(#""stored":1"#), "\(sent)")
      try client.line(within: .seconds(60)) { $0 == "record" }
      let out = try site.proxy.curl(
        site.cookie + ["-X", "POST", "-H", "Origin: \(site.proxy.url)", "\(site.proxy.url)/api/auth/logout"])
      #expect(out.head.contains(" 204") || out.head.contains(" 200"), "\(out)")
      try client.line(within: .seconds(60)) { $0 == "close 1008" }
      // A page of another site cannot open one with the cookie.
      let foreign = try Tool.run(
        python,
        ["-c", program, url, site.proxy.authority, "__Host-fleet-session=\(site.session)", "https://evil.example"])
      #expect(foreign.status != 0 && foreign.errors.contains("403"), "\(foreign.errors)")
    }
  }
}
