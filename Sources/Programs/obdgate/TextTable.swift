import Telemetry

/// Formats rows as a table. Each column is as wide as its widest cell.
enum TextTable {
  static func lines(_ rows: [[String]]) -> [String] {
    // Control characters are escaped first, because the width of a column depends on the escaped text.
    let rows = rows.map { $0.map(\.printable) }
    guard let columns = rows.first?.indices else { return [] }
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = row.indices.map { row[$0].padded(to: widths[$0]) }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
