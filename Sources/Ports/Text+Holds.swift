extension String {
  /// Whether it holds another text, byte by byte in UTF-8. `contains` of a text would bring what is behind regular
  /// expressions into the daemon, 1.4 MB of it.
  public func holds(_ part: String) -> Bool { utf8.indices.contains { utf8[$0...].starts(with: part.utf8) } }
}
