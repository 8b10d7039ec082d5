/// The SHA-256 hash of a key or token. The secret itself is never stored.
///
/// Secrets have 256 random bits, so a plain hash, which an index can find, reveals nothing.
public struct SecretHash: Hashable, Sendable {
  public static let count = 32

  /// The 32 bytes of the hash.
  public let bytes: [UInt8]

  /// Returns `nil` unless there are 32 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// The bytes as lower-case hexadecimal digits.
  public var text: String { Hexadecimal.text(bytes) }
}
