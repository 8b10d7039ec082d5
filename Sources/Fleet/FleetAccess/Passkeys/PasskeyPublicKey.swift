import Crypto
import CryptoExtras

/// The public key of a passkey: a COSE key (RFC 9052) with one of the three algorithms that authenticators use.
public enum PasskeyPublicKey: Equatable, Sendable {
  /// ES256 (COSE algorithm -7): ECDSA on P-256 with SHA-256; the uncompressed point of 65 bytes.
  case p256([UInt8])
  /// EdDSA (-8) on Ed25519; 32 bytes.
  case ed25519([UInt8])
  /// RS256 (-257): RSASSA-PKCS1-v1_5 with SHA-256; modulus and exponent, most significant byte first.
  case rsa(modulus: [UInt8], exponent: [UInt8])

  /// COSE numbers of the supported algorithms, in the order in which they are offered to authenticators.
  public static let algorithms: [Int64] = [-7, -8, -257]

  /// COSE number of the key's algorithm.
  public var algorithm: Int64 {
    switch self {
    case .p256: -7
    case .ed25519: -8
    case .rsa: -257
    }
  }

  /// Reads a COSE key and checks that it is valid, for example that its point lies on the curve.
  init(_ item: CBOR) throws(PasskeyError) {
    let (type, algorithm) = (item[key: .integer(1)]?.integer, item[key: .integer(3)]?.integer)
    let curve = item[key: .integer(-1)]
    switch (type, algorithm) {
    case (2, -7):
      guard curve?.integer == 1, let x = item[key: .integer(-2)]?.byteString, x.count == 32,
        let y = item[key: .integer(-3)]?.byteString, y.count == 32
      else { throw Self.unsupported("an ES256 key without a P-256 point") }
      self = .p256([0x04] + x + y)
    case (1, -8):
      guard curve?.integer == 6, let x = item[key: .integer(-2)]?.byteString, x.count == 32 else {
        throw Self.unsupported("an EdDSA key without an Ed25519 point")
      }
      self = .ed25519(x)
    case (3, -257):
      guard let modulus = curve?.byteString, (256...512).contains(modulus.count), modulus[0] != 0,
        let exponent = item[key: .integer(-2)]?.byteString, (1...4).contains(exponent.count), exponent[0] != 0
      else { throw Self.unsupported("an RS256 key without a modulus of 2048 to 4096 bits") }
      self = .rsa(modulus: modulus, exponent: exponent)
    default:
      throw Self.unsupported(
        "key type \(type.map(String.init) ?? "none"), algorithm \(algorithm.map(String.init) ?? "none")")
    }
    guard isUsable else { throw Self.unsupported("the key is invalid") }
  }

  /// Whether a signature of a message was made with this key.
  func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    switch self {
    case .p256(let point):
      guard let key = try? P256.Signing.PublicKey(x963Representation: point),
        let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
      else { return false }
      return key.isValidSignature(signature, for: SHA256.hash(data: message))
    case .ed25519(let point):
      guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: point) else { return false }
      return key.isValidSignature(signature, for: message)
    case .rsa(let modulus, let exponent):
      guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else { return false }
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
        padding: .insecurePKCS1v1_5)
    }
  }

  private var isUsable: Bool {
    switch self {
    case .p256(let point): (try? P256.Signing.PublicKey(x963Representation: point)) != nil
    case .ed25519(let point): (try? Curve25519.Signing.PublicKey(rawRepresentation: point)) != nil
    case .rsa(let modulus, let exponent): (try? _RSA.Signing.PublicKey(n: modulus, e: exponent)) != nil
    }
  }

  private static func unsupported(_ detail: String) -> PasskeyError { PasskeyError(.unsupportedKey, detail) }
}

extension PasskeyPublicKey {
  /// The key as one byte string for storage: a byte for the algorithm, then the key's parts.
  public var stored: [UInt8] {
    switch self {
    case .p256(let point): [1] + point
    case .ed25519(let point): [2] + point
    case .rsa(let modulus, let exponent): [3, UInt8(exponent.count)] + exponent + modulus
    }
  }

  /// Reads a key that was written as ``stored``; `nil` if the bytes are damaged.
  public init?(stored: [UInt8]) {
    switch stored.first {
    case 1 where stored.count == 66: self = .p256(Array(stored[1...]))
    case 2 where stored.count == 33: self = .ed25519(Array(stored[1...]))
    case 3 where stored.count > 2 && stored.count > 2 + Int(stored[1]):
      let split = 2 + Int(stored[1])
      self = .rsa(modulus: Array(stored[split...]), exponent: Array(stored[2..<split]))
    default: return nil
    }
    guard isUsable else { return nil }
  }
}
