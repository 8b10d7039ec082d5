extension String {
  /// Whether this text contains `part`, compared byte by byte in UTF-8. The standard `contains` is not used, because
  /// the daemon would then link the regular expression library, which has 1.4 MB.
  public func holds(_ part: String) -> Bool { utf8.indices.contains { utf8[$0...].starts(with: part.utf8) } }
}
