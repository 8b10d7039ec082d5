import FleetDomain
import Telemetry

/// The rows of a file that is imported.
public struct ImportFile: Sendable {
  public let format: ImportFormat
  public private(set) var rows: [ImportRow] = []
  public private(set) var errors: [ImportError] = []
  /// Rows that do not describe a thing of the imported kind, such as reminders. Each entry contains the reason.
  public private(set) var skipped: [ImportError] = []
  /// Local times that do not exist or occur twice, because clocks were set forward or back. Each entry contains the
  /// time that was assumed.
  public private(set) var warnings: [ImportError] = []
  /// Sections and columns whose values are not imported. Each entry contains the reason.
  public private(set) var rest: [ImportRest] = []

  /// The maximum number of rows.
  public static let mostRows = 5_000
  /// The maximum number of entries in ``skipped`` and in ``rest``. If there would be more, one further entry states
  /// their number.
  static let mostMessages = 5_000

  /// Reads a file of any known format. Rows with errors are left out.
  ///
  /// - Parameter rest: the sections and columns that were already left out when `text` was read.
  public init(_ text: CSVText, _ kind: ImportKind, _ options: ImportOptions, rest: [ImportRest] = []) {
    let table = RawTable(text, kind, options)
    format = table.format
    (errors, skipped, self.rest) = (table.errors, table.skipped, rest + table.rest)
    boundMessages()
    guard table.rows.count <= Self.mostRows else {
      errors.append(
        ImportError(
          line: table.rows[Self.mostRows].line, column: nil,
          message: "expected at most \(Self.mostRows) rows, found more; divide the file"))
      return
    }
    let forms = Forms(table, text, options)
    for row in table.rows {
      guard WorkTurn.mayContinue else { break }
      guard errors.count < RawTable.mostErrors else {
        errors.append(ImportError(line: row.line, column: nil, message: "the errors of further rows are not listed"))
        break
      }
      var result = ImportRow(
        line: row.line, values: row.constants, columns: text.isExact ? [:] : row.cells.mapValues(\.column),
        vehicleNames: row.vehicleNames, sourceID: row.sourceID.map { "\(format.rawValue) \($0)" })
      for (key, cell) in row.cells.sorted(by: { $0.key < $1.key }) {
        switch forms.read(cell, currency: row.currency ?? options.currency, options.zone) {
        case .success(.null): break
        case .success(let json) where key == "id" && kind != .vehicles:
          result.id = try? UUIDv7(json: json)
          if result.id == nil {
            errors.append(result.error(key, "expected a UUID of version 7, found \(json.summary)"))
          }
        case .success(let json):
          result.set(json, key)
          if let doubt = forms.doubt(cell, options.zone) { warnings.append(result.error(key, doubt)) }
        case .failure(let reason): errors.append(result.error(key, reason.message))
        }
      }
      if kind == .fuelEntries, format == .own, result.id == nil, result.values["energy"] == nil {
        result.values["energy"] = options.energy?.json
      }
      if errors.last?.line != row.line { rows.append(result) }
    }
    forgetRepeatedIDs()
    skipRepeatedTimes(kind)
    errors.sort { ($0.line, $0.column ?? 0) < ($1.line, $1.column ?? 0) }
  }

  /// If several rows have the same ID from the program that wrote the file, removes this ID from all of them, because
  /// it identifies no row.
  private mutating func forgetRepeatedIDs() {
    let numbers = Dictionary(grouping: rows.compactMap(\.sourceID)) { $0 }.mapValues(\.count)
    for index in rows.indices where rows[index].sourceID.map({ numbers[$0] != 1 }) ?? false {
      rows[index].sourceID = nil
    }
  }

  /// Shortens the lists of skipped rows and of other parts that are not imported. A last entry states how many are not
  /// listed.
  private mutating func boundMessages() {
    if skipped.count > Self.mostMessages {
      let others = skipped.count - Self.mostMessages
      let line = skipped[Self.mostMessages].line
      skipped.removeLast(others)
      skipped.append(ImportError(line: line, column: nil, message: "\(others) further rows are not listed"))
    }
    if rest.count > Self.mostMessages {
      let others = rest.count - Self.mostMessages
      let line = rest[Self.mostMessages].line
      rest.removeLast(others)
      rest.append(
        ImportRest(line: line, rows: nil, columns: [], message: "\(others) further parts of the file are not listed"))
    }
  }

  /// Skips rows that have the same vehicle and time as an earlier row. Applies only to kinds that become records.
  private mutating func skipRepeatedTimes(_ kind: ImportKind) {
    guard kind.areRecords else { return }
    var seen: Set<[JSON]> = []
    rows.removeAll { row in
      let key = [
        row.values["vehicleId"] ?? .array(row.vehicleNames.map { .text($0) }), row.values[kind.timeKey] ?? .null,
      ]
      guard !seen.insert(key).inserted else { return false }
      skipped.append(ImportError(line: row.line, column: nil, message: "an earlier row has the same time"))
      return true
    }
  }

  /// Adds values that the file lacks, from the stored vehicles. Each row gets the id of the vehicle that it names. Each
  /// fuel entry gets the energy that its vehicle uses.
  ///
  /// - Parameters:
  ///   - vehicles: for each name in ``ImportRow/vehicleNames``, the id of the vehicle.
  ///   - energies: for the id of each vehicle, the energy that the vehicle uses.
  public mutating func complete(
    _ kind: ImportKind, vehicles: [String: String], energies: [String: FuelEntry.Energy]
  ) {
    var known: [ImportRow] = []
    for var row in rows {
      if let name = row.vehicleNames.first {
        guard let id = row.vehicleNames.lazy.compactMap({ vehicles[$0] }).first else {
          errors.append(
            row.error(
              "vehicleId",
              "no single vehicle has the ID, VIN, registration number or name \(JSON.text(name).summary); add the vehicles first, or add vehicle="
            ))
          continue
        }
        row.values["vehicleId"] = .text(id)
      }
      // A row with an id changes a stored entry, which has its energy.
      let isNewEntry = format != .own || row.id == nil && row.values["vehicleId"] != nil
      if kind == .fuelEntries, isNewEntry, row.values["energy"] == nil {
        guard let energy = row.values["vehicleId"]?.textValue.flatMap({ energies[$0] }) else {
          errors.append(
            row.error(
              "energy", "the file and the fuelType of the vehicle do not tell it; add energy=petrol, or another one"))
          continue
        }
        row.values["energy"] = energy.json
      }
      known.append(row)
    }
    rows = known
    errors.sort { ($0.line, $0.column ?? 0) < ($1.line, $1.column ?? 0) }
  }
}

extension ImportRow {
  /// Sets the value at a path: `total.amount` is the member `amount` of the object `total`.
  fileprivate mutating func set(_ json: JSON, _ path: String) {
    guard let point = path.firstIndex(of: ".") else {
      values[path] = json
      return
    }
    let (key, rest) = (String(path[..<point]), String(path[path.index(after: point)...]))
    var members: [String: JSON] = [:]
    if case .object(let old)? = values[key] { members = old }
    members[rest] = json
    values[key] = .object(members)
  }
}
