/// Short texts of the codes that ISO/SAE define (SAE J2012-DA), in this project's own words.
///
/// Only codes with an undisputed meaning have a text, because a wrong text sends a mechanic to the wrong part. Each
/// source file in the folder `Texts` contains the table of some functional groups. The rows of all tables together are
/// in ascending order of code.
enum GenericTexts {
  /// A code and its text.
  struct Row: BitwiseCopyable, Sendable {
    let code: UInt16
    let text: StaticString

    init(_ code: UInt16, _ text: StaticString) {
      self.code = code
      self.text = text
    }
  }

  /// Returns the text of a code; `nil` if there is none. The binary search takes at most nine steps.
  static func text(for code: UInt16) -> StaticString? {
    switch code >> 8 {
    case 0x00...0x01: search(p00to01.span, code)
    case 0x02...0x03: search(p02to03.span, code)
    case 0x04...0x05: search(p04to05.span, code)
    case 0x06...0x07: search(p06to07.span, code)
    case 0x08...0x0F: search(p08to0F.span, code)
    case 0x20...0x21: search(p20to21.span, code)
    case 0x22...0x23: search(p22to23.span, code)
    case 0x24...0x26: search(p24to26.span, code)
    case 0x27...0x3F: search(p27to3F.span, code)
    case 0x40...0xBF: search(chassisAndBody.span, code)
    case 0xC0...0xFF: search(network.span, code)
    default: nil
    }
  }

  /// All rows of all tables, in ascending order of code.
  static var rows: [Row] {
    var rows: [Row] = []
    append(p00to01.span, to: &rows)
    append(p02to03.span, to: &rows)
    append(p04to05.span, to: &rows)
    append(p06to07.span, to: &rows)
    append(p08to0F.span, to: &rows)
    append(p20to21.span, to: &rows)
    append(p22to23.span, to: &rows)
    append(p24to26.span, to: &rows)
    append(p27to3F.span, to: &rows)
    append(chassisAndBody.span, to: &rows)
    append(network.span, to: &rows)
    return rows
  }

  private static func search(_ piece: Span<Row>, _ code: UInt16) -> StaticString? {
    var low = 0
    var high = piece.count
    while low < high {
      let middle = (low + high) / 2
      let row = piece[middle]
      if row.code == code { return row.text }
      if row.code < code { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  private static func append(_ piece: Span<Row>, to rows: inout [Row]) {
    for index in piece.indices { rows.append(piece[index]) }
  }
}
