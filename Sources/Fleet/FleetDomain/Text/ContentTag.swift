/// Computes a short text that depends on all bytes of a document and so identifies it. It is used for entity tags.
public enum ContentTag {
  /// Returns the tag of a document: 32 hexadecimal digits.
  public static func text(of bytes: [UInt8]) -> String {
    // Two keyed hashes of 64 bits; the keys are not secret.
    let first = SipHash(key: (0x6665_6E63_6573_2D31, 0)).hash(bytes.span)
    let second = SipHash(key: (0x6665_6E63_6573_2D32, 1)).hash(bytes.span)
    return Hexadecimal.text(first) + Hexadecimal.text(second)
  }
}
