/// The SHA-256 hash of a key or token. The secret itself is never stored.
///
/// The hash has no salt, so that an index can find it. It still reveals nothing, because secrets have 256 random bits.
public struct SecretHash: Hashable, Sendable {
  public static let count = 32

  /// The 32 bytes of the hash.
  public let bytes: [UInt8]

  /// Creates a hash from its bytes; `nil` unless there are 32.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// The hash as lower-case hexadecimal digits.
  public var text: String { Hexadecimal.text(bytes) }
}
