/// Makes a text of another program safe to show on a terminal. The result is one line of at most 200 characters without
/// control characters; `…` follows if the text was longer.
enum PlainText {
  private static let limit = 200

  static func shown(_ text: some StringProtocol) -> String {
    var shown = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == limit { return shown + "…" }
      switch scalar.properties.generalCategory {
      // Replace control characters, line ends, and marks that change the direction of text by spaces.
      case .control, .format, .lineSeparator, .paragraphSeparator: shown += " "
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// Escapes control characters in a text line of JSON, for example as `\u009B`. The JSON values do not change.
  static func escaped(_ line: [UInt8]) -> [UInt8] {
    // In UTF-8, U+007F is one byte, and U+0080 to U+009F are C2 80 to C2 9F (RFC 3629, section 3). Valid JSON contains
    // no control characters below U+0020.
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
