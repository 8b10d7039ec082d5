import Crypto
import FleetAccess
import FleetDomain
import Telemetry

/// The state of a sign-in at an OpenID provider. The server does not store the state. Instead, it sends the encrypted
/// state to the provider, and the provider returns it.
struct OpenIDState: Sendable {
  /// The time after which the state expires, in s. It is long, because the person may have to sign in at the provider
  /// first.
  static let seconds = 600

  let provider: String
  let nonce: String
  /// The secret with which this server later proves to the provider that it began the sign-in (RFC 7636, section 4.1).
  let verifier: String
  /// The path on this server to which the browser goes after the sign-in.
  let returnTo: String
  /// The person to whose account the provider's identity is linked; `nil` if this is a sign-in.
  let person: UUIDv7?
  let expiresAt: Timestamp
  /// The hash of the cookie that was set in the browser when the sign-in began.
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

  /// The hash of the verifier, which the provider receives when the sign-in begins (RFC 7636, section 4.2, method
  /// S256).
  var challenge: String { Base64URL.text(Array(SHA256.hash(data: Array(verifier.utf8)))) }

  private static let place = "OpenID sign-in"

  /// Returns the state as encrypted text for the provider.
  func sealed(_ keys: SecretKeys) -> String {
    var members: [String: JSON] = [
      "provider": .text(provider), "nonce": .text(nonce), "verifier": .text(verifier), "returnTo": .text(returnTo),
      "expiresAt": expiresAt.json, "browser": .text(browser),
    ]
    if let person { members["person"] = person.json }
    return keys.seal(Array(JSON.object(members).canonicalText.utf8), for: Self.place)
  }

  /// Decrypts a state that the provider returned; `nil` if this server did not create the state, if it has expired, or
  /// if the sign-in began in another browser.
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

  /// Whether a text is a path on this server. Only such a path is allowed, so that a browser is not sent to another
  /// server.
  static func isPath(_ text: String) -> Bool {
    text.hasPrefix("/") && !text.hasPrefix("//") && text.utf8.count <= 1_024 && !text.contains("\\")
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
