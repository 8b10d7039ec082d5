/// What an adapter says of the pause that it keeps itself on a K-line: programmable parameter 1D, one of those that ATPPS
/// lists, four a line (ELM327 data sheet, Programmable Parameters: "ISO/KWP P3 time (delay before sending requests)").
///
///     1C:03 F 1D:0F F 1E:4A F 1F:FF F
///
/// `F`: off, and the factory's 0F holds; `N`: on. A number that the firmware does not have is listed as FF. The pause is
/// (value − 0.5) × 4.096 ms on the average: a count of 4.096 ms that begins anywhere within one, and so at least value − 1
/// of them.
struct PauseParameter {
  /// 14 × 4.096 ms = 57.3 ms at the least; 0E might be shorter than P3min.
  private static let least: UInt8 = 0x0F

  /// Whether a line of the list says that P3min is kept; nil where it does not speak of it.
  static func isKept(_ line: Span<UInt8>) -> Bool? {
    var i = 0
    while i + 5 < line.count {
      if line[i] == UInt8(ascii: "1"), line[i + 1] == UInt8(ascii: "D"), line[i + 2] == UInt8(ascii: ":"),
        let high = digit(line[i + 3]), let low = digit(line[i + 4])
      {
        let value = high << 4 | low
        return isFlagged(line, behind: i + 5) && value >= least && value != 0xFF
      }
      i += 1
    }
    return nil
  }

  /// Without its N or F the line is damaged.
  private static func isFlagged(_ line: Span<UInt8>, behind index: Int) -> Bool {
    for i in index..<line.count where line[i] != 0x20 {
      return line[i] == UInt8(ascii: "N") || line[i] == UInt8(ascii: "F")
    }
    return false
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    default: nil
    }
  }
}
