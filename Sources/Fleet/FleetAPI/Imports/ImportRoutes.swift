import FleetAccess
import FleetConnectors
import FleetDomain
import FleetWork
import HTTPTypes
import Synchronization
import Telemetry

/// `/api/imports`: imports things and records from files that this server or other programs have exported.
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
        "Adds the rows of a file, all or none: the server's own format, or exports of Fuelio, Drivvo, LubeLogger, Fuelly, Spritmonitor, Fleetio, TeslaFi and Traccar, as CSV, XLSX, JSON, GPX, KML, or a ZIP archive of one of them. The same rows again change nothing.",
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
        .query(
          "timeZone", "The zone of times that name none (IANA). Without it: UTC.",
          #"{"type":"string","examples":["Europe/Vienna"]}"#),
      ], body: .init(types: ImportSource.types, schema: nil),
      results: [.init(.ok, "The result.", .json("ImportResult"))],
      errors: [.conflict, .insufficientStorage])
    return Route(.post, "/api/imports", .may(.write, .settings), operation) { call in
      try call.requireType(ImportSource.types, or: ImportSource.otherTypes)
      let kind: ImportKind = try Self.require(call, "kind")
      let isDryRun = try call.flag("dryRun")
      let options = try options(call)
      let bytes = try await call.body()
      let unpacked = ImportSource.mostBytes(unpacking: bytes)
      try await call.memory.grow(to: 16 * unpacked)
      let read = try await call.heavily(unpacked) { () -> ImportFile in
        do {
          let source = try ImportSource(bytes)
          return ImportFile(source.text, kind, options, rest: source.rest)
        } catch let error as ImportError {
          throw Self.failure([error])
        }
      }
      let file = try await complete(read, kind, call)
      if !isDryRun, !file.errors.isEmpty { throw Self.failure(file.errors) }
      let result =
        kind.areRecords
        ? try await ImportedRecords(storage: storage).store(file, kind, isDryRun: isDryRun, call)
        : try await store(file, kind, isDryRun: isDryRun, call)
      if !isDryRun, !result.errors.isEmpty { throw Self.failure(result.errors) }
      let count = result.rows.count + result.errors.count + file.skipped.count + file.errors.count + file.rest.count
      return try await call.heavily(count * Self.messageBytes) {
        Answer(json: Array(result.json(file, kind, isDryRun: isDryRun).canonicalText.utf8))
      }
    }
  }

  /// The usual length of the text about a row in the answer, in bytes.
  private static let messageBytes = 128
  private static let volumes: [FuelEntry.Unit] = [.litre, .usGallon, .imperialGallon]

  /// Returns one error that contains the errors of all rows, in the same format as the errors of a JSON body.
  static func failure(_ errors: [ImportError]) -> ThingError {
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

  private func options(_ call: Call) throws(APIError) -> ImportOptions {
    var options = ImportOptions()
    options.vehicle = try call.vehicleFilter()
    options.energy = try Self.value(call, "energy")
    options.distanceUnit = try Self.value(call, "distanceUnit")
    options.volumeUnit = try Self.value(call, "volumeUnit")
    options.decimal = try Self.value(call, "decimal")
    options.dates = try Self.value(call, "dates")
    if let name = call.query["timeZone"] {
      do throws(FieldError) {
        try TextRules.timeZone(name)
      } catch {
        throw .badRequest("query: timeZone: \(error.message), found \(quoted(name))")
      }
      options.zone = storage.zone(name)
    }
    if let text = call.query["currency"] {
      guard Money.isCurrency(text) else {
        throw .badRequest("query: currency: expected a currency of ISO 4217, such as EUR, found \(quoted(text))")
      }
      options.currency = text
    }
    return options
  }

  // MARK: Vehicles

  /// Replaces the names of vehicles in a file with the vehicles' ids. If the file contains fuel entries, also adds to
  /// each entry which energy (for example petrol) its vehicle uses.
  private func complete(_ file: ImportFile, _ kind: ImportKind, _ call: Call) async throws -> ImportFile {
    let names = Set(file.rows.flatMap(\.vehicleNames)).sorted()
    let ids = Set(file.rows.compactMap { $0.values["vehicleId"]?.textValue })
    guard ids.count + names.count <= Self.mostVehicles else {
      throw APIError.tooLarge("the file names more than \(Self.mostVehicles) vehicles; divide the file")
    }
    let isFuel = kind == .fuelEntries
    guard !names.isEmpty || isFuel else { return file }
    let (vehicles, energies) = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
      var vehicles: [String: String] = [:]
      var energies: [String: FuelEntry.Energy] = [:]
      for name in names {
        guard let vehicle = try Self.vehicle(name, view) else { continue }
        vehicles[name] = vehicle.id
        energies[vehicle.id] = vehicle.energy
      }
      for id in ids where isFuel { energies[id] = try view.vehicle(named: id)?.value.energy }
      return (vehicles, energies)
    }
    var completed = file
    completed.complete(kind, vehicles: vehicles, energies: energies)
    return completed
  }

  /// The maximum number of different vehicles in one file.
  private static let mostVehicles = 1_000

  /// Returns the vehicle with this ID, VIN, registration number or name; `nil` if there is no such vehicle, or more
  /// than one.
  private static func vehicle(_ name: String, _ view: any FleetView) throws(ThingError) -> Vehicle? {
    if let found = try view.vehicle(named: name) { return found.value }
    for key in ["licencePlate", "name"] {
      let found = try view.list(ThingQuery<Vehicle>(.oneOf(key: key, [.text(name)]), limit: 2)).items
      if !found.isEmpty { return found.count == 1 ? found[0].value : nil }
    }
    return nil
  }

  // MARK: Storage

  /// The minimum number of rows that a transaction adds; the last transaction may add fewer.
  private static let together = 8
  /// The time after which a transaction adds no more rows. In SQLite, the changes of all other tenants wait until it
  /// ends. The limit is a time and not a number of rows, because some kinds of rows need more work than others.
  private static let patience = Duration.milliseconds(20)

  /// Adds all rows of a file, or only checks them. Adds no row if one has an error, or on a dry run.
  ///
  /// A long file needs several transactions; between them, transactions of other tenants run. All rows of such a file
  /// are added twice. The first time, each transaction is rolled back; this finds all errors before any row is stored,
  /// except conflicts between rows of different transactions, which ``conflicts(_:_:_:)`` finds.
  private func store(
    _ file: ImportFile, _ kind: ImportKind, isDryRun: Bool, _ call: Call
  ) async throws -> ImportOutcome {
    var copies: [JSON: UInt64] = [:]
    // The order matters: each reading of a meter is compared with the readings added before it. Many programs write the
    // newest row first.
    let timed = file.rows.enumerated().map { index, row in
      (time: row.time?.milliseconds ?? .min, index: index, row: row)
    }
    let sorted = timed.sorted { ($0.time, $0.index) < ($1.time, $1.index) }
    let rows = sorted.map(\.row).map { row in
      let json = JSON.object(row.values)
      defer { copies[json, default: 0] += 1 }
      return (row: row, copy: copies[json, default: 0])
    }
    let isShort = rows.count <= Self.together
    if isDryRun || !isShort {
      var checked = try await store(rows, kind, isUndone: true, call)
      checked.rows.sort { $0.line < $1.line }
      let known = Set(checked.rows.lazy.filter { $0.action == .unchanged }.map(\.line))
      let conflicts = try await conflicts(file.rows.filter { !known.contains($0.line) }, kind, call)
      let found = Set(checked.errors.map(\.line))
      checked.errors += conflicts.filter { !found.contains($0.line) }
      if isDryRun || !checked.errors.isEmpty { return checked }
    } else {
      let repeated = Self.repeatedIDs(file.rows)
      if !repeated.isEmpty { return ImportOutcome(errors: repeated) }
    }
    var stored = try await store(rows, kind, isUndone: false, call)
    stored.rows.sort { $0.line < $1.line }
    guard let first = stored.errors.first, !isShort else { return stored }
    // The check found no error, so another client has changed something since.
    throw ThingError.rule(
      code: "changedMeanwhile",
      message:
        "line \(first.line): \(first.message). This changed while the file was stored. \(Self.partText(stored.rows.count, of: rows.count))"
    )
  }

  /// Adds rows in several transactions. After a transaction with an error, which is rolled back, no further transaction
  /// is executed. If `isUndone` is true, all transactions are executed, and all are rolled back.
  private func store(
    _ rows: [(row: ImportRow, copy: UInt64)], _ kind: ImportKind, isUndone: Bool, _ call: Call
  ) async throws -> ImportOutcome {
    let caller = try call.caller
    var all = ImportOutcome()
    var made: Set<String> = []
    var rest = rows[...]
    while !rest.isEmpty {
      let left = rest
      let found = Mutex((outcome: ImportOutcome(), count: 0))
      let undone = ThingError.rule(code: "undone", message: "nothing was stored")
      do throws(ThingError) {
        try await storage.change(
          tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
        ) { transaction throws(ThingError) in
          let added = try add(left, kind, transaction, call)
          found.withLock { $0 = added }
          if isUndone || !added.outcome.errors.isEmpty { throw undone }
        }
      } catch {
        guard error == undone else {
          guard !isUndone, !all.rows.isEmpty else { throw error }
          throw Self.partly(APIError(error, logger: call.logger), Self.partText(all.rows.count, of: rows.count))
        }
      }
      let (outcome, count) = found.withLock { $0 }
      rest = rest.dropFirst(count)
      all.errors += outcome.errors
      all.different += outcome.different
      if !isUndone, !outcome.errors.isEmpty { break }
      for var row in outcome.rows {
        // Two rows of the file have the same vehicle. The transaction that created the vehicle for the first row was
        // rolled back. If it had been committed, this row would change the vehicle, so report that.
        if row.action == .create, !made.insert(row.id).inserted { row.action = .change }
        all.rows.append(row)
      }
    }
    return all
  }

  /// Adds rows, from the first one on, until ``patience`` is over.
  ///
  /// - Returns: the result of each row, and the number of rows that were read.
  private func add(
    _ rows: ArraySlice<(row: ImportRow, copy: UInt64)>, _ kind: ImportKind, _ transaction: any FleetTransaction,
    _ call: Call
  ) throws(ThingError) -> (outcome: ImportOutcome, count: Int) {
    var (outcome, count) = (ImportOutcome(), 0)
    let clock = ContinuousClock()
    let start = clock.now
    for (row, copy) in rows {
      if count >= Self.together, clock.now - start >= Self.patience { break }
      count += 1
      do throws(ThingError) {
        let (action, id, difference) =
          switch kind {
          case .vehicles: try add(row, transaction, call)
          case .drivers: try add(row, WorkRoutes(storage: storage).drivers, copy, transaction, call)
          case .fuelEntries: try add(row, FuelRoutes(storage: storage).entries, copy, transaction, call)
          case .expenses: try add(row, WorkRoutes(storage: storage).expenses, copy, transaction, call)
          case .maintenanceRecords: try add(row, MaintenanceRoutes(storage: storage).records, copy, transaction, call)
          case .serviceSchedules: try add(row, MaintenanceRoutes(storage: storage).schedules, copy, transaction, call)
          case .meterReadings: try add(row, MaintenanceRoutes(storage: storage).readings, copy, transaction, call)
          case .trips, .tracks: throw .rule(code: "records", message: "rows of this kind are records")
          }
        outcome.rows.append((row.line, action, id))
        if let difference { outcome.different.append(row.error("", difference)) }
      } catch {
        switch error {
        case .invalid(let errors): outcome.errors += errors.all.map { row.error($0.path, $0.message) }
        case .rule(_, let message): outcome.errors.append(row.error("", message))
        case .exists: outcome.errors.append(row.error("id", "another thing has this id"))
        case .duplicate(let field):
          outcome.errors.append(row.error(field, "another one has this value"))
          // Stop here: after an error, PostgreSQL executes no further statement in this transaction.
          return (outcome, count)
        case .notFound, .conflict, .changedMeanwhile, .invalidState, .forbidden:
          outcome.errors.append(row.error("", APIError(error, logger: call.logger).message))
        case .storage: throw error
        }
      }
    }
    return (outcome, count)
  }

  /// Adds a vehicle or, if the vehicle exists, changes the fields that the row contains. Returns what was done, and the
  /// vehicle's id.
  private func add(
    _ row: ImportRow, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) -> (ImportOutcome.Action, String, difference: String?) {
    let things = VehicleRoutes(storage: storage).things
    let name = row.values["id"]?.textValue ?? ""
    guard let stored = try transaction.vehicle(named: name), stored.value.id == name else {
      return (.create, try things.insert(try Self.new(row), id: nil, [:], transaction, call).name, nil)
    }
    return (try change(stored, row, things, transaction, call), name, nil)
  }

  /// Adds the thing of a row, or changes the existing thing. Returns the action and the thing's ID.
  ///
  /// If the row contains an ID and a thing with this ID exists, changes the thing.
  ///
  /// If the row contains no ID, computes the thing's ID, so that the same row of a second import finds the same thing.
  /// A thing that is found in this way is not changed, because a person may have corrected it. If the row contains an
  /// ID of the program that wrote the file, the thing is also found if the row's values have changed since the first
  /// import; the function then returns how its values differ from the row.
  ///
  /// - Parameter copy: the number of equal rows that precede this row in the file.
  private func add<Value: Kind>(
    _ row: ImportRow, _ things: ThingRoutes<Value>, _ copy: UInt64, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) -> (ImportOutcome.Action, String, difference: String?) {
    let value: Value = try Self.new(row)
    var id = row.id ?? row.id(of: Value.self, copy: copy)
    if let stored = try transaction.find(id, Value.self) {
      return (row.id == nil ? .unchanged : try change(stored, row, things, transaction, call), id.string, nil)
    }
    if row.id == nil, let own = row.sourceID(of: Value.self) {
      id = own
      if let stored = try transaction.find(id, Value.self) {
        return (.unchanged, id.string, row.difference(of: value, from: stored))
      }
    }
    return (.create, try things.insert(value, id: id, [:], transaction, call).name, nil)
  }

  private func change<Value: Kind>(
    _ stored: Stored<Value>, _ row: ImportRow, _ things: ThingRoutes<Value>, _ transaction: any FleetTransaction,
    _ call: Call
  ) throws(ThingError) -> ImportOutcome.Action {
    let values = JSON.object(try things.withoutConcealed(row.values, of: stored, call, transaction))
    // A thing may be in a state in which it cannot be changed. That is no error if the row would change nothing.
    do throws(FieldErrors) {
      if try stored.value.patched(with: values).change(since: stored.value).isEmpty { return .unchanged }
    } catch {
      throw .invalid(error)
    }
    let changed = try transaction.patch(stored, seen: stored.version, with: values) {
      value throws(ThingError) in try things.approve(stored, &value, transaction, call)
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
}

extension Vehicle {
  /// The only form of energy that the vehicle uses; `nil` if its fuel type is unknown or allows several forms.
  fileprivate var energy: FuelEntry.Energy? {
    switch fuel {
    case .petrol: .petrol
    case .diesel: .diesel
    case .cng: .cng
    case .lpg: .lpg
    case .electric: .electric
    case .hybrid, .pluginHybrid, .hydrogen, .other, nil: nil
    }
  }
}
