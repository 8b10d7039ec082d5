/// Distinguishes commands to an ELM327, and text lines that an ELM327 prints, from other text.
enum AdapterSpeech {
  /// Whether a text is a command, such as `ATZ`, `at sp 6`, `STI`, `010C1` or `22 F1 90`.
  static func isCommand(_ text: Span<UInt8>) -> Bool {
    let start = text.skippingBlanks(from: 0)
    let line = text.extracting(start..<max(start, text.trimmingEnd().count))
    guard line.count >= 2, line.count <= 512 else { return false }
    if line.hasIgnoringCase("AT") || line.hasIgnoringCase("ST") || line.hasIgnoringCase("VT") {
      for i in 2..<line.count where !isCommandCharacter(line[i]) { return false }
      return line.count <= 40
    }
    return isHex(line)
  }

  private static func isCommandCharacter(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte.isBlank || byte == UInt8(ascii: "@") || byte == UInt8(ascii: ",")
      || byte == UInt8(ascii: "#")
  }

  /// Whether a line is not empty and contains only hexadecimal digits and blanks.
  static func isHex(_ line: Span<UInt8>) -> Bool {
    for i in 0..<line.count where !line[i].isHexDigit && !line[i].isBlank { return false }
    return line.count > 0
  }

  /// Number of bytes at the start of a text in which prompts and noise are skipped.
  private static let noiseLimit = 6

  /// Whether a text is a line that an adapter prints: bytes in hexadecimal, a line of a long answer (`014` or
  /// `0: 49 02 …`), or a known message.
  static func isReply(_ text: Span<UInt8>) -> Bool {
    var start = text.skippingBlanks(from: 0)
    // Skip prompts, and noise of a reset or a wrong baud rate.
    while start < min(text.count, noiseLimit),
      text[start] >= 0x7F || text[start] < 0x20 || text[start] == UInt8(ascii: ">")
    {
      start = text.skippingBlanks(from: start + 1)
    }
    let line = text.extracting(start..<max(start, text.trimmingEnd().count))
    if line.count == 0 || isHexReply(line) || isVoltage(line) { return true }
    if line[0] == UInt8(ascii: "?") { return line.count <= 3 }
    for message in messages.span.indices where line.hasIgnoringCase(messages.span[message]) { return true }
    return false
  }

  /// Whether a line is a reply in hexadecimal: `41 0C 1A F8`, `0: 49 02 01 31 46 54`, `7E8 …`, `41 0C 1A <DATA ERROR`.
  private static func isHexReply(_ line: Span<UInt8>) -> Bool {
    var digits = 0
    for i in 0..<line.count {
      let byte = line[i]
      if byte == UInt8(ascii: "<") { return line.has("<DATA ERROR", at: i) || line.has("<RX ERROR", at: i) }
      if byte.isHexDigit { digits += 1 } else if !byte.isBlank, byte != UInt8(ascii: ":") || i > 2 { return false }
    }
    return digits > 0
  }

  /// Whether a line is a voltage such as `12.3V`.
  private static func isVoltage(_ line: Span<UInt8>) -> Bool {
    var i = 0
    guard case .seconds? = LogStamp.parse(line, at: &i), i < line.count else { return false }
    return line.count == i + 1 && line[i].asciiUppercased == UInt8(ascii: "V")
  }

  /// Beginnings of adapter messages, in upper case (ELM327 data sheet, "Error messages and alerts"), and of the answers
  /// to `AT I`, `AT DP` and `AT @1`.
  private static let messages: InlineArray<_, StaticString> = [
    "OK", "ELM3", "ELM 3", "STN", "OBDLINK", "OBDII TO RS232", "SCANTOOL", "VGATE", "VLINKER", "CARISTA", "SEARCHING",
    "NO DATA", "NODATA", "UNABLE TO CONNECT", "UNABLETOCONNECT", "BUS INIT", "BUSINIT", "BUS BUSY", "BUSBUSY",
    "BUS ERROR", "BUSERROR", "CAN ERROR", "CANERROR", "DATA ERROR", "<DATA ERROR", "RX ERROR", "<RX ERROR", "FB ERROR",
    "BUFFER FULL", "STOPPED", "ERROR", "ERR", "LV RESET", "ACT ALERT", "LP ALERT", "!", "AUTO", "SAE J1", "ISO 9141",
    "ISO 14230", "ISO 15765", "ISO1", "USER1", "USER2", "ICAR", "KONNWEI", "VERSION",
  ]
}
