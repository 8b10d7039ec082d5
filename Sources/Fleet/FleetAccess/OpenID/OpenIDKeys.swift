import Crypto
import FleetDomain

/// The public keys of a provider (RFC 7517) for the algorithms ES256, RS256 and EdDSA.
public struct OpenIDKeys: Equatable, Sendable {
  /// The maximum length of a key document, bytes.
  public static let longest = 256 << 10
  private static let most = 100

  private let keys: [String: PasskeyPublicKey]

  /// Reads a set of keys. Keys without a name, keys for encryption, and keys of other types are left out.
  ///
  /// - Throws: `badProvider` if the JSON is not a set of keys, or if two keys have the same name.
  public init(_ json: JSON) throws(OpenIDError) {
    guard case .array(let elements)? = json["keys"], elements.count <= Self.most else {
      throw OpenIDError(.badProvider, "the keys are no set of at most \(Self.most) keys")
    }
    var keys: [String: PasskeyPublicKey] = [:]
    for element in elements {
      guard let name = element["kid"]?.textValue, element["use"]?.textValue ?? "sig" == "sig",
        let key = PasskeyPublicKey(webKey: element), element["alg"]?.textValue ?? key.webName == key.webName
      else { continue }
      guard keys.updateValue(key, forKey: name) == nil else {
        throw OpenIDError(.badProvider, "two keys have one name")
      }
    }
    self.keys = keys
  }

  /// Returns the key whose name a token contains; `nil` if the provider does not have this key. If the token contains
  /// no name, returns the provider's only key, or `nil` if the provider has several.
  func key(of token: JSONWebToken) -> PasskeyPublicKey? {
    guard let name = token.keyName else { return keys.count == 1 ? keys.first?.value : nil }
    return keys[name]
  }

  /// Whether the provider has the key of a token (``key(of:)``).
  public func hasKey(of token: JSONWebToken) -> Bool { key(of: token) != nil }
}

extension PasskeyPublicKey {
  /// Reads a JSON Web Key; `nil` if it is invalid or of another type.
  init?(webKey key: JSON) {
    func bytes(_ name: String) -> [UInt8]? { key[name]?.textValue.flatMap { Base64URL.bytes($0) } }
    switch (key["kty"]?.textValue, key["crv"]?.textValue) {
    case ("EC", "P-256"):
      guard let x = bytes("x"), let y = bytes("y"), x.count == 32, y.count == 32 else { return nil }
      self.init(stored: [1, 0x04] + x + y)
    case ("OKP", "Ed25519"):
      guard let x = bytes("x"), x.count == 32 else { return nil }
      self.init(stored: [2] + x)
    case ("RSA", nil):
      // The modulus must have 2048 to 4096 bits.
      guard let modulus = bytes("n"), (256...512).contains(modulus.count), modulus[0] != 0, let exponent = bytes("e"),
        (1...4).contains(exponent.count), exponent[0] != 0
      else { return nil }
      self.init(stored: [3, UInt8(exponent.count)] + exponent + modulus)
    default: return nil
    }
  }

  /// The name of the only algorithm for which the key may be used in tokens (RFC 7518, section 3.1; RFC 8037).
  var webName: String {
    switch self {
    case .p256: "ES256"
    case .ed25519: "EdDSA"
    case .rsa: "RS256"
    }
  }

  /// Whether a signature of a message was made with this key. The signature has the format that tokens use.
  func isValidInToken(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    guard case .p256 = self else { return isValid(signature, for: message) }
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
    return isValid(Array(signature.derRepresentation), for: message)
  }
}
