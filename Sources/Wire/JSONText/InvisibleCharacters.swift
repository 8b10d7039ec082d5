extension Unicode.Scalar {
  /// Whether the character is not shown, or changes the direction of the text around it. Such characters are control
  /// and format characters (bidirectional controls, zero-width space and joiners, soft hyphen, byte order mark), line
  /// separators, and others that programs need not show according to Unicode.
  public var isInvisible: Bool {
    if (0x20..<0x7F).contains(value) { return false }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    // The Braille pattern without dots is a symbol, but looks like a space.
    default: return properties.isDefaultIgnorableCodePoint || self == "\u{2800}"
    }
  }
}
