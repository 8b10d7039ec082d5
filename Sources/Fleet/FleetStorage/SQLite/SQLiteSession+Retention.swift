import FleetDomain
import Telemetry

/// How far retention has come in a class of records: vehicle after vehicle, of each first the ids that were made in months
/// that are over, then those that no right clock has made yet. What lies between, as a rule nearly all, is not read.
struct RetentionPlace {
  var vehicle: Int64 = 0
  var isAhead = false
  /// Where to go on among the ids; nil: at the first.
  var id: UUIDv7?
}

extension SQLiteSession {
  /// Records that one transaction reads or removes at most: some 20 ms, for which batches wait.
  private static let piece: Int64 = 2_000
  /// Vehicles that one transaction looks at.
  private static let vehicles = 500

  /// Removes some of the records that retention is for.
  ///
  /// - Returns: how many, and where to go on; nil: there are no more.
  func removePiece(
    _ recordClass: RecordClass, _ bounds: RetentionBounds, from place: RetentionPlace
  ) throws(StoreFailure) -> (removed: Int64, next: RetentionPlace?) {
    var (place, removed, left) = (place, Int64(0), Self.piece)
    for _ in 0..<Self.vehicles where left > 0 {
      let found = try rows(
        "SELECT tenant, key FROM vehicle WHERE key >= $1 ORDER BY key LIMIT 1", [.integer(place.vehicle)])
      guard let row = found.first else { return (removed, nil) }
      if row.integer(1) != place.vehicle { place = RetentionPlace(vehicle: row.integer(1)) }
      let key = row.values + [.integer(Int64(recordClass.number))]
      repeat {
        removed += try removeIds(key, bounds, &place, &left)
      } while left > 0 && place.vehicle == row.integer(1)
    }
    return (removed, place)
  }

  /// Removes what is old among some ids of a vehicle, and moves the place behind them.
  ///
  /// - Parameters:
  ///   - key: tenant, vehicle, class.
  ///   - left: how many records may still be read.
  private func removeIds(
    _ key: [SQLValue], _ bounds: RetentionBounds, _ place: inout RetentionPlace, _ left: inout Int64
  ) throws(StoreFailure) -> Int64 {
    // No id is before an empty blob, and none behind one that is longer than all.
    let (first, last) = (SQLValue.bytes([]), SQLValue.bytes(Array(repeating: 0xFF, count: 17)))
    let start = place.isAhead ? bounds.firstAhead.map { SQLValue.identifier($0) } ?? last : first
    let end = place.isAhead ? last : bounds.firstKept.map { SQLValue.identifier($0) } ?? first
    let from = place.id.map { SQLValue.identifier($0) } ?? start
    // By its times an index would be read of which next to nothing goes.
    let ids = "record INDEXED BY record_id WHERE tenant = $1 AND vehicle = $2 AND class = $3 AND id >= $4 AND id < $5"
    let read = try rows(
      "SELECT count(*), max(id) FROM (SELECT id FROM \(ids) ORDER BY id LIMIT $6)",
      key + [from, end, .integer(left + 1)]
    ).first
    let count = read?.integer(0) ?? 0
    let next = count > left ? read?.identifier(1) : nil
    let removed = try run(
      // The newest of each type and ECU, and of positions, stays.
      """
      DELETE FROM \(ids) AND time > $6 AND time < $7
        AND id NOT IN (SELECT newest.id FROM newest WHERE newest.vehicle = $2)
      """,
      key + [
        from, next.map { .identifier($0) } ?? end, .integer(StoredTime.undated), .integer(bounds.time),
      ])
    left -= min(count, left)
    if let next {
      place.id = next
    } else if place.isAhead {
      place = RetentionPlace(vehicle: place.vehicle + 1)
    } else {
      place = RetentionPlace(vehicle: place.vehicle, isAhead: true)
    }
    return Int64(removed)
  }

  /// Removes some of the records of a vehicle that has been removed, and with the last of them the note that it was.
  ///
  /// - Returns: how many; 0: there are no more.
  func removePiece(tenant: Int32, vehicle: Int32) throws(StoreFailure) -> Int64 {
    let removed = try run(
      """
      DELETE FROM record WHERE (tenant, vehicle, class, time, id) IN (
        SELECT tenant, vehicle, class, time, id FROM record WHERE tenant = $1 AND vehicle = $2 LIMIT $3)
      """, [SQLValue(tenant), SQLValue(vehicle), .integer(Self.piece)])
    if removed == 0 { try run("DELETE FROM removal WHERE vehicle = $1", [SQLValue(vehicle)]) }
    return Int64(removed)
  }
}
