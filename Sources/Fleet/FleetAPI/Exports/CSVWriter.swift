import FleetWork

/// Writes CSV (RFC 4180): a header, then one line for each row. Lines end with CR LF, and the text is UTF-8.
///
/// Texts that a spreadsheet could evaluate as formulas get an apostrophe (``FormulaGuard``). Numbers are written
/// unchanged.
struct CSVWriter: ExportWriter {
  private let columns: [ExportColumn]

  init(_ columns: [ExportColumn]) { self.columns = columns }

  mutating func begin() -> [UInt8] { line(columns.map { .text($0.name) }) }

  mutating func add(_ cells: [ExportCell]) -> [UInt8] { line(cells) }

  mutating func finish() -> [UInt8] { [] }

  private func line(_ cells: [ExportCell]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      switch cell {
      case .empty: break
      case .number(let text): bytes.append(contentsOf: text.utf8)
      case .flag(let flag): bytes += Array((flag ? "true" : "false").utf8)
      case .text(let text): Self.append(FormulaGuard.guarded(text), to: &bytes)
      }
    }
    return bytes + Array("\r\n".utf8)
  }

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
    default: false
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    // Quote an empty text, because nothing between two commas means an empty cell. Quote a text with `;`, because many
    // spreadsheets regard `;` as a separator.
    let isQuoted =
      text.isEmpty || text.first == " " || text.last == " " || text.utf8.contains(where: Self.needsQuotes)
    guard isQuoted else {
      bytes.append(contentsOf: text.utf8)
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
