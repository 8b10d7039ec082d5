import FleetAccess
import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Factors that a person begins to add, and confirms later.
@Suite struct FactorRoutesTests {
  private static let keys = SecretKeys(file: String(repeating: "7", count: 64))!

  private static var options: ServerOptions {
    .test { options in
      options.accounts.use(keys)
      options.accounts.publicURL = "https://fleet.example"
      options.accounts.sendsMail = true
    }
  }

  private static func begin(
    _ kind: String, _ session: String, _ server: TestServer
  ) throws -> (id: String, secret: String?) {
    let reply = try server.asPage(session, "POST", "/api/factors", #"{"kind":"\#(kind)"}"#)
    #expect(reply.status == 201, "\(reply.text)")
    let factor = try reply.json["factor"] as? [String: Any]
    return (try #require(factor?["id"] as? String), try reply.json["secret"] as? String)
  }

  private static func confirm(
    _ id: String, secret: String?, _ session: String, _ server: TestServer
  ) throws -> TestClient.Reply {
    let code = try Tool.run("oathtool", ["--totp", "--base32", "-"], stdin: Array((secret ?? "").utf8)).output
    let digits = code.trimmingCharacters(in: .whitespacesAndNewlines)
    return try server.asPage(session, "POST", "/api/factors/\(id)/confirm", #"{"code":"\#(digits)"}"#)
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_unconfirmed_factor_is_replaced_only_by_one_of_its_form(_ database: TestServer.Database) async throws {
    try await TestServer.run(Self.options, on: database) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        let first = try Self.begin("totp", session, server)
        let mail = try Self.begin("emailCode", session, server)
        let second = try Self.begin("totp", session, server)
        let listed = try server.asPage(session, "GET", "/api/factors").list.compactMap { $0["id"] as? String }
        #expect(Set(listed) == [mail.id, second.id])
        // The app that shows the QR code may begin codes by email before the person has entered the first code.
        #expect(try Self.confirm(first.id, secret: first.secret, session, server).status == 404)
        let third = try Self.begin("emailCode", session, server)
        #expect(try Self.confirm(second.id, secret: second.secret, session, server).status == 200)
        let left = try server.asPage(session, "GET", "/api/factors").list
        #expect(Set(left.compactMap { $0["kind"] as? String }) == ["totp", "emailCode", "recoveryCodes"])
        #expect(left.contains { $0["id"] as? String == third.id && $0["isConfirmed"] as? Bool != true })
      }
    }
  }
}
