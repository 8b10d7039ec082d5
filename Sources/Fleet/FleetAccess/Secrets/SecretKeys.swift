import Crypto
import FleetDomain

/// The keys that encrypt secrets in the database, such as the seeds of one-time codes (AES-256-GCM).
///
/// The key file has one key on each line, 64 hexadecimal digits. The first key encrypts; all keys can decrypt. To
/// replace a key, insert a new line at the beginning, and encrypt all secrets again.
public struct SecretKeys: Equatable, Sendable {
  private struct Key: Equatable, Sendable {
    /// The name of the key: the first eight hexadecimal digits of its hash. An encrypted secret begins with the name of
    /// its key.
    let name: String
    let key: SymmetricKey
  }

  private let keys: [Key]

  /// Reads a key file; `nil` unless it has at least one line, and each line has 64 hexadecimal digits.
  public init?(file text: String) {
    var keys: [Key] = []
    for line in text.split(whereSeparator: \.isNewline) {
      guard let bytes = Hexadecimal.bytes(String(line)), bytes.count == 32 else { return nil }
      let name = Hexadecimal.text(Array(SHA256.hash(data: Array("fleetstore key ".utf8) + bytes)).prefix(4))
      keys.append(Key(name: name, key: SymmetricKey(data: bytes)))
    }
    guard !keys.isEmpty else { return nil }
    self.keys = keys
  }

  /// Returns a line for the key file, with a new random key.
  public static func newLine() -> String {
    var generator = SystemRandomNumberGenerator()
    return Hexadecimal.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// Encrypts a secret.
  ///
  /// - Parameter place: a name of the place where the secret is stored, such as `factor 0193…`. The secret can be
  ///   decrypted only with the same name, so moving it to another row makes it unusable.
  public func seal(_ secret: [UInt8], for place: String) -> String {
    // Encryption with a key of 32 bytes does not fail for a short text.
    guard let box = try? AES.GCM.seal(secret, using: keys[0].key, authenticating: Array(place.utf8)),
      let bytes = box.combined
    else { return "" }
    return "\(keys[0].name).\(Base64URL.text(Array(bytes)))"
  }

  /// Decrypts a secret; `nil` if its key is missing, or if the secret was changed or moved to another place.
  public func open(_ text: String, for place: String) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let key = keys.first(where: { $0.name == parts[0] }),
      let bytes = Base64URL.bytes(String(parts[1])), let box = try? AES.GCM.SealedBox(combined: bytes),
      let secret = try? AES.GCM.open(box, using: key.key, authenticating: Array(place.utf8))
    else { return nil }
    return Array(secret)
  }

  /// Whether a secret was encrypted with a key other than the first one.
  public func isOutdated(_ text: String) -> Bool { !text.hasPrefix("\(keys[0].name).") }

  /// Returns a proof that this server wrote a text: HMAC-SHA-256 with a key that is derived from the first key.
  public func proof(of text: String) -> String { Hexadecimal.text(Array(code(of: text, keys[0]))) }

  /// Whether a proof is one that ``proof(of:)`` returned for a text, with any of the keys.
  public func isProof(_ proof: String, of text: String) -> Bool {
    guard let bytes = Hexadecimal.bytes(proof) else { return false }
    return keys.contains { key in
      HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: Array(text.utf8), using: derived(key))
    }
  }

  private func code(of text: String, _ key: Key) -> HMAC<SHA256>.MAC {
    HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: derived(key))
  }

  private func derived(_ key: Key) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key.key, info: Array("fleetstore proofs".utf8), outputByteCount: 32)
  }
}
