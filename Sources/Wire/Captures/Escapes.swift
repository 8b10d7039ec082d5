/// Escape sequences that logs use for unprintable bytes.
enum Escapes {
  /// Decodes the escape sequences `\r \n \t \\ \' \" \a \b \f \v \0 \xNN` in `text`, and appends the bytes to `out`.
  ///
  /// - Returns: `false` if a backslash is followed by any other character; `out` is then incomplete.
  static func undo(_ text: Span<UInt8>, into out: inout [UInt8]) -> Bool {
    var start = 0
    while let slash = text.index(of: 0x5C, from: start) {
      out.append(bytes: text.extracting(start..<slash))
      guard slash + 1 < text.count else { return false }
      start = slash + 2
      switch text[slash + 1] {
      case UInt8(ascii: "r"): out.append(0x0D)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): out.append(text[slash + 1])
      case UInt8(ascii: "a"): out.append(0x07)
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "v"): out.append(0x0B)
      case UInt8(ascii: "0"): out.append(0x00)
      case UInt8(ascii: "x"):
        guard start + 1 < text.count, let high = text[start].hexValue, let low = text[start + 1].hexValue
        else { return false }
        out.append(high << 4 | low)
        start += 2
      default: return false
      }
    }
    out.append(bytes: text.extracting(start..<text.count))
    return true
  }

  /// Finds a string literal of Python's `repr` at `index`: `b'…'`, `'…'`, `b"…"` or `bytearray(b'…')`.
  ///
  /// - Returns: the range between the quotes; `nil` if there is no literal or it does not end in this line.
  static func pythonLiteral(_ text: Span<UInt8>, at index: Int) -> Range<Int>? {
    var i = index
    if text.has("bytearray(", at: i) { i += 10 }
    if i < text.count, text[i] == UInt8(ascii: "b") || text[i] == UInt8(ascii: "u") { i += 1 }
    guard i < text.count, text[i] == UInt8(ascii: "'") || text[i] == UInt8(ascii: "\"") else { return nil }
    let quote = text[i]
    let start = i + 1
    i = start
    while i < text.count, text[i] != quote { i += text[i] == 0x5C ? 2 : 1 }
    return i < text.count ? start..<i : nil
  }
}
