import Crypto
import FleetAccess
import FleetDomain
import Telemetry

/// The state of a sign-in at an OpenID provider. The server does not store it: it sends it to the provider encrypted,
/// and the provider returns it.
struct OpenIDState: Sendable {
  /// The time after which it expires, s. It is long, because the person may have to sign in to the provider first.
  static let seconds = 600

  let provider: String
  let nonce: String
  /// The secret that proves to the provider that this server began the sign-in (RFC 7636, section 4.1).
  let verifier: String
  /// The path to which the browser goes afterwards.
  let returnTo: String
  /// The person who links an identity; `nil` if this is a sign-in.
  let person: UUIDv7?
  let expiresAt: Timestamp
  /// The hash of the cookie of the browser in which the sign-in began.
  let browser: String

  init(
    _ provider: String, returnTo: String, person: UUIDv7?, browser: String, at now: Timestamp
  ) {
    self.provider = provider
    nonce = Self.random()
    verifier = Self.random()
    self.returnTo = returnTo
    self.person = person
    self.browser = Secret.hash(of: browser).text
    expiresAt = now.adding(seconds: Self.seconds)
  }

  /// Returns 256 random bits as 43 characters.
  private static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return Base64URL.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// The challenge of the verifier (RFC 7636, section 4.2, S256).
  var challenge: String { Base64URL.text(Array(SHA256.hash(data: Array(verifier.utf8)))) }

  private static let place = "OpenID sign-in"

  /// Returns the encrypted text that is sent to the provider.
  func sealed(_ keys: SecretKeys) -> String {
    var members: [String: JSON] = [
      "provider": .text(provider), "nonce": .text(nonce), "verifier": .text(verifier), "returnTo": .text(returnTo),
      "expiresAt": expiresAt.json, "browser": .text(browser),
    ]
    if let person { members["person"] = person.json }
    return keys.seal(Array(JSON.object(members).canonicalText.utf8), for: Self.place)
  }

  /// Decrypts a text that the provider returned; `nil` if this server did not create it, if it has expired, or if the
  /// sign-in began in another browser.
  init?(_ text: String, _ keys: SecretKeys, browser: String?, at now: Timestamp) {
    guard text.utf8.count <= 4_096, let browser, let bytes = keys.open(text, for: Self.place),
      let json = try? JSON(parsing: bytes), let provider = json["provider"]?.textValue,
      let nonce = json["nonce"]?.textValue, let verifier = json["verifier"]?.textValue,
      let returnTo = json["returnTo"]?.textValue, let hash = json["browser"]?.textValue,
      let end = json["expiresAt"].flatMap({ try? Timestamp(json: $0) }), end > now,
      hash == Secret.hash(of: browser).text
    else { return nil }
    self.provider = provider
    self.nonce = nonce
    self.verifier = verifier
    self.returnTo = returnTo
    self.browser = hash
    expiresAt = end
    person = json["person"].flatMap { try? UUIDv7(json: $0) }
  }

  /// Whether a text is a path of this server. The browser must not be sent to another server.
  static func isPath(_ text: String) -> Bool {
    text.hasPrefix("/") && !text.hasPrefix("//") && text.utf8.count <= 1_024 && !text.contains("\\")
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
