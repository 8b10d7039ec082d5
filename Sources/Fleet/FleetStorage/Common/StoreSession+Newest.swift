import FleetDomain
import Telemetry

/// The newest records of a vehicle: the rows of `newest`.
extension StoreSession {
  /// The records that are the newest of a vehicle, with what each is the newest of.
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

  /// Forgets the ECUs of a vehicle that were heard of longest ago, if there are more than a vehicle has.
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

  /// Finds the newest records of vehicles again where those that were have moved back in time. After ``touch(_:)``, which
  /// has locked the vehicles' rows: others wait until the commit, and then add theirs.
  func updateNewest(_ moved: [Int32: MovedBack]) throws(StoreFailure) {
    for (vehicle, moved) in moved.sorted(by: { $0.key < $1.key }) {
      let known = try rows("SELECT class, ecu, id FROM newest WHERE vehicle = $1", [SQLValue(vehicle)])
      for row in known {
        guard let id = row.identifier(2), moved.ids.contains(id) else { continue }
        let part = NewestRecord.Part(recordClass: Int16(truncatingIfNeeded: row.integer(0)), ecu: row.text(1))
        guard let found = try newest(part, of: vehicle, tenant: moved.tenant, known: id) else { continue }
        try run(
          "UPDATE newest SET time = $4, seq = $5, id = $6 WHERE vehicle = $1 AND class = $2 AND ecu = $3",
          [
            SQLValue(vehicle), .integer(Int64(part.recordClass)), .text(part.ecu), .integer(found.time),
            .integer(found.sequence), .identifier(found.id),
          ])
      }
      try run(
        "UPDATE vehicle SET last_time = (SELECT max(time) FROM newest WHERE vehicle = $1) WHERE key = $1",
        [SQLValue(vehicle)])
    }
  }

  /// The newest record of a part, in rows or runs; the record that is known, if it is not found.
  private func newest(
    _ part: NewestRecord.Part, of vehicle: Int32, tenant: Int32, known: UUIDv7
  ) throws(StoreFailure) -> NewestPlace? {
    var found = [try newestRow(part, of: vehicle, tenant: tenant)].compactMap { $0 }
    if part.rowClass == RowKey.telemetryClass {
      let reader = RunReader(session: self, tenant: tenant, vehicle: vehicle)
      if let inRuns = try reader.newest(withPosition: part == .position) { found.append(inRuns) }
    }
    let newest = found.max { left, right in
      (left.time, left.sequence, left.id.high, left.id.low) < (right.time, right.sequence, right.id.high, right.id.low)
    }
    if let newest { return newest }
    let key = RowKey(
      tenant: tenant, vehicle: vehicle, recordClass: part.rowClass, idHigh: known.high, idLow: known.low)
    return try foundAll([key]).first.map { ($0.time, $0.sequence, known) }
  }

  /// The newest row of a part. Rows do not say whether they have a position, nor which ECU they are of: bodies are
  /// read, the newest first, but no more than 10,000.
  private func newestRow(
    _ part: NewestRecord.Part, of vehicle: Int32, tenant: Int32
  ) throws(StoreFailure) -> NewestPlace? {
    let place = [SQLValue(tenant), SQLValue(vehicle), .integer(Int64(part.rowClass))]
    let head = "SELECT time, seq, id, body FROM record WHERE tenant = $1 AND vehicle = $2 AND class = $3"
    let credible = " AND quality <> \(StoredQuality.ahead.rawValue)"
    let isAny = part != .position && RecordClass(number: part.recordClass)?.hasECUs != true
    var behind: [SQLValue] = []
    for _ in 0..<100 {
      let page = try rows(
        head + credible + (behind.isEmpty ? "" : " AND (time, seq, id) < ($4, $5, $6)")
          + " ORDER BY time DESC, seq DESC, id DESC LIMIT \(isAny ? 1 : 100)",
        place + behind)
      for row in page {
        if let id = row.identifier(2), isAny || Self.isOf(part, row.bytes(3)) {
          return (row.integer(0), row.integer(1), id)
        }
      }
      guard let last = page.last, let id = last.identifier(2) else { break }
      behind = [last.values[0], last.values[1], .identifier(id)]
    }
    return nil
  }

  private static func isOf(_ part: NewestRecord.Part, _ body: [UInt8]) -> Bool {
    do throws(RecordRefusal) {
      let record = try IncomingRecord(parsing: body.span)
      return part == .position ? record.hasPosition : record.ecu ?? "" == part.ecu
    } catch {
      // What an earlier version took in and this one would not: it is there, but it is the newest of nothing.
      return false
    }
  }
}

/// Where the newest record stands.
typealias NewestPlace = (time: Int64, sequence: Int64, id: UUIDv7)
