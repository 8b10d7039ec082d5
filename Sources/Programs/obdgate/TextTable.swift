import Telemetry

/// Formats rows as a table whose columns are as wide as their widest cells.
enum TextTable {
  static func lines(_ rows: [[String]]) -> [String] {
    // Escape control characters first, because the width of a column depends on the escaped text.
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
