import FleetDomain
import Telemetry

/// The rows of a file, with the meaning of each cell.
struct RawTable {
  let kind: ImportKind
  var format = ImportFormat.own
  var rows: [RawRow] = []
  var errors: [ImportError] = []
  var skipped: [ImportError] = []
  var rest: [ImportRest] = []
  /// The order of day and month that the program always uses; `nil` if it depends on the person's settings.
  var dates: DateOrder?
  /// The maximum number of errors.
  static let mostErrors = 1_000
  /// The maximum number of unknown columns that are reported, each as a separate error. If there are more, one further
  /// error states their number.
  private static let mostUnknown = 20
  /// The columns of the current section that were used.
  var used: Set<Int> = []

  init(_ text: CSVText, _ kind: ImportKind, _ options: ImportOptions) {
    self.kind = kind
    let lines = text.rows.filter { !$0.isEmpty }
    guard let header = lines.first else {
      errors = [ImportError(line: 1, column: nil, message: "expected a line with the names of the columns")]
      return
    }
    let section = Section(header: header, rows: Array(lines.dropFirst()))
    guard areShort([section]) else { return }
    format = Self.format(of: section, kind)
    let sections = format == .fuelio || format == .drivvo ? Section.all(in: lines) : []
    guard areShort(sections) else { return }
    switch format {
    case .fuelio: readFuelio(sections, options)
    case .drivvo: readDrivvo(sections, options)
    case .lubeLogger: readLubeLogger(section, options)
    case .fuelly: readFuelly(section, options)
    case .spritmonitor: readSpritmonitor(section, options)
    case .fleetio: readFleetio(section, options)
    case .teslaFi: readTeslaFi(section, options)
    case .traccar: readTraccar(lines, options)
    case .track: readTrack(section, options)
    case .own: readOwn(section, options)
    }
    requireOneVehicle(options)
  }

  /// Returns whether the names of all columns are short. Adds an error if one is too long.
  private mutating func areShort(_ sections: [Section]) -> Bool {
    for section in sections where section.longestName > CSVText.mostNameBytes {
      fail(
        section.header.line, section.names.firstIndex { $0.utf8.count > CSVText.mostNameBytes },
        "expected the name of a column with at most \(CSVText.mostNameBytes) bytes, found \(section.longestName)")
      return false
    }
    return true
  }

  /// Returns the format of a file, which is recognised by the names of its columns.
  private static func format(of section: Section, _ kind: ImportKind) -> ImportFormat {
    let first = section.header.cells[0].trimmed
    let names = Set(section.names)
    if first.hasPrefix("## ") { return .fuelio }
    if first.hasPrefix("#") { return .drivvo }
    if names.isSuperset(of: Fuelly.names) { return .fuelly }
    if names.isSuperset(of: Spritmonitor.names) { return .spritmonitor }
    // Files of TeslaFi also have a column of Fleetio.
    if names.isSuperset(of: TeslaFi.names) { return .teslaFi }
    if !names.isDisjoint(with: Fleetio.names), names.contains("date") { return .fleetio }
    if first.lowercased() == Traccar.reportMark || Traccar.kind(of: names) != nil { return .traccar }
    if kind == .tracks && !names.contains("vehicleid") || names.contains("devicename"), Track.hasPositions(names) {
      return .track
    }
    if names.contains("date"), !names.isDisjoint(with: LubeLogger.cost.union(LubeLogger.odometer)) {
      return .lubeLogger
    }
    return .own
  }

  mutating func skip(_ row: CSVText.Row, _ reason: String) {
    skipped.append(ImportError(line: row.line, column: nil, message: reason))
  }

  mutating func fail(_ line: Int, _ column: Int?, _ message: String) {
    guard errors.count < Self.mostErrors else { return }
    errors.append(ImportError(line: line, column: column.map { $0 + 1 }, message: message))
  }

  /// Adds the error that the file does not contain things of the requested kind.
  ///
  /// - Parameter kinds: the kinds of things that the file contains.
  mutating func refuse(line: Int = 1, has kinds: [ImportKind] = []) {
    let hint = kinds.isEmpty ? "" : "; it has \(kinds.map { "kind=\($0.rawValue)" }.joined(separator: ", "))"
    fail(line, nil, "this file of \(format.rawValue) has no \(kind.rawValue)\(hint)")
  }

  /// Returns a new row without cells. Its vehicle is the vehicle in the options, if they contain one.
  func new(_ row: CSVText.Row, _ options: ImportOptions) -> RawRow {
    var raw = RawRow(line: row.line)
    if let vehicle = options.vehicle { raw.constants["vehicleId"] = .text(vehicle) }
    return raw
  }

  /// If the options contain a vehicle, uses it for all rows, instead of the vehicle in the file. Adds an error if the
  /// file has rows of several vehicles.
  private mutating func requireOneVehicle(_ options: ImportOptions) {
    guard options.vehicle != nil else { return }
    let names = Set(rows.map(\.vehicleNames).filter { !$0.isEmpty })
    if names.count > 1 {
      let list = names.map { JSON.text($0[0]).summary }.sorted().prefix(10).joined(separator: ", ")
      fail(rows.first?.line ?? 1, nil, "the file has rows of several vehicles (\(list)); leave out vehicle=")
    }
    for index in rows.indices { rows[index].vehicleNames = [] }
  }

  // MARK: The own format

  private mutating func readOwn(_ section: Section, _ options: ImportOptions) {
    switch kind {
    case .vehicles: readOwn(section, Vehicle.self, options)
    case .drivers: readOwn(section, Driver.self, options)
    case .fuelEntries: readOwn(section, FuelEntry.self, options)
    case .expenses: readOwn(section, Expense.self, options)
    case .maintenanceRecords: readOwn(withoutCancelled(section), MaintenanceRecord.self, options)
    case .serviceSchedules: readOwn(section, ServiceSchedule.self, options)
    case .meterReadings: readOwn(section, MeterReading.self, options)
    case .trips: readOwn(section, ImportedTrip.columns, options)
    case .tracks: readOwn(section, ImportedPosition.columns, options)
    }
  }

  /// Returns the rows of maintenance records that are not cancelled, and skips the others. A cancelled record has no
  /// effect, and a new record cannot be cancelled.
  private mutating func withoutCancelled(_ section: Section) -> Section {
    guard let column = section.column("status") else { return section }
    var rows: [CSVText.Row] = []
    for row in section.rows {
      guard WorkTurn.mayContinue else { break }
      if column < row.cells.count, row.cells[column].trimmed == MaintenanceRecord.Status.cancelled.rawValue {
        skip(row, "this record is cancelled; cancelled records are not imported")
      } else {
        rows.append(row)
      }
    }
    return Section(header: section.header, rows: rows)
  }

  /// Columns of exported lists that an import ignores, because they contain no fields of the kind: the times of a
  /// thing, and the column for all members that have no column of their own.
  private static let computed: Set<String> = ["createdAt", "updatedAt", "addedAt", "more"]

  private mutating func readOwn<Value: Kind>(_ section: Section, _ kind: Value.Type, _ options: ImportOptions) {
    let fields = kind.fields.filter { $0.access != .hidden }
    let settable = fields.filter { $0.access == .client || $0.access == .creation }
    readOwn(
      section, hasVehicle: fields.contains { $0.key == "vehicleId" }, keys: settable.map(\.key), options
    ) { name in
      if name == "id" { return .cell(.text) }
      if name.isEmpty || Self.computed.contains(name) { return .computed }
      let key = String(name.prefix { $0 != "." })
      guard let field = fields.first(where: { $0.keys.contains(key) }) else {
        return kind is FuelEntry.Type && key == FuelEntry.costKey ? .computed : nil
      }
      // Exports also contain the fields that only the server sets.
      guard field.access == .client || field.access == .creation else { return .computed }
      return .cell(Self.meaning(of: field, name))
    }
  }

  private mutating func readOwn(_ section: Section, _ columns: [String: CellMeaning], _ options: ImportOptions) {
    readOwn(section, hasVehicle: true, keys: columns.keys.sorted(), options) { name in
      name == "id" ? .computed : columns[name].map { .cell($0) }
    }
  }

  /// How a column of the server's own format is used.
  private enum Column {
    case cell(CellMeaning)
    /// Only the server sets the values.
    case computed
  }

  private mutating func readOwn(
    _ section: Section, hasVehicle: Bool, keys: [String], _ options: ImportOptions, _ column: (String) -> Column?
  ) {
    var meanings: [(key: String, meaning: CellMeaning)?] = []
    var (computed, unknown): ([String], [Int]) = ([], [])
    let valued = section.valued()
    for (index, cell) in section.header.cells.enumerated() {
      let name = cell.trimmed
      switch column(name) {
      case .cell(let meaning)?: meanings.append((name, meaning))
      case .computed?:
        meanings.append(nil)
        if valued.contains(index) { computed.append(name.isEmpty ? "column \(index + 1)" : name) }
      case nil:
        meanings.append(nil)
        unknown.append(index)
        guard unknown.count <= Self.mostUnknown else { continue }
        fail(
          section.header.line, index,
          "unknown column \(JSON.text(name).summary); expected some of \(keys.joined(separator: ", "))")
      }
    }
    if unknown.count > Self.mostUnknown {
      fail(
        section.header.line, unknown[Self.mostUnknown], "\(unknown.count - Self.mostUnknown) further unknown columns")
    }
    for row in section.rows {
      // More rows are an error.
      guard rows.count <= ImportFile.mostRows, WorkTurn.mayContinue else { break }
      var raw = RawRow(line: row.line)
      if let vehicle = options.vehicle, hasVehicle { raw.constants["vehicleId"] = .text(vehicle) }
      guard row.cells.count <= meanings.count else {
        fail(row.line, meanings.count, "expected \(meanings.count) cells, found \(row.cells.count)")
        continue
      }
      for (index, text) in row.cells.enumerated() {
        guard let (key, meaning) = meanings[index] else { continue }
        raw.cells[key] = RawCell(text: text, column: index + 1, meaning: meaning)
      }
      rows.append(raw)
    }
    report(columns: computed, of: section, because: "an import does not set them")
  }

  private static func meaning<Value: Kind>(of field: Field<Value>, _ name: String) -> CellMeaning {
    if name.hasSuffix(".amount") { return .amount }
    if name.contains(".") { return field.schema.contains(#""currency""#) ? .text : .member }
    switch field.type {
    case .integer, .real: return .number
    case .flag: return .flag
    case .time: return .time
    case .identifier: return .text
    case .json:
      if field.schema.contains(#""type":"array""#), field.schema.contains(#""items":{"type":"string""#) { return .list }
      // A list of lines with costs is JSON, a single cost is money.
      return field.schema.contains(#""currency""#) && !field.schema.contains(#""type":"array""#) ? .money : .json
    case .text: return field.schema.contains(#""format":"date""#) ? .day : .text
    }
  }
}
