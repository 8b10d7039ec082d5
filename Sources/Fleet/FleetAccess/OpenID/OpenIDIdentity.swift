import Crypto
import FleetDomain
import Telemetry

/// The content of an ID token or logout token that passed all checks (OpenID Connect Core 1.0, section 3.1.3.7;
/// Back-Channel Logout 1.0, section 2.6).
public struct OpenIDIdentity: Equatable, Sendable {
  /// The maximum accepted difference between the clocks of server and provider, s.
  static let leeway = 60
  /// The time for which a logout token is valid after it was made, s.
  static let logoutSeconds = 600

  public let issuer: String
  /// The provider's identifier of the account; `nil` in a logout token that contains only a session.
  public let subject: String?
  /// The provider's identifier of its session (`sid`); `nil` if the token contains none.
  public let session: String?
  /// The identifier (`sub`) that the provider uses for the account only at this client; `nil` if it equals ``subject``.
  public let clientSubject: String?
  public let claims: JSON

  /// The email address; `nil` unless the provider has verified it.
  public var verifiedEmail: EmailAddress? {
    claims["email_verified"] == .bool(true) ? email : nil
  }
  public var email: EmailAddress? { claims["email"]?.textValue.flatMap { EmailAddress($0) } }

  /// Checks an ID token, and creates the identity that it contains.
  ///
  /// - Parameters:
  ///   - nonce: the nonce that was sent when the sign-in began.
  ///   - accessToken: the access token that the provider sent together with the ID token; `nil` if it sent none.
  public init(
    idToken token: JSONWebToken, _ keys: OpenIDKeys, of provider: OpenIDProvider, nonce: String,
    accessToken: String?, at now: Timestamp
  ) throws(OpenIDError) {
    try self.init(token, keys, provider, now)
    guard let given = claims["nonce"]?.textValue, ConstantTime.isEqual(given.utf8, nonce.utf8) else {
      throw OpenIDError(.wrongNonce, "the token belongs to another sign-in")
    }
    if let hash = claims["at_hash"] {
      guard let accessToken, hash.textValue == Self.half(accessToken, token.algorithm) else {
        throw OpenIDError(.wrongAccessToken, "at_hash is not that of the access token")
      }
    }
    guard subject != nil else { throw OpenIDError(.malformed, "the token names no account") }
  }

  /// Checks a logout token, and creates the identity that it contains.
  public init(
    logoutToken token: JSONWebToken, _ keys: OpenIDKeys, of provider: OpenIDProvider, at now: Timestamp
  ) throws(OpenIDError) {
    try self.init(token, keys, provider, now)
    guard case .object? = claims["events"]?["http://schemas.openid.net/event/backchannel-logout"],
      claims["nonce"] == nil, claims["jti"]?.textValue != nil
    else { throw OpenIDError(.malformed, "this is no logout token") }
    guard let made = Self.seconds(claims["iat"]), made > now.milliseconds / 1_000 - Int64(Self.logoutSeconds) else {
      throw OpenIDError(.expired, "the token was made too long ago")
    }
    guard subject != nil || clientSubject != nil || session != nil else {
      throw OpenIDError(.malformed, "the token names no account")
    }
  }

  private init(
    _ token: JSONWebToken, _ keys: OpenIDKeys, _ provider: OpenIDProvider, _ now: Timestamp
  ) throws(OpenIDError) {
    let claims = try token.verify(keys)
    guard let issuer = provider.expectedIssuer(claims), claims["iss"]?.textValue == issuer else {
      throw OpenIDError(.wrongIssuer, "the token is of another issuer, or of a directory that is not allowed")
    }
    let audience = claims["aud"]?.texts ?? []
    let party = claims["azp"]
    guard audience.contains(provider.clientID), audience.count == 1 || party != nil,
      party == nil || party == .text(provider.clientID)
    else { throw OpenIDError(.wrongAudience, "the token is for another client") }
    let seconds = now.milliseconds / 1_000
    let leeway = Int64(Self.leeway)
    guard let end = Self.seconds(claims["exp"]), end > seconds - leeway else {
      throw OpenIDError(.expired, "the token has expired, or has no end")
    }
    guard let made = Self.seconds(claims["iat"]), made <= seconds + leeway else {
      throw OpenIDError(.notYetValid, "the token was made in the future, or at no time")
    }
    if let start = claims["nbf"] {
      guard let start = Self.seconds(start), start <= seconds + leeway else {
        throw OpenIDError(.notYetValid, "the token is not valid yet")
      }
    }
    self.issuer = issuer
    self.claims = claims
    session = try Self.name(claims["sid"])
    if provider.isTemplate {
      // At Entra ID, `sub` differs from client to client. Directory and object ID identify the account for all clients.
      let object = try Self.name(claims["oid"])
      subject = object.map { "\(claims["tid"]?.textValue ?? "")/\($0)" }
      clientSubject = try Self.name(claims["sub"])
    } else {
      clientSubject = nil
      subject = try Self.name(claims["sub"])
    }
  }

  /// Returns a claim as text; `nil` if the token does not contain the claim.
  ///
  /// - Throws: `malformed` if the claim is not a text of 1 to 255 bytes.
  private static func name(_ json: JSON?) throws(OpenIDError) -> String? {
    guard let json else { return nil }
    guard let text = json.textValue, (1...255).contains(text.utf8.count), NameRules.isVisible(text) else {
      throw OpenIDError(.malformed, "a name in the token is no text of 1 to 255 visible characters")
    }
    return text
  }

  private static func seconds(_ json: JSON?) -> Int64? {
    switch json {
    case .integer(let number)? where number >= 0: number
    case .number(let number)? where number >= 0 && number < 1e12: Int64(number)
    default: nil
    }
  }

  /// Returns the left half of the hash of a token (section 3.1.3.6).
  private static func half(_ token: String, _ algorithm: String) -> String {
    let bytes = Array(token.utf8)
    let hash = algorithm == "EdDSA" ? Array(SHA512.hash(data: bytes)) : Array(SHA256.hash(data: bytes))
    return Base64URL.text(hash.prefix(hash.count / 2))
  }
}
