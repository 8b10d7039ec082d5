import FleetAccess
import Foundation
import TestKit
import Testing

@testable import FleetAccessTestKit
@testable import FleetstoreTestKit

/// Changes of factors and of the email address.
extension AccountKillTests {
  /// Adds one-time codes to an account. Returns the recovery codes.
  private static func addOneTimeCodes(_ site: Site, _ session: String) throws -> [String] {
    let begun = try site.send("POST", "/api/factors", #"{"kind":"totp"}"#, session: session)
    let id = (try begun.json["factor"] as? [String: Any])?["id"] as? String ?? ""
    let secret = try #require(try begun.json["secret"] as? String, "\(begun.text)")
    let code = try Tool.run("oathtool", ["--totp", "--base32", "-"], stdin: Array(secret.utf8)).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let confirmed = try site.send("POST", "/api/factors/\(id)/confirm", #"{"code":"\#(code)"}"#, session: session)
    return try #require(try confirmed.json["recoveryCodes"] as? [String], "\(confirmed.text)")
  }

  /// Signs in with a recovery code, and returns whether it was accepted.
  private static func accepts(_ code: String, _ site: Site, _ email: String) throws -> Bool {
    let ticket = try #require(try site.login(email, password).json["ticket"] as? String)
    let body = #"{"ticket":"\#(ticket)","kind":"recoveryCodes","code":"\#(code)"}"#
    return try site.send("POST", "/api/auth/factor", body).status == 200
  }

  @Test(arguments: Database.allCases)
  func recovery_codes_are_the_old_or_the_new_ones(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      for round in 0..<Self.rounds {
        let email = "bob\(round)@example.org"
        let (_, session) = try Self.person(email, site)
        let old = try Self.addOneTimeCodes(site, session)
        let answer = try site.sendAndKill(
          "POST", "/api/recovery-codes", "{}", session: session, after: Self.delay(round))
        let new = try answer?.json["recoveryCodes"] as? [String]
        let isOldAccepted = try Self.accepts(old[0], site, email)
        if let new {
          #expect(!isOldAccepted && new.count == 10)
          #expect(try Self.accepts(new[0], site, email))
        }
        // There is exactly one set. A person who got no answer has the old codes, or requests new ones.
        let listed = try site.send("GET", "/api/factors", session: session)
        let sets = (try listed.json["data"] as? [[String: Any]] ?? []).filter {
          $0["kind"] as? String == "recoveryCodes"
        }
        let used = isOldAccepted || new != nil ? 1 : 0
        #expect(sets.map { $0["codesLeft"] as? Int } == [10 - used], "\(listed.text)")
      }
    }
  }

  @Test(arguments: Database.allCases)
  func a_recovery_code_is_used_with_its_session_or_not_at_all(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      let (_, session) = try Self.person("bob@example.org", site)
      let codes = try Self.addOneTimeCodes(site, session)
      for round in 0..<Self.rounds {
        let ticket = try #require(try site.login("bob@example.org", Self.password).json["ticket"] as? String)
        let answer = try site.sendAndKill(
          "POST", "/api/auth/factor", #"{"ticket":"\#(ticket)","kind":"recoveryCodes","code":"\#(codes[round])"}"#,
          session: nil, after: Self.delay(round))
        let isUsed = try !Self.accepts(codes[round], site, "bob@example.org")
        if answer?.status == 200 {
          #expect(isUsed)
          #expect(try site.send("GET", "/api/auth/session", session: answer?.session).status == 200)
        }
        let sessions = try site.send("GET", "/api/sessions", session: session).json["data"] as? [[String: Any]] ?? []
        // The person's first session, and one for each code that was used so far.
        #expect(sessions.count == round + 2, "\(sessions)")
      }
    }
  }

  // MARK: Passkeys

  private static func challenge(_ answer: Site.Answer) throws -> [UInt8] {
    let options = try answer.json["publicKey"] as? [String: Any]
    return try #require((options?["challenge"] as? String).flatMap { Base64URL.bytes($0) }, "\(answer.text)")
  }

  private static func body(_ id: [UInt8], _ response: [String: [UInt8]]) -> String {
    let members = response.map { #""\#($0)":"\#(Base64URL.text($1))""# }.joined(separator: ",")
    return #"{"credential":{"id":"x","type":"public-key","rawId":"\#(Base64URL.text(id))","response":{\#(members)}}}"#
  }

  /// Returns an authenticator that knows the site's present address.
  private static func at(_ site: Site, _ authenticator: SoftwareAuthenticator) -> SoftwareAuthenticator {
    var there = authenticator
    there.relyingPartyId = "127.0.0.1"
    there.origin = "http://127.0.0.1:\(site.store.port)"
    return there
  }

  /// Returns the body that adds a passkey.
  private static func registration(
    _ authenticator: SoftwareAuthenticator, _ site: Site, _ session: String
  ) throws -> String {
    let options = try site.send("POST", "/api/auth/passkeys/registration", "{}", session: session)
    let made = at(site, authenticator).registration(try challenge(options))
    return body(authenticator.id, ["clientDataJSON": made.clientData, "attestationObject": made.attestation])
  }

  /// Signs in with a passkey, and returns the session; `nil` if the passkey is not accepted.
  private static func signIn(_ authenticator: SoftwareAuthenticator, _ site: Site, person: String) throws -> String? {
    let fresh = try challenge(try site.send("POST", "/api/auth/passkeys/assertion", "{}"))
    let handle = try #require(UUID(uuidString: person)).uuid
    let assertion = unsafe withUnsafeBytes(of: handle) {
      unsafe at(site, authenticator).assertion(fresh, userHandle: Array($0))
    }
    let answer = try site.send(
      "POST", "/api/auth/passkeys/login",
      body(
        authenticator.id,
        [
          "clientDataJSON": assertion.clientData, "authenticatorData": assertion.authenticatorData,
          "signature": assertion.signature, "userHandle": assertion.userHandle ?? [],
        ]))
    #expect(answer.status == 200 || answer.status == 401, "\(answer.text)")
    return answer.session
  }

  private static func passkeys(_ site: Site, _ session: String) throws -> [String] {
    let listed = try site.send("GET", "/api/factors", session: session)
    return (try listed.json["data"] as? [[String: Any]] ?? []).filter { $0["kind"] as? String == "passkey" }
      .compactMap { $0["id"] as? String }
  }

  @Test(arguments: Database.allCases)
  func a_passkey_is_added_and_removed_completely_or_not_at_all(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      for round in 0..<Self.rounds {
        let (id, session) = try Self.person("bob\(round)@example.org", site)
        var authenticator = SoftwareAuthenticator()
        authenticator.id = Array("credential-\(round)-0001".utf8)
        let answer = try site.sendAndKill(
          "POST", "/api/auth/passkeys", try Self.registration(authenticator, site, session), session: session,
          after: Self.delay(round))
        var isThere = try Self.signIn(authenticator, site, person: id) != nil
        #expect(try Self.passkeys(site, session).count == (isThere ? 1 : 0))
        if answer?.status == 201 { #expect(isThere) }
        if !isThere {
          // It can be added again.
          let again = try site.send(
            "POST", "/api/auth/passkeys", try Self.registration(authenticator, site, session), session: session)
          #expect(again.status == 201, "\(again.text)")
        }
        let factor = try #require(try Self.passkeys(site, session).first)
        let removed = try site.sendAndKill(
          "DELETE", "/api/factors/\(factor)", "{}", session: session, after: Self.delay(round))
        isThere = try Self.signIn(authenticator, site, person: id) != nil
        #expect(try Self.passkeys(site, session) == (isThere ? [factor] : []))
        if removed?.status == 204 { #expect(!isThere) }
      }
    }
  }

  // MARK: Email address

  @Test(arguments: Database.allCases)
  func an_email_address_is_the_old_or_the_new_one(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      let (id, session) = try Self.person("bob@example.org", site)
      var current = "bob@example.org"
      for round in 0..<Self.rounds {
        let admin = try #require(try site.login("ann@example.org", Self.password).session)
        let new = "bob-\(round)@example.org"
        let answer = try site.sendAndKill(
          "PATCH", "/api/people/\(id)", #"{"email":"\#(new)"}"#, session: admin, after: Self.delay(round))
        let accepted = try [current, new].filter { try site.login($0, Self.password).status == 200 }
        #expect(accepted.count == 1)
        if answer?.status == 200 { #expect(accepted == [new], "\(answer?.text ?? "")") }
        let shown = try site.send("GET", "/api/auth/session", session: session).json["person"] as? [String: Any]
        #expect(shown?["email"] as? String == accepted.first)
        let audit = try site.send("GET", "/api/audit?thing=\(id)&limit=200", session: admin)
        let entries = try audit.json["data"] as? [[String: Any]] ?? []
        let last = entries.compactMap { ($0["after"] as? [String: Any])?["email"] as? String }.first
        #expect(last == accepted.first, "\(audit.text)")
        current = accepted.first ?? current
      }
    }
  }
}
