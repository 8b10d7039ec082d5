import Crypto
import FleetDomain
import Telemetry

/// A signed token (RFC 7515, compact serialization; RFC 7519).
///
/// The algorithm is taken from the key, never from the token. Therefore a token with the algorithm `none` is rejected,
/// and so is a token that uses a public key as a shared secret (HS256).
public struct JSONWebToken: Equatable, Sendable {
  /// Maximum length of a token, bytes.
  public static let longest = 16 << 10

  let algorithm: String
  /// The name of the key (`kid`); `nil` if the token has none. A provider with only one key may omit the name (OpenID
  /// Connect Core 1.0, section 10.1).
  let keyName: String?
  /// The content. It must not be trusted before ``verify(_:)`` has succeeded.
  let content: JSON
  private let signed: [UInt8]
  private let signature: [UInt8]

  /// Parses a token; its signature is not checked.
  ///
  /// - Throws: `malformed`.
  public init(_ text: String) throws(OpenIDError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.longest, parts.count == 3, let head = Self.object(parts[0]),
      let content = Self.object(parts[1]), let signature = Base64URL.bytes(String(parts[2]))
    else { throw OpenIDError(.malformed, "this is no signed token") }
    // `crit` lists extensions that a receiver must support (RFC 7515, section 4.1.11). None is supported here.
    guard head["crit"] == nil else { throw OpenIDError(.malformed, "the token has critical extensions") }
    guard let algorithm = head["alg"]?.textValue else { throw OpenIDError(.wrongAlgorithm, "the token has none") }
    let keyName = head["kid"]?.textValue
    guard keyName != nil || head["kid"] == nil else { throw OpenIDError(.malformed, "the name of the key is no text") }
    self.algorithm = algorithm
    self.keyName = keyName
    self.content = content
    self.signature = signature
    signed = Array("\(parts[0]).\(parts[1])".utf8)
  }

  private static func object(_ part: Substring) -> JSON? {
    guard let bytes = Base64URL.bytes(String(part)), let json = try? JSON(parsing: bytes), case .object = json else {
      return nil
    }
    return json
  }

  /// Checks the signature with the provider's keys.
  ///
  /// - Returns: the content, which can be trusted.
  /// - Throws: `unknownKey`; `wrongAlgorithm`; `wrongSignature`.
  func verify(_ keys: OpenIDKeys) throws(OpenIDError) -> JSON {
    guard let key = keys.key(of: self) else { throw OpenIDError(.unknownKey, "the provider has no such key") }
    guard algorithm == key.webName else {
      throw OpenIDError(.wrongAlgorithm, "expected \(key.webName), which is the key's")
    }
    guard key.isValidInToken(signature, for: signed) else { throw OpenIDError(.wrongSignature, "not the key's") }
    return content
  }
}
