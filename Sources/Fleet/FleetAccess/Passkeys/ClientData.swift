import Crypto
import JSONText

/// Data that the browser reports about the operation (WebAuthn Level 3, section 5.8.1).
///
///     {"type":"webauthn.get","challenge":"dGVzdA","origin":"https://fleet.example","crossOrigin":false}
struct ClientData {
  enum Operation: String {
    case create = "webauthn.create"
    case get = "webauthn.get"
  }

  /// Maximum length of client data, bytes. Browsers send about 200.
  private static let maximumCount = 16_384

  /// SHA-256 of the bytes as the browser sent them. The authenticator signs this hash.
  let hash: [UInt8]

  /// Checks client data.
  ///
  /// - Parameters:
  ///   - json: the bytes as the browser sent them.
  ///   - operation: the operation that was begun.
  ///   - challenge: the challenge that was issued for the operation.
  init(
    checking json: [UInt8], _ operation: Operation, challenge: [UInt8], _ relyingParty: RelyingParty
  ) throws(PasskeyError) {
    guard json.count <= Self.maximumCount, let document = try? JSONDocument(parsing: json, maximumDepth: 8),
      document.root.kind == .object, let type = document.root["type"]?.string,
      let found = document.root["challenge"]?.string, let origin = document.root["origin"]?.string
    else { throw PasskeyError(.malformedClientData) }
    guard type == operation.rawValue else { throw PasskeyError(.wrongType, type) }
    guard let bytes = Base64URL.bytes(found), ConstantTime.isEqual(bytes, challenge) else {
      throw PasskeyError(.wrongChallenge)
    }
    guard relyingParty.origins.contains(origin) else { throw PasskeyError(.wrongOrigin, origin) }
    switch document.root["crossOrigin"] {
    case nil: break
    case let value? where value.bool == false: break
    case let value? where value.bool == true: throw PasskeyError(.crossOrigin)
    default: throw PasskeyError(.malformedClientData)
    }
    guard document.root["topOrigin"] == nil else { throw PasskeyError(.crossOrigin) }
    hash = Array(SHA256.hash(data: json))
  }
}
