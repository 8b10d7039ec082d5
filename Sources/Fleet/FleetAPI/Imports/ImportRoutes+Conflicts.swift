import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

extension ImportRoutes {
  /// Returns an error for each row that cannot be stored because of earlier rows of the file. Either the row repeats a
  /// value that only one thing may have, or the rows together exceed a limit of the number of things.
  ///
  /// - Parameter rows: the rows that create or change a thing.
  func conflicts(_ rows: [ImportRow], _ kind: ImportKind, _ call: Call) async throws -> [ImportError] {
    var errors = Self.repeatedIDs(rows)
    switch kind {
    case .vehicles: errors += Self.repeatedNames(rows)
    case .drivers: errors += Self.repeated(rows, ["personId"]) { _ in true }
    // A schedule has at most one open record for each vehicle.
    case .maintenanceRecords:
      errors += Self.repeated(rows, ["scheduleId", "vehicleId"]) { $0.values["completedDate"] == nil }
    case .serviceSchedules: errors += try await tooManySchedules(rows, call)
    case .fuelEntries, .expenses, .meterReadings, .trips, .tracks: break
    }
    return errors.sorted { $0.line < $1.line }
  }

  /// Returns an error for each row that has the id of an earlier row, but other values.
  static func repeatedIDs(_ rows: [ImportRow]) -> [ImportError] {
    var known: [UUIDv7: [String: JSON]] = [:]
    return rows.compactMap { row -> ImportError? in
      guard let id = row.id else { return nil }
      guard let values = known[id] else {
        known[id] = row.values
        return nil
      }
      return values == row.values ? nil : row.error("id", "another row has this id and other values")
    }
  }

  /// Returns an error for each vehicle whose ID or VIN is the ID or VIN of another vehicle in an earlier row.
  private static func repeatedNames(_ rows: [ImportRow]) -> [ImportError] {
    var owners: [String: String] = [:]
    return rows.compactMap { row -> ImportError? in
      guard let id = row.values["id"]?.textValue else { return nil }
      for (field, name) in [("id", id), ("vin", row.values["vin"]?.textValue)] {
        guard let name else { continue }
        guard owners[name, default: id] == id else { return row.error(field, "another row has this value") }
        owners[name] = id
      }
      return nil
    }
  }

  /// Returns an error for each row that repeats the values of an earlier row in fields whose values must be unique.
  ///
  /// - Parameter isUnique: whether the rule applies to a row. It never applies to a row that lacks one of the values.
  private static func repeated(
    _ rows: [ImportRow], _ keys: [String], _ isUnique: (ImportRow) -> Bool
  ) -> [ImportError] {
    var owners: [[JSON]: ImportRow] = [:]
    return rows.compactMap { row -> ImportError? in
      let values = keys.compactMap { row.values[$0] }
      guard values.count == keys.count, isUnique(row) else { return nil }
      guard let owner = owners[values] else {
        owners[values] = row
        return nil
      }
      // Two rows with one id describe the same thing.
      if owner.id != nil, owner.id == row.id { return nil }
      return row.error(keys[0], "another row has this value")
    }
  }

  /// Returns an error for each row whose schedule would exceed the maximum number of schedules of a vehicle or fleet.
  /// Schedules in earlier rows count, too.
  private func tooManySchedules(_ rows: [ImportRow], _ call: Call) async throws -> [ImportError] {
    let owners = Set(rows.compactMap(Self.scheduleOwner))
    var room = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
      var room: [[String]: Int] = [:]
      for owner in owners { room[owner] = try view.roomForSchedules(.oneOf(key: owner[0], [.text(owner[1])])) }
      return room
    }
    var ids: Set<UUIDv7> = []
    return rows.compactMap { row -> ImportError? in
      guard let owner = Self.scheduleOwner(row), row.id.map({ ids.insert($0).inserted }) ?? true else { return nil }
      room[owner, default: 0] -= 1
      return room[owner, default: 0] < 0 ? row.error(owner[0], ServiceSchedule.tooMany) : nil
    }
  }

  /// Returns the owner of the schedule in a row: the key `vehicleId` or `fleetId`, and the id. Returns `nil` if the row
  /// has neither key.
  private static func scheduleOwner(_ row: ImportRow) -> [String]? {
    if let vehicle = row.values["vehicleId"]?.textValue { return ["vehicleId", vehicle] }
    guard let fleet = row.values["fleetId"].flatMap({ try? UUIDv7(json: $0) }) else { return nil }
    return ["fleetId", fleet.string]
  }

  /// Appends to the message of an import's error a text that states which part of the file was stored.
  static func partly(_ error: APIError, _ text: String) -> APIError {
    var error = error
    error.message += ". \(text)"
    return error
  }

  /// Returns a text that states which part of a file was stored before an error.
  static func partText(_ stored: Int, of all: Int) -> String {
    "Of the \(all) rows of the file, \(stored) are stored. Send the file again: they stay unchanged"
  }
}
