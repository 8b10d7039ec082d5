extension String {
  /// Whether the text contains another text, compared byte by byte in UTF-8. With the standard `contains`, the daemon
  /// would link the regular expression library, which has 1.4 MB.
  public func holds(_ part: String) -> Bool { utf8.indices.contains { utf8[$0...].starts(with: part.utf8) } }
}
