import Crypto

extension JSON {
  /// SHA-256 of ``canonicalText``, as lower-case hexadecimal digits. Equal values have the same hash.
  public var canonicalHash: String { Hexadecimal.text(Array(SHA256.hash(data: canonicalBytes))) }
}
