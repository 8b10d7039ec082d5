extension StringProtocol where UTF8View: BidirectionalCollection {
  /// Whether the text is empty, or begins and ends with an ASCII character that is not white space. This is a fast
  /// check for texts that need no trimming.
  public var hasPlainEnds: Bool {
    guard let first = utf8.first, let last = utf8.last else { return true }
    return (0x21...0x7E).contains(first) && (0x21...0x7E).contains(last)
  }
}
