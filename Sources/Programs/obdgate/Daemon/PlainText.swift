/// What others say, as a terminal is shown it: on one line, nothing that it would obey, not without end.
enum PlainText {
  private static let limit = 200

  static func shown(_ text: some StringProtocol) -> String {
    var shown = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == limit { return shown + "…" }
      switch scalar.properties.generalCategory {
      // Escapes, line ends, and marks that turn the direction of what follows.
      case .control, .format, .lineSeparator, .paragraphSeparator: shown += " "
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// A line of JSON with such characters as `\u009B`: the same text to whoever reads it, no command to a terminal.
  static func escaped(_ line: [UInt8]) -> [UInt8] {
    // U+007F is one byte, U+0080 to U+009F are C2 80 to C2 9F (RFC 3629, 3); what is below has no place in JSON.
    guard line.contains(where: { $0 == 0x7F || $0 == 0xC2 }) else { return line }
    var escaped: [UInt8] = []
    var index = 0
    while index < line.count {
      let (byte, next) = (line[index], index + 1 < line.count ? line[index + 1] : 0)
      if byte == 0x7F {
        escaped += Array("\\u007F".utf8)
        index += 1
      } else if byte == 0xC2, (0x80...0x9F).contains(next) {
        escaped += Array("\\u00\(String(next, radix: 16, uppercase: true))".utf8)
        index += 2
      } else {
        escaped.append(byte)
        index += 1
      }
    }
    return escaped
  }
}
