import Crypto

/// Encryption of push messages for one browser (RFC 8291, with the content coding `aes128gcm` of RFC 8188). The push
/// service cannot read the messages.
public struct PushEncryption: Sendable {
  /// The maximum length of a message, bytes. Push services accept bodies of at least 4,096 bytes (RFC 8030, section
  /// 7.2). The encryption adds 103 bytes.
  public static let longest = 3_000

  private static let recordSize: UInt32 = 4_096

  private let receiver: P256.KeyAgreement.PublicKey
  private let secret: [UInt8]

  /// Reads the keys of a browser, in Base64URL.
  ///
  /// - Parameters:
  ///   - key: the public key `p256dh`, an uncompressed point on the curve P-256.
  ///   - auth: the shared secret `auth`, 16 bytes.
  /// - Returns: `nil` if one of them is not valid.
  public init?(key: String, auth: String) {
    guard let point = Base64URL.bytes(key), let secret = Base64URL.bytes(auth), secret.count == 16,
      let receiver = try? P256.KeyAgreement.PublicKey(x963Representation: point)
    else { return nil }
    (self.receiver, self.secret) = (receiver, secret)
  }

  /// Encrypts a message with a new key pair and a new salt.
  ///
  /// - Returns: `nil` if the message is too long.
  public func seal(_ message: [UInt8]) -> [UInt8]? {
    var generator = SystemRandomNumberGenerator()
    let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    return seal(message, sender: P256.KeyAgreement.PrivateKey(), salt: salt)
  }

  /// Encrypts a message with a key and a salt that must not be used for any other message. Returns `nil` if the message
  /// is too long, or the receiver's key cannot be used.
  func seal(_ message: [UInt8], sender: P256.KeyAgreement.PrivateKey, salt: [UInt8]) -> [UInt8]? {
    guard message.count <= Self.longest,
      let shared = try? sender.sharedSecretFromKeyAgreement(with: receiver)
    else { return nil }
    let point = Array(sender.publicKey.x963Representation)
    // RFC 8291, section 3.4: the key that both ends derive from the key agreement and the shared secret.
    let info = Array("WebPush: info".utf8) + [0] + Array(receiver.x963Representation) + point
    let input = shared.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: secret, sharedInfo: info, outputByteCount: 32)
    // RFC 8188, section 2.2.
    func derived(_ name: String, _ count: Int) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: input, salt: salt, info: Array("Content-Encoding: \(name)".utf8) + [0],
        outputByteCount: count)
    }
    let nonce = unsafe derived("nonce", 12).withUnsafeBytes { unsafe Array($0) }
    // RFC 8188, section 2: the byte 2 follows the text of the last (here the only) record.
    guard
      let box = try? AES.GCM.seal(
        message + [2], using: derived("aes128gcm", 16), nonce: AES.GCM.Nonce(data: nonce))
    else { return nil }
    let size = (0..<4).map { UInt8(truncatingIfNeeded: Self.recordSize >> (24 - 8 * UInt32($0))) }
    return salt + size + [UInt8(point.count)] + point + Array(box.ciphertext) + Array(box.tag)
  }
}
