import CSodium

/// A password as it is stored: argon2id (RFC 9106) in the PHC string format.
///
///     $argon2id$v=19$m=32768,t=3,p=1$c2FsdA…$aGFzaA…
///
/// Hashing takes tens of milliseconds and ``Cost/memoryBytes`` of memory. Therefore, the caller must limit the number
/// of hashes that are computed at the same time.
public struct PasswordHash: Equatable, Sendable {
  /// The work that hashing costs, for this server and for each guess of an attacker.
  public struct Cost: Equatable, Sendable {
    /// Number of iterations over the memory, at least 1.
    public let passes: Int
    /// Memory in bytes, at least 8 KiB.
    public let memoryBytes: Int

    public init(passes: Int, memoryBytes: Int) {
      self.passes = passes
      self.memoryBytes = memoryBytes
    }

    /// 32 MiB and 3 passes: more than OWASP's minimum of 19 MiB and 2 passes (Password Storage Cheat Sheet).
    public static let standard = Cost(passes: 3, memoryBytes: 32 << 20)
  }

  /// The library could not compute the hash, because there was not enough memory.
  public struct Failure: Error {}

  /// The hash, its salt and its cost as a PHC string.
  public let text: String

  public init(text: String) { self.text = text }

  /// Hashes a password with a new random salt.
  ///
  /// - Parameter password: the password after ``PasswordPolicy/normalized(_:)``.
  public init(of password: String, _ cost: Cost = .standard) throws(Failure) {
    guard sodium_init() >= 0 else { throw Failure() }
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
    let password = Array(password.utf8CString)
    let result = unsafe crypto_pwhash_str_alg(
      &text, password, UInt64(password.count - 1), UInt64(cost.passes), cost.memoryBytes, crypto_pwhash_ALG_ARGON2ID13)
    guard result == 0 else { throw Failure() }
    self.text = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Creates a hash that no password has. Checking a password against it takes as long as against any other hash.
  public static func random(_ cost: Cost = .standard) -> PasswordHash {
    var generator = SystemRandomNumberGenerator()
    func base64(_ count: Int) -> String {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      // The PHC format uses the base64 alphabet with `+` and `/`.
      return Base64URL.text(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : String($0) }.joined()
    }
    return PasswordHash(
      text: "$argon2id$v=19$m=\(cost.memoryBytes >> 10),t=\(cost.passes),p=1$\(base64(16))$\(base64(32))")
  }

  /// Whether this is the hash of a password. The check takes as long as hashing.
  ///
  /// - Parameter password: the password after ``PasswordPolicy/normalized(_:)``.
  public func matches(_ password: String) -> Bool {
    let password = Array(password.utf8CString)
    guard sodium_init() >= 0 else { return false }
    return unsafe withText { text in
      unsafe crypto_pwhash_str_verify(text, password, UInt64(password.count - 1)) == 0
    }
  }

  /// Whether the hash was made with another cost. If so, the password should be hashed again at the next sign-in.
  public func isOutdated(_ cost: Cost = .standard) -> Bool {
    unsafe withText { text in
      unsafe crypto_pwhash_str_needs_rehash(text, UInt64(cost.passes), cost.memoryBytes) != 0
    }
  }

  /// Calls `work` with a copy of ``text`` in a buffer of `crypto_pwhash_STRBYTES` bytes. The library requires a buffer
  /// of this length.
  private func withText<Value>(_ work: (UnsafePointer<CChar>) -> Value) -> Value {
    var bytes = Array(text.utf8.prefix(Int(crypto_pwhash_STRBYTES) - 1)).map { CChar(bitPattern: $0) }
    bytes += [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES) - bytes.count)
    // The buffer is never empty, so it has an address.
    return unsafe bytes.withUnsafeBufferPointer { unsafe work($0.baseAddress!) }
  }
}
