import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Tenants in which a second factor is required, on both databases.
@Suite struct FactorRequirementTests {
  private static var options: ServerOptions { .test { $0.accounts.requiringFactor = [.standard] } }

  @Test(arguments: TestServer.Database.allCases)
  func a_session_without_a_second_factor_can_only_add_one(_ database: TestServer.Database) async throws {
    try await TestServer.run(Self.options, on: database) { server in
      try await server.addPerson("ann@example.com")
      let oathtool = try Tool.required("oathtool")
      try await runBlocking {
        let login = try server.asPage(
          nil, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#)
        #expect(try login.json["needsFactor"] as? Bool == true, "\(login.text)")
        let session = try #require(login.cookie("fleet-session"))
        let app = try server.accessToken("ann@example.com")
        for path in ["/api/vehicles", "/api/people", "/api/audit", "/api/exports", "/api/positions"] {
          #expect(try server.asPage(session, "GET", path).errorCode == "factorRequired", "\(path)")
          #expect(try server.client(app).send("GET", path).errorCode == "factorRequired", "\(path)")
        }
        let added = try server.asPage(session, "POST", "/api/vehicles", #"{"id":"X"}"#)
        #expect(added.errorCode == "factorRequired")
        let socket = try WebSocketTestClient(port: server.port, token: app)
        guard case .close(1_008, _) = try socket.close() else {
          Issue.record("a WebSocket was opened")
          return
        }
        let factor = try server.asPage(session, "POST", "/api/factors", #"{"kind":"totp"}"#)
        let seed = try #require(try factor.json["secret"] as? String)
        let id = try #require((try factor.json["factor"] as? [String: Any])?["id"] as? String)
        func confirm(_ code: String) throws -> TestClient.Reply {
          try server.asPage(session, "POST", "/api/factors/\(id)/confirm", #"{"code":"\#(code)"}"#)
        }
        #expect(try confirm("000000").status == 401)
        #expect(try server.asPage(session, "GET", "/api/vehicles").errorCode == "factorRequired")
        let code = try Tool.run(oathtool, ["--totp", "--base32", seed]).output.trimmingCharacters(in: .newlines)
        let confirmed = try confirm(code)
        let codes = try #require(try confirmed.json["recoveryCodes"] as? [String])
        // Of the two sessions, the one that added the factor may now do everything.
        #expect(try server.asPage(session, "GET", "/api/vehicles").status == 200)
        #expect(try server.asPage(session, "GET", "/api/auth/session").json["needsFactor"] == nil)
        #expect(try server.client(app).send("GET", "/api/vehicles").errorCode == "factorRequired")
        // The last factor stays.
        #expect(try server.asPage(session, "DELETE", "/api/factors/\(id)").errorCode == "factorRequired")
        #expect(try server.asPage(session, "GET", "/api/factors").list.count == 2)
        // Another sign-in asks for it.
        let step = try server.client().send(
          "POST", "/api/auth/token",
          json:
            #"{"grant":"password","email":"ann@example.com","password":"\#(TestServer.password)","code":"\#(codes[0])"}"#
        )
        let token = try #require(try step.json["accessToken"] as? String)
        #expect(try step.json["needsFactor"] == nil)
        #expect(try server.client(token).send("GET", "/api/vehicles").status == 200)
      }
    }
  }

  @Test func sessions_that_began_before_and_other_tenants_are_not_restricted() async throws {
    try await TestServer.run(.test { $0.accounts.requiringFactor = [TenantID("north")!] }) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        #expect(try server.asPage(session, "GET", "/api/vehicles").status == 200)
      }
    }
  }
}
