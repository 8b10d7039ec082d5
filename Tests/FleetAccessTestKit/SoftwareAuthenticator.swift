import Crypto
import CryptoExtras
import FleetAccess

/// An authenticator and a browser in software. A test can falsify each of their statements. It has its own CBOR
/// encoder, because tests could not find an error that encoder and reader had in common.
struct SoftwareAuthenticator {
  enum Key {
    case p256(P256.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
    case rsa(_RSA.Signing.PrivateKey)
  }

  var key: Key = .p256(P256.Signing.PrivateKey())
  var id: [UInt8] = Array("credential-0001".utf8)
  var relyingPartyId = "fleet.example"
  var origin = "https://fleet.example"
  var type: String?
  var extraClientData = #","crossOrigin":false"#
  /// The flags UP and UV. AT is added at registration.
  var flags: UInt8 = 0x05
  var counter: UInt32 = 0
  var aaguid = [UInt8](repeating: 0, count: 16)
  var format = "none"
  var statement: [UInt8] = [0xA0]
  /// Used instead of the COSE key; `nil` for the right key.
  var coseKey: [UInt8]?
  /// Bytes after the authenticator data.
  var trailing: [UInt8] = []

  func clientData(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
    Array(
      #"{"type":"\#(self.type ?? type)","challenge":"\#(Base64URL.text(challenge))","origin":"\#(origin)"\#(extraClientData)}"#
        .utf8)
  }

  func registration(_ challenge: [UInt8]) -> (clientData: [UInt8], attestation: [UInt8]) {
    let data =
      authenticatorData(flags: flags | 0x40) + aaguid + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)] + id
      + (coseKey ?? publicKey) + trailing
    var statement = statement
    let clientData = clientData("webauthn.create", challenge)
    if format == "packed", statement == [0xA0] {
      let signature = sign(data + Array(SHA256.hash(data: clientData)))
      statement = [0xA2] + text("alg") + [0x26] + text("sig") + byteString(signature)
    }
    let object = [0xA3] + text("fmt") + text(format) + text("attStmt") + statement + text("authData") + byteString(data)
    return (clientData, object)
  }

  func assertion(_ challenge: [UInt8], userHandle: [UInt8]? = nil) -> Passkey.Assertion {
    let data = authenticatorData(flags: flags) + trailing
    let clientData = clientData("webauthn.get", challenge)
    return Passkey.Assertion(
      clientData: clientData, authenticatorData: data, signature: sign(data + Array(SHA256.hash(data: clientData))),
      userHandle: userHandle)
  }

  private func authenticatorData(flags: UInt8) -> [UInt8] {
    Array(SHA256.hash(data: Array(relyingPartyId.utf8))) + [flags]
      + (0..<4).map { UInt8(counter >> (24 - 8 * $0) & 0xFF) }
  }

  private func sign(_ message: [UInt8]) -> [UInt8] {
    switch key {
    case .p256(let key): try! Array(key.signature(for: SHA256.hash(data: message)).derRepresentation)
    case .ed25519(let key): try! Array(key.signature(for: message))
    case .rsa(let key):
      try! Array(key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
    }
  }

  var publicKey: [UInt8] {
    switch key {
    case .p256(let key):
      let point = Array(key.publicKey.x963Representation)
      return [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21] + byteString(Array(point[1...32])) + [0x22]
        + byteString(Array(point[33...64]))
    case .ed25519(let key):
      return [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21] + byteString(Array(key.publicKey.rawRepresentation))
    case .rsa(let key):
      let numbers = try! key.publicKey.getKeyPrimitives()
      return [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20] + byteString(Array(numbers.modulus)) + [0x21]
        + byteString(Array(numbers.publicExponent))
    }
  }

  private func text(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + Array(text.utf8) }

  func byteString(_ bytes: [UInt8]) -> [UInt8] {
    switch bytes.count {
    case ..<24: [0x40 + UInt8(bytes.count)] + bytes
    case ..<256: [0x58, UInt8(bytes.count)] + bytes
    default: [0x59, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
  }
}
