import FleetAccess
import FleetDomain
import Foundation
import Synchronization
import TestKit
import Testing

@testable import FleetAPI

/// Sign-ins with a one-time code as the second factor.
@Suite struct SecondFactorTests {
  @Test func one_time_codes_need_keys_in_a_file() async throws {
    let options = ServerOptions.test { $0.accounts = AccountSettings() }
    try await TestServer.run(options) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        let reply = try server.asPage(session, "POST", "/api/factors", #"{"kind":"totp"}"#)
        #expect(reply.status == 409 && reply.errorCode == "noSecretKeys" && reply.text.contains("secretKeysFile"))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func one_time_codes_are_needed_and_each_is_good_once(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      let oathtool = try Tool.required("oathtool")
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        let added = try server.asPage(session, "POST", "/api/factors", #"{"kind":"totp","name":"Phone"}"#)
        #expect(added.status == 201)
        let seed = try #require(try added.json["secret"] as? String)
        let id = try #require((try added.json["factor"] as? [String: Any])?["id"] as? String)
        // It is not confirmed, so it is not requested.
        #expect(try server.signIn("ann@example.com").hasPrefix("fss_"))
        /// Returns a code that another implementation computes, for a step relative to the present one.
        func code(_ step: Int) throws -> String {
          let time = Int(Date().timeIntervalSince1970) + step * 30
          let ran = try Tool.run(oathtool, ["--totp", "--base32", "--now", "@\(time)", seed])
          return String(decoding: ran.stdout, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let confirmed = try server.asPage(
          session, "POST", "/api/factors/\(id)/confirm", #"{"code":"\#(try code(-1))"}"#)
        let recovery = try #require(try confirmed.json["recoveryCodes"] as? [String])
        #expect(confirmed.status == 200 && Set(recovery).count == 10)
        func ticket() throws -> String {
          let reply = try server.asPage(
            nil, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#)
          #expect(try reply.json["next"] as? String == "factor")
          #expect(reply.cookies.isEmpty)
          return try #require(try reply.json["ticket"] as? String)
        }
        func answer(_ ticket: String, _ code: String, _ kind: String? = "totp") throws -> TestClient.Reply {
          let form = kind.map { #""kind":"\#($0)","# } ?? ""
          return try server.asPage(
            nil, "POST", "/api/auth/factor", #"{"ticket":"\#(ticket)",\#(form)"code":"\#(code)"}"#)
        }
        let first = try ticket()
        let good = try code(0)
        #expect(try answer(first, "000000").status == 401)
        #expect(try answer(first, good).cookie("fleet-session") != nil)
        // The ticket and the code were used.
        #expect(try answer(first, try code(1)).errorCode == "expiredTicket")
        #expect(try answer(try ticket(), good).errorCode == "wrongFactor")
        let byRecovery = try answer(try ticket(), recovery[3].lowercased(), "recoveryCodes")
        #expect(byRecovery.cookie("fleet-session") != nil)
        #expect(try answer(try ticket(), recovery[3], "recoveryCodes").errorCode == "wrongFactor")
        // Without a kind, the length of the code determines it.
        #expect(try answer(try ticket(), recovery[5], nil).cookie("fleet-session") != nil)
        #expect(try answer(try ticket(), "000000", nil).errorCode == "wrongFactor")
        // After five wrong answers the password is needed again.
        let tried = try ticket()
        for _ in 0..<5 { #expect(try answer(tried, "123456").status == 401) }
        #expect(try answer(tried, recovery[4], "recoveryCodes").errorCode == "expiredTicket")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_new_password_never_skips_the_second_factor(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let ann = try await server.addPerson("ann@example.com")
      let secret = Secret(.ticket, of: "default")
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        var factor = Factor()
        factor.personID = ann.id
        factor.form = .totp
        factor.name = "Phone"
        factor.isConfirmed = true
        try transaction.insert(factor)
        try transaction.issueTicket(.recovery, secret.hash, of: ann.id, seconds: 60)
      }
      try await runBlocking {
        let reply = try server.asPage(
          nil, "POST", "/api/auth/reset", #"{"token":"\#(secret.text)","password":"another long password"}"#)
        #expect(reply.status == 200)
        #expect(try reply.json["next"] as? String == "factor")
        #expect(reply.cookies.isEmpty)
        let again = try server.asPage(
          nil, "POST", "/api/auth/reset", #"{"token":"\#(secret.text)","password":"another long password 2"}"#)
        #expect(again.errorCode == "expiredLink")
      }
    }
  }
}
