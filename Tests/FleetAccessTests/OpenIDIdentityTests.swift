import Crypto
import CryptoExtras
import FleetDomain
import Telemetry
import Testing

@testable import FleetAccess

/// ID tokens and logout tokens of an honest provider and of hostile ones.
@Suite struct OpenIDIdentityTests {
  /// A provider's private keys.
  struct Signer: Sendable {
    static let rsa = try! _RSA.Signing.PrivateKey(keySize: .bits2048)
    static let elliptic = P256.Signing.PrivateKey()
    static let edwards = Curve25519.Signing.PrivateKey()

    /// Returns the public keys as a provider publishes them. Like those of Entra ID, they have no `alg`.
    static func published() throws -> JSON {
      func text(_ bytes: some Sequence<UInt8>) -> JSON { .text(Base64URL.text(Array(bytes))) }
      let point = elliptic.publicKey.rawRepresentation
      let primitives = try rsa.publicKey.getKeyPrimitives()
      return .object([
        "keys": .array([
          .object([
            "kty": .text("RSA"), "kid": .text("rsa"), "n": text(primitives.modulus),
            "e": text(primitives.publicExponent),
          ]),
          .object([
            "kty": .text("EC"), "crv": .text("P-256"), "kid": .text("ec"), "x": text(point.prefix(32)),
            "y": text(point.suffix(32)),
          ]),
          .object([
            "kty": .text("OKP"), "crv": .text("Ed25519"), "kid": .text("ed"),
            "x": text(edwards.publicKey.rawRepresentation), "use": .text("sig"), "alg": .text("EdDSA"),
          ]),
          // Keys that the reader must leave out.
          .object(["kty": .text("oct"), "kid": .text("shared"), "k": .text("AAAA")]),
          .object([
            "kty": .text("RSA"), "kid": .text("enc"), "use": .text("enc"), "n": text(primitives.modulus),
            "e": text(primitives.publicExponent),
          ]),
          .object(["kty": .text("RSA"), "kid": .text("short"), "n": .text("AQAB"), "e": .text("AQAB")]),
          .object(["kty": .text("RSA"), "n": text(primitives.modulus), "e": text(primitives.publicExponent)]),
        ])
      ])
    }

    static func token(_ head: JSON, _ claims: JSON, _ sign: ([UInt8]) throws -> [UInt8]) rethrows -> String {
      let signed = [head, claims].map { Base64URL.text(Array($0.canonicalText.utf8)) }.joined(separator: ".")
      return "\(signed).\(Base64URL.text(try sign(Array(signed.utf8))))"
    }

    static func token(_ claims: JSON, algorithm: String = "RS256", key: String = "rsa") throws -> String {
      try token(.object(["alg": .text(algorithm), "kid": .text(key)]), claims) { bytes in
        switch key {
        case "ec": Array(try elliptic.signature(for: bytes).rawRepresentation)
        case "ed": Array(try edwards.signature(for: bytes))
        default: Array(try rsa.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
      }
    }
  }

  private static let seconds: Int64 = 1_795_442_709
  private static let now = Timestamp(nanoseconds: seconds * 1_000_000_000)
  private static let logout = "http://schemas.openid.net/event/backchannel-logout"

  private static var provider: OpenIDProvider {
    OpenIDProvider(id: "test", name: "Test", issuer: "https://id.example/a", clientID: "fleet")
  }

  private static var claims: [String: JSON] {
    [
      "iss": .text("https://id.example/a"), "aud": .text("fleet"), "sub": .text("ann-1"), "nonce": .text("n-1"),
      "iat": .integer(seconds - 5), "exp": .integer(seconds + 300), "email": .text("Ann@Example.org"),
    ]
  }

  private static func read(
    _ text: String, _ provider: OpenIDProvider = provider, accessToken: String? = "at"
  ) throws -> OpenIDIdentity {
    try OpenIDIdentity(
      idToken: JSONWebToken(text), OpenIDKeys(try Signer.published()), of: provider, nonce: "n-1",
      accessToken: accessToken, at: now)
  }

  /// Returns the kind of error that some work throws; `nil` if it throws none.
  private static func kind(_ work: () throws -> some Any) -> OpenIDError.Kind? {
    do {
      _ = try work()
      return nil
    } catch {
      return (error as? OpenIDError)?.kind
    }
  }

  @Test(arguments: [("RS256", "rsa"), ("ES256", "ec"), ("EdDSA", "ed")])
  func a_right_token_is_accepted(_ algorithm: String, _ key: String) throws {
    let identity = try Self.read(try Signer.token(.object(Self.claims), algorithm: algorithm, key: key))
    #expect(identity.issuer == "https://id.example/a" && identity.subject == "ann-1" && identity.session == nil)
    #expect(identity.email?.text == "ann@example.org" && identity.verifiedEmail == nil)
  }

  /// Changes of the claims, each with the reason why the token is then refused.
  static let hostile: [([String: JSON?], OpenIDError.Kind)] = [
    (["iss": .text("https://id.example/b")], .wrongIssuer), (["iss": .text("https://id.example/a/")], .wrongIssuer),
    (["iss": .text("HTTPS://id.example/a")], .wrongIssuer), (["iss": nil], .wrongIssuer),
    (["iss": .array([.text("https://id.example/a")])], .wrongIssuer),
    (["aud": .text("other")], .wrongAudience), (["aud": nil], .wrongAudience),
    (["aud": .array([])], .wrongAudience), (["aud": .array([.text("fleet"), .text("other")])], .wrongAudience),
    (["aud": .array([.text("fleet"), .text("other")]), "azp": .text("other")], .wrongAudience),
    (["azp": .text("other")], .wrongAudience), (["azp": .null], .wrongAudience),
    (["nonce": .text("n-2")], .wrongNonce), (["nonce": nil], .wrongNonce), (["nonce": .text("")], .wrongNonce),
    (["nonce": .array([.text("n-1")])], .wrongNonce),
    (["exp": .integer(seconds - 61)], .expired), (["exp": nil], .expired),
    (["exp": .text("1895442709")], .expired), (["exp": .number(-1e300)], .expired),
    (["iat": .integer(seconds + 61)], .notYetValid), (["iat": nil], .notYetValid),
    (["nbf": .integer(seconds + 61)], .notYetValid), (["nbf": .text("now")], .notYetValid),
    (["at_hash": .text("AAAA")], .wrongAccessToken), (["at_hash": .null], .wrongAccessToken),
    (["sub": nil], .malformed), (["sub": .text("")], .malformed), (["sub": .integer(1)], .malformed),
    (["sub": .text(String(repeating: "x", count: 256))], .malformed), (["sub": .text("a\nb")], .malformed),
    (["sid": .integer(1)], .malformed),
  ]

  @Test(arguments: hostile)
  func a_token_with_a_wrong_claim_is_refused(_ change: [String: JSON?], _ kind: OpenIDError.Kind) throws {
    var claims = Self.claims
    for (key, value) in change { claims[key] = value }
    let text = try Signer.token(.object(claims))
    #expect(Self.kind { try Self.read(text) } == kind)
  }

  @Test func clocks_may_differ_by_a_minute() throws {
    var claims = Self.claims
    claims["exp"] = .integer(Self.seconds - 59)
    claims["iat"] = .integer(Self.seconds + 60)
    claims["nbf"] = .integer(Self.seconds + 60)
    #expect(try Self.read(try Signer.token(.object(claims))).subject == "ann-1")
  }

  /// The example of a hash in section A.3 of OpenID Connect Core 1.0.
  @Test func the_hash_of_the_access_token_is_checked_if_there_is_one() throws {
    var claims = Self.claims
    claims["at_hash"] = .text("77QmUPtjPfzWtF2AnpK9RQ")
    let text = try Signer.token(.object(claims))
    #expect(try Self.read(text, accessToken: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y").subject == "ann-1")
    for other in ["jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Z", "", nil] {
      #expect(Self.kind { try Self.read(text, accessToken: other) } == .wrongAccessToken)
    }
  }

  @Test func the_algorithm_is_that_of_the_key() throws {
    let claims = JSON.object(Self.claims)
    func kind(_ text: String) -> OpenIDError.Kind? { Self.kind { try Self.read(text) } }
    func head(_ algorithm: String, _ key: String = "rsa") -> JSON {
      .object(["alg": .text(algorithm), "kid": .text(key)])
    }
    for algorithm in ["none", "None", "HS256", "RS512", "PS256", "ES256", "rs256", ""] {
      #expect(kind(Signer.token(head(algorithm), claims) { _ in [] }) == .wrongAlgorithm, "\(algorithm)")
    }
    // The token is signed with the public key as a shared secret, in each form that attackers try.
    let modulus = try Signer.rsa.publicKey.getKeyPrimitives().modulus
    for secret in [
      Array(Signer.rsa.publicKey.pemRepresentation.utf8), Array(Signer.rsa.publicKey.derRepresentation), Array(modulus),
    ] {
      let forged = Signer.token(head("HS256"), claims) { bytes in
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: secret)))
      }
      #expect(kind(forged) == .wrongAlgorithm)
    }
    #expect(kind(try Signer.token(claims, algorithm: "RS256", key: "ec")) == .wrongAlgorithm)
    for key in ["shared", "enc", "short", "none", ""] {
      #expect(kind(Signer.token(head("RS256", key), claims) { _ in [] }) == .unknownKey)
    }
    #expect(kind(Signer.token(head("RS256"), claims) { _ in [] }) == .wrongSignature)
    #expect(
      kind(Signer.token(head("ES256", "ec"), claims) { _ in [UInt8](repeating: 0, count: 64) }) == .wrongSignature)
    #expect(kind(Signer.token(.object(["alg": .text("RS256")]), claims) { _ in [] }) == .unknownKey)
    #expect(kind(Signer.token(.object(["kid": .text("rsa")]), claims) { _ in [] }) == .wrongAlgorithm)
    let critical = JSON.object(["alg": .text("RS256"), "kid": .text("rsa"), "crit": .array([.text("b64")])])
    #expect(kind(Signer.token(critical, claims) { _ in [] }) == .malformed)
  }

  @Test func a_token_that_was_changed_is_refused() throws {
    let text = try Signer.token(.object(Self.claims))
    var accepted = 0
    for place in stride(from: 0, to: text.utf8.count, by: 7) {
      var bytes = Array(text.utf8)
      bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      if (try? Self.read(String(decoding: bytes, as: UTF8.self))) != nil { accepted += 1 }
    }
    #expect(accepted == 0)
  }

  @Test(arguments: ["", ".", "..", "a.b", "a.b.c.d", "e30.e30.", "e30.e30.e30", "bnVsbA.e30.e30", "\u{0}..", "ä.ä.ä"])
  func other_texts_are_no_token(_ text: String) {
    #expect(throws: OpenIDError.self) { try JSONWebToken(text) }
    #expect(throws: OpenIDError.self) { try JSONWebToken(String(repeating: "a", count: JSONWebToken.longest) + ".a.a") }
  }

  @Test(arguments: [
    #"{}"#, #"{"keys":{}}"#,
    #"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"\#(String(repeating: "A", count: 43))"},{"kty":"OKP","crv":"Ed25519","kid":"a","x":"\#(String(repeating: "A", count: 43))"}]}"#,
  ])
  func a_set_without_keys_or_with_one_name_twice_is_refused(_ text: String) throws {
    let json = try JSON(parsing: Array(text.utf8))
    #expect(Self.kind { try OpenIDKeys(json) } == .badProvider)
  }

  // MARK: Entra ID

  private static let directory = "11111111-2222-3333-4444-555555555555"

  private static var entra: OpenIDProvider {
    var provider = OpenIDProvider(
      id: "entra", name: "Entra", issuer: "https://login.microsoftonline.com/{tenantid}/v2.0", clientID: "fleet")
    provider.allowedTenants = [directory]
    return provider
  }

  @Test func an_account_of_entra_id_is_its_directory_and_object() throws {
    var claims = Self.claims
    claims["tid"] = .text(Self.directory)
    claims["oid"] = .text("o-1")
    claims["iss"] = .text("https://login.microsoftonline.com/\(Self.directory)/v2.0")
    let identity = try Self.read(try Signer.token(.object(claims)), Self.entra)
    #expect(identity.subject == "\(Self.directory)/o-1")
    for (key, value) in [
      ("tid", JSON.text("99999999-2222-3333-4444-555555555555")), ("tid", .null),
      ("iss", .text("https://login.microsoftonline.com/{tenantid}/v2.0")),
    ] {
      var other = claims
      other[key] = value
      let text = try Signer.token(.object(other))
      #expect(Self.kind { try Self.read(text, Self.entra) } == .wrongIssuer)
    }
    claims["oid"] = nil
    let text = try Signer.token(.object(claims))
    #expect(Self.kind { try Self.read(text, Self.entra) } == .malformed)
  }

  // MARK: New accounts

  @Test func new_accounts_need_a_verified_address_of_a_domain_or_a_mapped_claim() throws {
    var provider = Self.provider
    provider.allowedDomains = ["example.org"]
    provider.rolesClaim = "groups"
    provider.roles = ["fleet-admins": [.admin], "drivers": [.driver]]
    func roles(_ more: [String: JSON]) throws -> [PersonRole] {
      let claims = Self.claims.merging(more) { $1 }
      let identity = try Self.read(try Signer.token(.object(claims)), provider)
      return provider.roles(for: identity.claims, verifiedEmail: identity.verifiedEmail)
    }
    #expect(try roles([:]) == [])
    #expect(try roles(["email_verified": .text("true")]) == [])
    #expect(try roles(["email_verified": .bool(true)]) == [.driver])
    #expect(try roles(["email_verified": .bool(true), "email": .text("ann@evil.example")]) == [])
    #expect(try roles(["email_verified": .bool(true), "email": .text("ann@sub.example.org")]) == [])
    #expect(
      try roles(["groups": .array([.text("fleet-admins"), .text("drivers"), .integer(1)])]) == [.admin, .driver])
    #expect(try roles(["groups": .text("drivers")]) == [.driver])
    #expect(try roles(["groups": .text("Drivers")]) == [])
  }

  // MARK: Logout

  @Test func a_logout_token_is_accepted_only_with_its_event_and_without_a_nonce() throws {
    func read(_ more: [String: JSON?]) throws -> OpenIDIdentity {
      var claims = Self.claims
      claims["nonce"] = nil
      claims["jti"] = .text("j-1")
      claims["sid"] = .text("s-1")
      claims["events"] = .object([Self.logout: .object([:])])
      for (key, value) in more { claims[key] = value }
      let token = try JSONWebToken(try Signer.token(.object(claims)))
      return try OpenIDIdentity(
        logoutToken: token, OpenIDKeys(try Signer.published()), of: Self.provider, at: Self.now)
    }
    let identity = try read([:])
    #expect(identity.subject == "ann-1" && identity.session == "s-1")
    #expect(try read(["sub": nil]).subject == nil)
    let faults: [([String: JSON?], OpenIDError.Kind)] = [
      (["nonce": .text("n-1")], .malformed), (["events": nil], .malformed), (["jti": nil], .malformed),
      (["events": .object(["x": .object([:])])], .malformed), (["events": .object([Self.logout: .null])], .malformed),
      (["sub": nil, "sid": nil], .malformed), (["iat": .integer(Self.seconds - 601)], .expired),
      (["aud": .text("other")], .wrongAudience), (["exp": .integer(Self.seconds - 61)], .expired),
    ]
    for (change, kind) in faults {
      #expect(Self.kind { try read(change) } == kind, "\(change)")
    }
    // At Entra ID, a logout token may name the account only by its identifier for this client.
    var claims = Self.claims.merging([
      "tid": .text(Self.directory), "jti": .text("j-1"), "events": .object([Self.logout: .object([:])]),
      "iss": .text("https://login.microsoftonline.com/\(Self.directory)/v2.0"),
    ]) { $1 }
    claims["nonce"] = nil
    let entra = try OpenIDIdentity(
      logoutToken: try JSONWebToken(try Signer.token(.object(claims))), OpenIDKeys(try Signer.published()),
      of: Self.entra, at: Self.now)
    #expect(entra.subject == nil && entra.session == nil && entra.clientSubject == "ann-1")
    // An ID token must not be accepted as a logout token.
    let token = try JSONWebToken(try Signer.token(.object(Self.claims)))
    let keys = try OpenIDKeys(try Signer.published())
    #expect(throws: OpenIDError.self) {
      try OpenIDIdentity(logoutToken: token, keys, of: Self.provider, at: Self.now)
    }
  }
}
