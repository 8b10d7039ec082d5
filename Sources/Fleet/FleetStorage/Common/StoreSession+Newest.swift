import FleetDomain
import Telemetry

/// Functions for the newest records of vehicles. The table `newest` contains the keys of these records.
extension StoreSession {
  /// Returns the newest record of each group (``NewestRecord/Part``) of a vehicle's records, together with the group.
  func newest(of vehicle: Int32, tenant: Int32) throws(StoreFailure) -> [(part: NewestRecord.Part, row: FoundRow)] {
    let parts = try rows(
      "SELECT class, ecu, id FROM newest WHERE vehicle = $1 ORDER BY class, ecu", [SQLValue(vehicle)]
    ).compactMap { row in
      row.identifier(2).map {
        (part: NewestRecord.Part(recordClass: Int16(truncatingIfNeeded: row.integer(0)), ecu: row.text(1)), id: $0)
      }
    }
    func key(_ part: NewestRecord.Part, _ id: UUIDv7) -> RowKey {
      RowKey(tenant: tenant, vehicle: vehicle, recordClass: part.rowClass, idHigh: id.high, idLow: id.low)
    }
    var found: [RowKey: FoundRow] = [:]
    for row in try foundAll(Array(Set(parts.map { key($0.part, $0.id) }))) { found[row.key(tenant: tenant)] = row }
    return parts.compactMap { item in found[key(item.part, item.id)].map { (item.part, $0) } }
  }

  /// Removes entries of the table `newest` if a vehicle has entries for more than ``NewestRecord/mostECUs`` ECUs. The
  /// entries of the ECUs with the oldest records are removed.
  func trimECUs(of touches: [VehicleTouch]) throws(StoreFailure) {
    for touch in touches {
      for number in Set(touch.newest.filter { !$0.part.ecu.isEmpty }.map(\.part.recordClass)).sorted() {
        let part = [SQLValue(touch.vehicle), .integer(Int64(number))]
        let count = try rows("SELECT count(*) FROM newest WHERE vehicle = $1 AND class = $2", part).first?.integer(0)
        guard let count, count > NewestRecord.mostECUs else { continue }
        try run(
          """
          DELETE FROM newest WHERE vehicle = $1 AND class = $2 AND ecu NOT IN (
            SELECT ecu FROM newest WHERE vehicle = $1 AND class = $2 ORDER BY time DESC, seq DESC LIMIT $3)
          """, part + [.integer(Int64(NewestRecord.mostECUs))])
      }
    }
  }

  /// Determines the newest records of vehicles again, after the times of some records became earlier. Call this after
  /// ``touch(_:)``, which locks the vehicles' rows until the commit.
  func updateNewest(_ moved: [Int32: MovedBack]) throws(StoreFailure) {
    for (vehicle, moved) in moved.sorted(by: { $0.key < $1.key }) {
      let known = try rows("SELECT class, ecu, id FROM newest WHERE vehicle = $1", [SQLValue(vehicle)])
      var parts: [Int16: [NewestRecord.Part: UUIDv7]] = [:]
      for row in known {
        guard let id = row.identifier(2), moved.ids.contains(id) else { continue }
        let part = NewestRecord.Part(recordClass: Int16(truncatingIfNeeded: row.integer(0)), ecu: row.text(1))
        parts[part.rowClass, default: [:]][part] = id
      }
      let columns = parts.values.flatMap { $0.keys.compactMap { LastKnownColumn($0) } }
      for (recordClass, ids) in parts.sorted(by: { $0.key < $1.key }) {
        let found = try newest(Set(ids.keys), recordClass, of: vehicle, tenant: moved.tenant)
        for (part, id) in ids {
          var newest = found[part]
          if newest == nil { newest = try place(of: id, recordClass, vehicle, moved.tenant) }
          guard let newest else { continue }
          try run(
            "UPDATE newest SET time = $4, seq = $5, id = $6 WHERE vehicle = $1 AND class = $2 AND ecu = $3",
            [
              SQLValue(vehicle), .integer(Int64(part.recordClass)), .text(part.ecu), .integer(newest.time),
              .integer(newest.sequence), .identifier(newest.id),
            ])
        }
      }
      try run(
        "UPDATE vehicle SET last_record_at = (SELECT max(time) FROM newest WHERE vehicle = $1) WHERE key = $1",
        [SQLValue(vehicle)])
      if !columns.isEmpty { try setLastKnown(columns, of: vehicle, tenant: moved.tenant) }
    }
  }

  /// Returns the sort key of a stored record; `nil` if the record does not exist.
  private func place(
    of id: UUIDv7, _ recordClass: Int16, _ vehicle: Int32, _ tenant: Int32
  ) throws(StoreFailure) -> NewestPlace? {
    let key = RowKey(tenant: tenant, vehicle: vehicle, recordClass: recordClass, idHigh: id.high, idLow: id.low)
    return try foundAll([key]).first.map { ($0.time, $0.sequence, id) }
  }

  /// Returns the newest record of each given group of a vehicle's records, from rows and runs. All groups belong to one
  /// class. Groups without a record are left out.
  private func newest(
    _ parts: Set<NewestRecord.Part>, _ recordClass: Int16, of vehicle: Int32, tenant: Int32
  ) throws(StoreFailure) -> [NewestRecord.Part: NewestPlace] {
    var found = try newestRows(parts, recordClass, of: vehicle, tenant: tenant)
    guard recordClass == RowKey.telemetryClass else { return found }
    let reader = RunReader(session: self, tenant: tenant, vehicle: vehicle)
    for part in parts {
      guard let inRuns = try reader.newest(withPosition: part == .position) else { continue }
      if let row = found[part], Self.isBefore(inRuns, row) { continue }
      found[part] = inRuns
    }
    return found
  }

  private static func isBefore(_ left: NewestPlace, _ right: NewestPlace) -> Bool {
    (left.time, left.sequence, left.id.high, left.id.low) < (right.time, right.sequence, right.id.high, right.id.low)
  }

  /// Returns the newest row of each given group of a vehicle's records. A group is the records of one ECU, or the
  /// records with a position. All groups belong to one class.
  ///
  /// The columns do not show the group of a record. Therefore, the function reads bodies, once for all groups, from the
  /// newest row on. Reading ends after 10,000 rows or 4 MiB.
  private func newestRows(
    _ parts: Set<NewestRecord.Part>, _ recordClass: Int16, of vehicle: Int32, tenant: Int32
  ) throws(StoreFailure) -> [NewestRecord.Part: NewestPlace] {
    let place = [SQLValue(tenant), SQLValue(vehicle), .integer(Int64(recordClass))]
    let head = "SELECT time, seq, id, body FROM record WHERE tenant = $1 AND vehicle = $2 AND class = $3"
    let credible = " AND quality <> \(StoredQuality.ahead.rawValue)"
    let hasECUs = RecordClass(number: recordClass)?.hasECUs == true
    var found: [NewestRecord.Part: NewestPlace] = [:]
    var behind: [SQLValue] = []
    var (rowsLeft, bytesLeft) = (10_000, 4 << 20)
    while found.count < parts.count, rowsLeft > 0, bytesLeft > 0 {
      let isAny = !hasECUs && !parts.contains(.position)
      let page = try rows(
        head + credible + (behind.isEmpty ? "" : " AND (time, seq, id) < ($4, $5, $6)")
          + " ORDER BY time DESC, seq DESC, id DESC LIMIT \(isAny ? 1 : 100)",
        place + behind)
      for row in page {
        guard let id = row.identifier(2) else { continue }
        let body = row.bytes(3)
        bytesLeft -= body.count
        for part in Self.parts(of: body, recordClass, hasECUs: hasECUs)
        where parts.contains(part) && found[part] == nil {
          found[part] = (row.integer(0), row.integer(1), id)
        }
      }
      rowsLeft -= page.count
      guard let last = page.last, let id = last.identifier(2) else { break }
      behind = [last.values[0], last.values[1], .identifier(id)]
    }
    return found
  }

  /// Returns the groups (``NewestRecord/Part``) to which a record belongs.
  static func parts(of body: [UInt8], _ recordClass: Int16, hasECUs: Bool) -> [NewestRecord.Part] {
    let whole = NewestRecord.Part(recordClass: recordClass, ecu: "")
    guard hasECUs || recordClass == RowKey.telemetryClass else { return [whole] }
    do throws(RecordRefusal) {
      let record = try IncomingRecord(parsing: body.span)
      if hasECUs { return [NewestRecord.Part(recordClass: recordClass, ecu: record.ecu ?? "")] }
      return record.hasPosition ? [whole, .position] : [whole]
    } catch {
      // The body is invalid by the current rules, but an earlier version accepted it. It does not count as the newest
      // record of an ECU, or with a position.
      return hasECUs ? [] : [whole]
    }
  }
}

/// The sort key of a vehicle's newest record.
typealias NewestPlace = (time: Int64, sequence: Int64, id: UUIDv7)
