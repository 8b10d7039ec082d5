import FleetAccess

/// Encodes texts for the headers of mails (RFC 2047).
enum EncodedWord {
  /// Maximum length of a line in a header, in characters (RFC 5322, section 2.1.1).
  private static let lineLength = 78

  /// Returns a header that contains a text. Short ASCII text is not encoded. Other text is divided into encoded words,
  /// each on a separate line.
  static func header(_ name: String, _ text: String) -> String {
    let plain = "\(name): \(text)"
    if isPlain(text), plain.utf8.count <= lineLength { return plain }
    return "\(name): \(words(text))"
  }

  /// Returns the name that precedes an address (RFC 5322, `phrase`): as plain words, a quoted string, or encoded words.
  static func phrase(_ name: String) -> String {
    guard isPlain(name), name.utf8.count <= 60 else { return words(name) }
    let isAtoms = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    if isAtoms { return name }
    let escaped = name.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    return "\"\(escaped)\""
  }

  /// Whether a text needs no encoding in a header: it is ASCII and does not look like an encoded word.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
  }

  /// Returns a text as encoded words of at most 64 characters, one on each line. No word ends inside a UTF-8 character.
  private static func words(_ text: String) -> String {
    var words: [String] = []
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      let next = Array(String(scalar).utf8)
      // 39 bytes give 52 base64 characters, and the delimiters of an encoded word add 12. The first line also contains
      // the header's name.
      if bytes.count + next.count > 39 {
        words.append(word(bytes))
        bytes = []
      }
      bytes += next
    }
    words.append(word(bytes))
    return words.joined(separator: "\r\n ")
  }

  private static func word(_ bytes: [UInt8]) -> String { "=?UTF-8?B?\(Base64.text(bytes))?=" }
}

extension Base64 {
  /// Returns bytes as base64 in lines of at most 76 characters (RFC 2045, section 6.8).
  static func lines(_ bytes: [UInt8]) -> [String] {
    stride(from: 0, to: bytes.count, by: 57).map { text(bytes[$0..<min($0 + 57, bytes.count)]) }
  }
}

/// Encodes the bodies of mails as ASCII lines of at most 76 characters (quoted-printable: RFC 2045, section 6.7).
enum QuotedPrintable {
  private static let lineLength = 76

  /// Encodes a text.
  ///
  /// - Parameter text: the text; its lines are separated by `\n`.
  /// - Returns: the encoded lines, without line ends.
  static func lines(_ text: String) -> [String] {
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var out = ""
      let bytes = Array(line.utf8)
      for (index, byte) in bytes.enumerated() {
        let isLast = index == bytes.count - 1
        // Encode a space at the end of a line, because mail servers may remove it.
        let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") || byte == 0x20 && !isLast
        let piece = isPlain ? String(Unicode.Scalar(byte)) : "=" + hexadecimal(byte)
        // A line ends with "=" if the text continues in the next line.
        if out.utf8.count + piece.utf8.count > lineLength - (isLast ? 0 : 1) {
          lines.append(out + "=")
          out = ""
        }
        out += piece
      }
      lines.append(out)
    }
    return lines
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }
}
