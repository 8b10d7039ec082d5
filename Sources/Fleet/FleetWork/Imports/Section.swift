import FleetDomain

/// A section of a file with its own column names.
struct Section {
  /// The name in lower case; empty if the file has no sections.
  var name = ""
  /// The name as the file writes it.
  var title = ""
  let header: CSVText.Row
  let rows: [CSVText.Row]
  /// The names of the columns in lower case.
  let names: [String]
  /// For each name, the index of the first column with this name.
  private let indices: [String: Int]

  init(name: String = "", title: String = "", header: CSVText.Row, rows: [CSVText.Row]) {
    (self.name, self.title, self.header, self.rows) = (name, title, header, rows)
    // Every row looks for columns, so find the names only once.
    names = header.cells.map { $0.trimmed.lowercased() }
    indices = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// Returns the sections of a file. A section begins with a row whose first cell is a title such as `## Log`, and
  /// whose other cells are empty.
  static func all(in lines: [CSVText.Row]) -> [Section] {
    var sections: [Section] = []
    let starts = lines.indices.filter { index in
      let cells = lines[index].cells
      return cells[0].trimmed.hasPrefix("#") && cells.dropFirst().allSatisfy { $0.allSatisfy(\.isWhitespace) }
    }
    for (place, start) in starts.enumerated() {
      let end = place + 1 < starts.count ? starts[place + 1] : lines.count
      guard start + 1 < end else { continue }
      let title = String(lines[start].cells[0].trimmed.drop { $0 == "#" || $0 == " " })
      sections.append(
        Section(
          name: title.lowercased(), title: title, header: lines[start + 1], rows: Array(lines[(start + 2)..<end])))
    }
    return sections
  }

  /// Returns the index of the first column whose name, in lower case, satisfies a condition; `nil` if there is none.
  func column(where condition: (String) -> Bool) -> Int? {
    names.firstIndex(where: condition)
  }

  /// Returns the index of the first column with one of these names; `nil` if there is none.
  func column(_ names: String...) -> Int? { names.lazy.compactMap { indices[$0] }.min() }

  /// The length of the longest name of a column in bytes.
  var longestName: Int { names.lazy.map(\.utf8.count).max() ?? 0 }

  /// Returns the indices of the columns that have at least one value. Examines each cell once.
  ///
  /// - Parameters:
  ///   - columns: returns whether to examine the column that has the given index.
  ///   - isValue: whether a text is a value.
  func valued(
    _ columns: (Int) -> Bool = { _ in true }, where isValue: (String) -> Bool = { !$0.isEmpty }
  ) -> Set<Int> {
    var found: Set<Int> = []
    for row in rows {
      guard WorkTurn.mayContinue else { break }
      for (column, cell) in row.cells.enumerated() where columns(column) && !found.contains(column) {
        if isValue(cell.trimmed) { found.insert(column) }
      }
    }
    return found
  }
}

extension RawRow {
  /// Sets a cell and its meaning if the row has the column.
  mutating func set(_ key: String, _ column: Int?, of row: CSVText.Row, _ meaning: CellMeaning = .text) {
    guard let column, column < row.cells.count else { return }
    cells[key] = RawCell(text: row.cells[column], column: column + 1, meaning: meaning)
  }
}

extension RawTable {
  // MARK: Parts that are not imported

  /// Reads the rows of a section. Afterwards, reports all columns with values that no row has used. If no row could be
  /// read because of errors, it is not known which columns are used, and none is reported.
  ///
  /// - Parameter read: reads a row. The closure reads cells with ``text(_:of:)``, or adds them to ``rows``.
  mutating func read(_ section: Section, _ read: (inout RawTable, CSVText.Row) -> Void) {
    let (first, failed) = (rows.count, errors.count)
    used = []
    for row in section.rows {
      // More rows are an error.
      guard rows.count <= ImportFile.mostRows, WorkTurn.mayContinue else { break }
      read(&self, row)
    }
    guard rows.count > first || errors.count == failed else { return }
    for row in rows[first...] { used.formUnion(row.cells.values.map { $0.column - 1 }) }
    reportUnusedColumns(of: section)
  }

  /// Returns the text of a cell, and stores that its column is used.
  ///
  /// - Returns: an empty text if there is no such cell.
  mutating func text(_ column: Int?, of row: CSVText.Row) -> String {
    guard let column else { return "" }
    used.insert(column)
    return column < row.cells.count ? row.cells[column].trimmed : ""
  }

  private mutating func reportUnusedColumns(of section: Section) {
    var names: [String] = []
    let unused = section.valued({ !used.contains($0) }, where: { !$0.isEmpty && !Self.isNone($0) })
    for column in unused.sorted() {
      let name = column < section.header.cells.count ? section.header.cells[column].trimmed : ""
      names.append(name.isEmpty ? "column \(column + 1)" : name)
    }
    report(columns: names, of: section, because: "\(kind.rawValue) have no field for them")
  }

  /// Whether a text means that there is no value.
  static func isNone(_ text: String) -> Bool { ["None", "<invalid>", "null"].contains(text) }

  mutating func report(columns names: [String], of section: Section, because reason: String) {
    guard !names.isEmpty else { return }
    let place = section.title.isEmpty ? "" : " of section \(JSON.text(section.title).summary)"
    let list = names.map { JSON.text($0).summary }.joined(separator: ", ")
    rest.append(
      ImportRest(
        line: section.header.line, rows: nil, columns: names,
        message:
          "not imported: \(names.count) \(names.count == 1 ? "column" : "columns")\(place) (\(list)), because \(reason)"
      ))
  }

  /// Reports the rows of all sections except the section that this import reads.
  ///
  /// - Parameter kinds: for the name of each section, the kinds of import that read this section.
  mutating func report(unread sections: [Section], read: Section?, kinds: [String: [ImportKind]]) {
    for section in sections where section.header.line != read?.header.line && !section.rows.isEmpty {
      let others = kinds[section.name, default: []].filter { $0 != kind }
      let reason =
        others.isEmpty
        ? "the server has no import for this section"
        : "this import reads \(kind.rawValue); repeat the import with \(others.map { "kind=\($0.rawValue)" }.joined(separator: " or "))"
      rest.append(
        ImportRest(
          line: section.header.line, rows: section.rows.count, columns: [],
          message:
            "not imported: \(section.rows.count) \(section.rows.count == 1 ? "row" : "rows") of section \(JSON.text(section.title).summary), because \(reason)"
        ))
    }
  }
}
