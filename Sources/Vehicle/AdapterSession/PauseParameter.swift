/// Reads the length of the pause that an adapter itself makes on a K-line. It is programmable parameter 1D in the list
/// of ATPPS, which has four parameters on each text line (ELM327 data sheet, Programmable Parameters: "ISO/KWP P3 time
/// (delay before sending requests)").
///
///     1C:03 F 1D:0F F 1E:4A F 1F:FF F
///
/// `N` (on) means that the listed value is used. `F` (off) means that the factory setting 0F is used instead. A
/// parameter that the firmware does not have is listed as FF. The pause is (value − 0.5) × 4.096 ms on average, and at
/// least (value − 1) × 4.096 ms, because the first interval of the adapter's counter may be partial.
struct PauseParameter {
  /// Smallest value of the parameter with which the pause is at least P3min: it is then at least 14 × 4.096 ms = 57.3
  /// ms. With 0E, the pause may be shorter than P3min.
  private static let least: UInt8 = 0x0F

  /// Whether the adapter makes a pause of at least P3min, according to a text line of the list; `nil` if the text line
  /// does not contain the parameter.
  static func isKept(_ line: Span<UInt8>) -> Bool? {
    var i = 0
    while i + 5 < line.count {
      if line[i] == UInt8(ascii: "1"), line[i + 1] == UInt8(ascii: "D"), line[i + 2] == UInt8(ascii: ":"),
        let high = digit(line[i + 3]), let low = digit(line[i + 4])
      {
        let value = high << 4 | low
        return isFlagged(line, after: i + 5) && value >= least && value != 0xFF
      }
      i += 1
    }
    return nil
  }

  /// Whether `N` or `F` follows the value. If not, the text line is damaged.
  private static func isFlagged(_ line: Span<UInt8>, after index: Int) -> Bool {
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
