/// SHA-256 of a key or token, as it is kept: the secret itself is nowhere at rest.
///
/// Secrets are 256 random bits, so that a plain digest, which can be looked up by an index, gives nothing away.
public struct SecretHash: Hashable, Sendable {
  public static let count = 32

  /// The 32 bytes of the digest.
  public let bytes: [UInt8]

  /// Nil unless there are 32 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }
}
