import FleetAccess
import FleetDomain
import FleetWork
import HTTPTypes
import Synchronization
import Telemetry

/// `/api/imports`: imports things from CSV files of this server or of other programs.
struct ImportRoutes {
  let storage: any FleetStorage

  var routes: [Route] { [route] }

  private var route: Route {
    func choice(_ name: String, _ text: String, _ values: [String]) -> Operation.Parameter {
      .query(name, text, #"{"enum":[\#(values.map { "\"\($0)\"" }.joined(separator: ","))]}"#)
    }
    let operation = Operation(
      id: "importThings",
      summary:
        "Adds the rows of a CSV file, all or none: the server's own format, or exports of Fuelio, Drivvo and LubeLogger. The same rows again change nothing.",
      parameters: [
        choice("kind", "What the rows are.", ImportKind.allCases.map(\.rawValue)),
        choice("dryRun", "`true`: only reports what would be done.", ["true", "false"]),
        .query("vehicle", "The vehicle of all rows, if the file has none.", #"{"type":"string"}"#),
        choice("energy", "The energy, if the file has none.", FuelEntry.Energy.allCases.map(\.rawValue)),
        .query(
          "currency", "The currency (ISO 4217), if the file has none.", #"{"type":"string","pattern":"^[A-Z]{3}$"}"#),
        choice("distanceUnit", "The unit of odometers, if the file has none.", DistanceUnit.allCases.map(\.rawValue)),
        choice("volumeUnit", "The unit of volumes, if the file has none.", Self.volumes.map(\.rawValue)),
        choice("decimal", "The decimal mark, if the file does not show it.", DecimalMark.allCases.map(\.rawValue)),
        choice("dates", "The order of dates, if the file does not show it.", DateOrder.allCases.map(\.rawValue)),
      ], body: .init(types: ["text/csv"], schema: nil), results: [.init(.ok, "The result.", .json("ImportResult"))],
      errors: [.conflict])
    return Route(.post, "/api/imports", .may(.write, .settings), operation) { call in
      try call.requireType(["text/csv"])
      let kind: ImportKind = try Self.require(call, "kind")
      let isDryRun = try call.flag("dryRun")
      let options = try Self.options(call)
      let bytes = try await call.body()
      try await call.memory.grow(to: 16 * bytes.count)
      let file = try await call.heavily(bytes.count) { () -> ImportFile in
        do throws(ImportError) {
          return ImportFile(try CSVText(bytes), kind, options)
        } catch {
          throw Self.failure([error])
        }
      }
      if !isDryRun, !file.errors.isEmpty { throw Self.failure(file.errors) }
      let result = try await store(file, kind, isDryRun: isDryRun, call)
      if !isDryRun, !result.errors.isEmpty { throw Self.failure(result.errors) }
      return Answer(json: Array(result.json(file, kind, isDryRun: isDryRun).canonicalText.utf8))
    }
  }

  private static let volumes: [FuelEntry.Unit] = [.litre, .usGallon, .imperialGallon]

  /// Returns the errors with their lines and columns, in the same format as the errors of a JSON body.
  private static func failure(_ errors: [ImportError]) -> ThingError {
    .invalid(
      FieldErrors(
        errors.prefix(1_000).map { error in
          FieldError("line \(error.line)" + (error.column.map { ", column \($0)" } ?? ""), error.message)
        }))
  }

  private static func value<Value: RawRepresentable & CaseIterable>(
    _ call: Call, _ name: String
  ) throws(APIError) -> Value? where Value.RawValue == String {
    guard let text = call.query[name] else { return nil }
    guard let value = Value(rawValue: text) else {
      let all = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw .badRequest("query: \(name): expected one of \(all), found \(quoted(text))")
    }
    return value
  }

  private static func require<Value: RawRepresentable & CaseIterable>(
    _ call: Call, _ name: String
  ) throws(APIError) -> Value where Value.RawValue == String {
    guard let value: Value = try value(call, name) else {
      let all = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw .badRequest("query: \(name): expected one of \(all), found none")
    }
    return value
  }

  private static func options(_ call: Call) throws(APIError) -> ImportOptions {
    var options = ImportOptions()
    options.vehicle = try call.vehicleFilter()
    options.energy = try value(call, "energy")
    options.distanceUnit = try value(call, "distanceUnit")
    options.volumeUnit = try value(call, "volumeUnit")
    options.decimal = try value(call, "decimal")
    options.dates = try value(call, "dates")
    if let text = call.query["currency"] {
      guard Money(amount: "0", currency: text) != nil else {
        throw .badRequest("query: currency: expected three letters like EUR (ISO 4217), found \(quoted(text))")
      }
      options.currency = text
    }
    return options
  }

  // MARK: Storage

  private enum Action: String {
    case create, change, unchanged
  }

  private struct Outcome: Sendable {
    var rows: [(line: Int, action: Action, id: String)] = []
    var errors: [ImportError] = []

    func json(_ file: ImportFile, _ kind: ImportKind, isDryRun: Bool) -> JSON {
      func count(_ action: Action) -> JSON { .integer(Int64(rows.count { $0.action == action })) }
      func json(_ error: ImportError) -> JSON {
        var members: [String: JSON] = ["line": .integer(Int64(error.line)), "message": .text(error.message)]
        if let column = error.column { members["column"] = .integer(Int64(column)) }
        return .object(members)
      }
      let errors = (file.errors + errors).sorted { ($0.line, $0.column ?? 0) < ($1.line, $1.column ?? 0) }
      return .object([
        "format": .text(file.format.rawValue), "kind": .text(kind.rawValue), "dryRun": .bool(isDryRun),
        "created": count(.create), "changed": count(.change), "unchanged": count(.unchanged),
        "rows": .array(
          rows.map { row in
            .object(["line": .integer(Int64(row.line)), "action": .text(row.action.rawValue), "id": .text(row.id)])
          }),
        "skipped": .array(file.skipped.map(json)), "errors": .array(errors.map(json)),
      ])
    }
  }

  /// The number of rows in one transaction. In SQLite, changes of all other tenants wait for it.
  private static let piece = 50

  /// Adds all rows. Adds none if a row has an error, or on a dry run.
  ///
  /// A long file needs several transactions, between which transactions of other tenants run. To find all errors before
  /// any row is stored, all of them are executed twice: the first time, they are undone.
  private func store(
    _ file: ImportFile, _ kind: ImportKind, isDryRun: Bool, _ call: Call
  ) async throws -> Outcome {
    var copies: [JSON: UInt64] = [:]
    let rows = file.rows.map { row in
      let json = JSON.object(row.values)
      defer { copies[json, default: 0] += 1 }
      return (row: row, copy: copies[json, default: 0])
    }
    let isShort = rows.count <= Self.piece
    if isDryRun || !isShort {
      var checked = try await store(rows, kind, isUndone: true, call)
      checked.errors += Self.repeatedValues(file.rows, kind)
      if isDryRun || !checked.errors.isEmpty { return checked }
    }
    let stored = try await store(rows, kind, isUndone: false, call)
    guard let first = stored.errors.first, !isShort else { return stored }
    // Another client has changed something since the first execution, which found no error.
    throw ThingError.rule(
      code: "changedMeanwhile",
      message:
        "line \(first.line): \(first.message). This changed while the file was stored; the \(stored.rows.count) rows before it are stored. Send the file again"
    )
  }

  /// Adds rows in several transactions. A transaction with an error is undone. It is the last one, unless all
  /// transactions are undone anyway.
  private func store(
    _ rows: [(row: ImportRow, copy: UInt64)], _ kind: ImportKind, isUndone: Bool, _ call: Call
  ) async throws -> Outcome {
    let caller = try call.caller
    var all = Outcome()
    var made: Set<String> = []
    for start in stride(from: 0, to: rows.count, by: Self.piece) {
      let piece = Array(rows[start..<min(start + Self.piece, rows.count)])
      let found = Mutex(Outcome())
      let undone = ThingError.rule(code: "undone", message: "nothing was stored")
      do throws(ThingError) {
        try await storage.change(
          tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
        ) { transaction throws(ThingError) in
          let outcome = try add(piece, kind, transaction, call)
          found.withLock { $0 = outcome }
          if isUndone || !outcome.errors.isEmpty { throw undone }
        }
      } catch {
        guard error == undone else { throw error }
      }
      let outcome = found.withLock { $0 }
      all.errors += outcome.errors
      if !isUndone, !outcome.errors.isEmpty { break }
      for var row in outcome.rows {
        // A transaction for earlier rows was undone. If all were stored, it would have created this vehicle.
        if row.action == .create, !made.insert(row.id).inserted { row.action = .change }
        all.rows.append(row)
      }
    }
    return all
  }

  /// Returns an error for each row with a value that must be unique and that an earlier row has already.
  private static func repeatedValues(_ rows: [ImportRow], _ kind: ImportKind) -> [ImportError] {
    guard kind == .vehicles else { return [] }
    var owners: [String: JSON] = [:]
    return rows.compactMap { row in
      guard let vin = row.values["vin"]?.textValue, let id = row.values["id"] else { return nil }
      guard let owner = owners.updateValue(id, forKey: vin), owner != id else { return nil }
      return row.error("vin", "another row has this value")
    }
  }

  private func add(
    _ rows: [(row: ImportRow, copy: UInt64)], _ kind: ImportKind, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) -> Outcome {
    var outcome = Outcome()
    for (row, copy) in rows {
      do throws(ThingError) {
        let (action, id) =
          switch kind {
          case .vehicles: try add(row, transaction, call)
          case .drivers: try add(row, WorkRoutes(storage: storage).drivers, copy, transaction, call)
          case .fuelEntries: try add(row, FuelRoutes(storage: storage).entries, copy, transaction, call)
          case .expenses: try add(row, WorkRoutes(storage: storage).expenses, copy, transaction, call)
          }
        outcome.rows.append((row.line, action, id))
      } catch {
        switch error {
        case .invalid(let errors): outcome.errors += errors.all.map { row.error($0.path, $0.message) }
        case .rule(_, let message): outcome.errors.append(row.error("", message))
        case .exists: outcome.errors.append(row.error("id", "another thing has this id"))
        case .duplicate(let field):
          outcome.errors.append(row.error(field, "another one has this value"))
          // After an error, PostgreSQL executes no more statements in this transaction.
          return outcome
        case .notFound, .conflict, .changedMeanwhile, .invalidState, .forbidden, .storage: throw error
        }
      }
    }
    return outcome
  }

  /// Adds a vehicle. If it exists, changes the fields that the row contains.
  private func add(
    _ row: ImportRow, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) -> (Action, String) {
    let things = VehicleRoutes(storage: storage).things
    let name = row.values["id"]?.textValue ?? ""
    guard let stored = try transaction.vehicle(named: name), stored.value.id == name else {
      return (.create, try things.insert(try Self.new(row), id: nil, [:], transaction, call).name)
    }
    return (try change(stored, row, things, transaction, call), name)
  }

  /// Adds a thing whose ID is computed from the row. If the same row is imported again, no second thing is added.
  ///
  /// - Parameter copy: the number of equal rows above this one in the file.
  private func add<Value: Kind>(
    _ row: ImportRow, _ things: ThingRoutes<Value>, _ copy: UInt64, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) -> (Action, String) {
    let value: Value = try Self.new(row)
    let id = row.id ?? Self.id(of: row, Value.self, copy)
    guard let stored = try transaction.find(id, Value.self) else {
      return (.create, try things.insert(value, id: id, [:], transaction, call).name)
    }
    return (row.id == nil ? .unchanged : try change(stored, row, things, transaction, call), id.string)
  }

  private func change<Value: Kind>(
    _ stored: Stored<Value>, _ row: ImportRow, _ things: ThingRoutes<Value>, _ transaction: any FleetTransaction,
    _ call: Call
  ) throws(ThingError) -> Action {
    let changed = try transaction.patch(stored, seen: stored.version, with: .object(row.values)) {
      value throws(ThingError) in try things.check(stored, &value, transaction, call)
    }
    try things.afterChange(changed, transaction)
    try things.requireStill(call, changed, transaction)
    return changed.version == stored.version ? .unchanged : .change
  }

  private static func new<Value: Kind>(_ row: ImportRow) throws(ThingError) -> Value {
    do throws(FieldErrors) {
      return try Value(client: .object(row.values))
    } catch {
      throw .invalid(error)
    }
  }

  private static func id<Value: Kind>(of row: ImportRow, _ kind: Value.Type, _ copy: UInt64) -> UUIDv7 {
    let time = row.values["at"].flatMap { try? Timestamp(json: $0) }
    let hash = JSON.array([.text(kind.names.one), .object(row.values)]).canonicalHash
    return UUIDv7(
      milliseconds: UInt64(max(time?.milliseconds ?? 0, 0)), seed: UInt64(hash.prefix(16), radix: 16) ?? 0,
      number: copy)
  }
}
