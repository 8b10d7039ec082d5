import FleetDomain
import Telemetry

/// The rows of a file, with the meaning of each cell.
struct RawTable {
  var format = ImportFormat.own
  var rows: [RawRow] = []
  var errors: [ImportError] = []
  var skipped: [ImportError] = []

  init(_ text: CSVText, _ kind: ImportKind, _ options: ImportOptions) {
    let lines = text.rows.filter { !$0.isEmpty }
    guard let header = lines.first else {
      errors = [ImportError(line: 1, column: nil, message: "expected a line with the names of the columns")]
      return
    }
    let first = header.cells[0].trimmed
    let names = Set(header.cells.map { $0.trimmed.lowercased() })
    if first.hasPrefix("## ") {
      format = .fuelio
      readFuelio(Section.all(in: lines), kind, options)
    } else if first.hasPrefix("#") {
      format = .drivvo
      readDrivvo(Section.all(in: lines), kind, options)
    } else if names.contains("date"), !names.isDisjoint(with: LubeLogger.cost) {
      format = .lubeLogger
      readLubeLogger(Section(header: header, rows: Array(lines.dropFirst())), kind, options)
    } else {
      let section = Section(header: header, rows: Array(lines.dropFirst()))
      switch kind {
      case .vehicles: readOwn(section, Vehicle.self, options)
      case .drivers: readOwn(section, Driver.self, options)
      case .fuelEntries: readOwn(section, FuelEntry.self, options)
      case .expenses: readOwn(section, Expense.self, options)
      case .maintenanceRecords: readOwn(section, MaintenanceRecord.self, options)
      }
    }
  }

  mutating func skip(_ row: CSVText.Row, _ reason: String) {
    skipped.append(ImportError(line: row.line, column: nil, message: reason))
  }

  /// Adds the error that the file's format cannot contain things of a kind.
  mutating func refuse(_ kind: ImportKind, line: Int = 1) {
    errors.append(
      ImportError(line: line, column: nil, message: "a file of \(format.rawValue) has no \(kind.rawValue)"))
  }

  // MARK: The own format

  private mutating func readOwn<Value: Kind>(_ section: Section, _ kind: Value.Type, _ options: ImportOptions) {
    var meanings: [(key: String, meaning: CellMeaning)?] = []
    let fields = kind.fields.filter { $0.access != .hidden }
    for (index, cell) in section.header.cells.enumerated() {
      let name = cell.trimmed
      let key = String(name.prefix { $0 != "." })
      guard let field = fields.first(where: { $0.keys.contains(key) }) else {
        let isIgnored = name.isEmpty || name == "createdAt" || name == "updatedAt"
        meanings.append(name == "id" ? (name, .text) : nil)
        if !isIgnored, name != "id" {
          let keys = fields.filter { $0.access == .client || $0.access == .creation }.map(\.key)
          errors.append(
            ImportError(
              line: section.header.line, column: index + 1,
              message: "unknown column \(JSON.text(name).summary); expected some of \(keys.joined(separator: ", "))"))
        }
        continue
      }
      // Ignore fields that only the server sets. Exports contain them, too.
      guard field.access == .client || field.access == .creation else {
        meanings.append(nil)
        continue
      }
      meanings.append((name, Self.meaning(of: field, name)))
    }
    for row in section.rows {
      var raw = RawRow(line: row.line)
      if let vehicle = options.vehicle, fields.contains(where: { $0.key == "vehicleId" }) {
        raw.constants["vehicleId"] = .text(vehicle)
      }
      guard row.cells.count <= meanings.count else {
        errors.append(
          ImportError(
            line: row.line, column: meanings.count + 1,
            message: "expected \(meanings.count) cells, found \(row.cells.count)"))
        continue
      }
      for (index, text) in row.cells.enumerated() {
        guard let (key, meaning) = meanings[index] else { continue }
        raw.cells[key] = RawCell(text: text, column: index + 1, meaning: meaning)
      }
      rows.append(raw)
    }
  }

  private static func meaning<Value: Kind>(of field: Field<Value>, _ name: String) -> CellMeaning {
    if name.hasSuffix(".amount") { return .amount }
    if name.contains(".") { return .text }
    switch field.type {
    case .integer, .real: return .number(times: 1)
    case .flag: return .flag
    case .time: return .time
    case .identifier: return .text
    case .json:
      if field.schema.contains(#""type":"array","items":{"type":"string""#) { return .list }
      // A list of lines with costs is JSON, a single cost is money.
      return field.schema.contains(#""currency""#) && !field.schema.contains(#""type":"array""#) ? .money : .json
    case .text: return field.schema.contains(#""format":"date""#) ? .day : .text
    }
  }
}

/// A section of a file with its own column names.
struct Section {
  /// The name in lower case; empty if the file has no sections.
  var name = ""
  let header: CSVText.Row
  let rows: [CSVText.Row]

  /// Returns the sections of a file. Each begins with a line such as `## Log`.
  static func all(in lines: [CSVText.Row]) -> [Section] {
    var sections: [Section] = []
    let starts = lines.indices.filter { lines[$0].cells[0].trimmed.hasPrefix("#") }
    for (place, start) in starts.enumerated() where start + 1 < lines.count {
      let end = place + 1 < starts.count ? starts[place + 1] : lines.count
      guard start + 1 < end else { continue }
      let name = lines[start].cells[0].trimmed.drop { $0 == "#" || $0 == " " }.lowercased()
      sections.append(Section(name: name, header: lines[start + 1], rows: Array(lines[(start + 2)..<end])))
    }
    return sections
  }

  /// Returns the index of the first column whose name, in lower case, satisfies a condition; `nil` if there is none.
  func column(where condition: (String) -> Bool) -> Int? {
    header.cells.firstIndex { condition($0.trimmed.lowercased()) }
  }

  func column(_ name: String) -> Int? { column { $0 == name.lowercased() } }
}

extension RawRow {
  /// Sets a cell and its meaning if the row has the column.
  mutating func set(_ key: String, _ column: Int?, of row: CSVText.Row, _ meaning: CellMeaning = .text) {
    guard let column, column < row.cells.count else { return }
    cells[key] = RawCell(text: row.cells[column], column: column + 1, meaning: meaning)
  }
}
