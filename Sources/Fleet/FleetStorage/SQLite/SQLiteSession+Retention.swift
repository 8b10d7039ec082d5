import FleetDomain
import Telemetry

/// The position at which retention continues in a class of records. Retention visits the vehicles one after another.
/// For each vehicle, it reads first the IDs of expired months and then the IDs of future months, which only wrong
/// clocks create. It skips the IDs in between. Usually, nearly all IDs are skipped.
struct RetentionPlace {
  var vehicle: Int64 = 0
  var isAhead = false
  /// The ID at which to continue; `nil` to begin with the first ID of the vehicle.
  var id: UUIDv7?
}

/// The work that one transaction of a removal may still do. The work is limited, because other transactions wait.
struct RemovalBudget {
  /// Number of records that this transaction may still read or delete. 2,000 records of usual length take about 20 ms.
  private(set) var records: Int64 = 2_000
  /// Total length of the records that this transaction may still delete, bytes. SQLite overwrites deleted bytes; 4 MiB
  /// take about 20 ms.
  private var bytes: Int64 = 4 << 20

  var isSpent: Bool { records <= 0 || bytes <= 0 }

  /// Spends the budget on as many of the given records as it allows, in their order, but at least on the first one.
  ///
  /// - Parameter lengths: the length of each record that would be deleted, bytes; 0 for a record that stays.
  /// - Returns: the number of records on which the budget was spent.
  mutating func spend(_ lengths: [Int64]) -> Int {
    var count = 0
    for length in lengths.prefix(Int(records)) {
      if count > 0, bytes < length { break }
      bytes -= length
      count += 1
    }
    records -= Int64(count)
    if count < lengths.count { records = 0 }
    return count
  }
}

extension SQLiteSession {
  /// Maximum number of vehicles that one transaction of retention visits.
  private static let vehicles = 500

  /// Deletes some of the expired records.
  ///
  /// - Returns: the number of deleted records, and the position at which to continue (`next`), which is `nil` at the
  ///   end.
  func removePiece(
    _ recordClass: RecordClass, _ bounds: RetentionBounds, from place: RetentionPlace
  ) throws(StoreFailure) -> (removed: Int64, next: RetentionPlace?) {
    var (place, removed, budget) = (place, Int64(0), RemovalBudget())
    for _ in 0..<Self.vehicles where !budget.isSpent {
      let found = try rows(
        "SELECT tenant, key FROM vehicle WHERE key >= $1 ORDER BY key LIMIT 1", [.integer(place.vehicle)])
      guard let row = found.first else { return (removed, nil) }
      if row.integer(1) != place.vehicle { place = RetentionPlace(vehicle: row.integer(1)) }
      let key = row.values + [.integer(Int64(recordClass.number))]
      repeat {
        removed += try removeIds(key, bounds, &place, &budget)
      } while !budget.isSpent && place.vehicle == row.integer(1)
    }
    return (removed, place)
  }

  /// Deletes some of a vehicle's expired records, in the order of their IDs, and returns the number of deleted records.
  /// Begins at the position `place`, and advances this position.
  ///
  /// - Parameter key: the tenant, the vehicle and the class of the records.
  private func removeIds(
    _ key: [SQLValue], _ bounds: RetentionBounds, _ place: inout RetentionPlace, _ budget: inout RemovalBudget
  ) throws(StoreFailure) -> Int64 {
    // Bounds for all IDs: an empty blob sorts before every ID, and a blob of 17 bytes after every ID.
    let (first, last) = (SQLValue.bytes([]), SQLValue.bytes(Array(repeating: 0xFF, count: 17)))
    let start = place.isAhead ? bounds.firstAhead.map { SQLValue.identifier($0) } ?? last : first
    let end = place.isAhead ? last : bounds.firstKept.map { SQLValue.identifier($0) } ?? first
    let from = place.id.map { SQLValue.identifier($0) } ?? start
    // Use the index of IDs. With an index of times, entries of many records that are not deleted would also be read.
    let ids = "record INDEXED BY record_id WHERE tenant = $1 AND vehicle = $2 AND class = $3 AND id >= $4 AND id < $5"
    let read = try rows(
      """
      SELECT id, CASE WHEN time > $7 AND time < $8 THEN length(body) ELSE 0 END FROM \(ids) ORDER BY id LIMIT $6
      """,
      key + [from, end, .integer(budget.records + 1), .integer(StoredTime.undated), .integer(bounds.time)])
    let count = budget.spend(read.map { $0.integer(1) })
    let next = count < read.count ? read[count].identifier(0) : nil
    let removed = try rows(
      // The newest record of each type and ECU, and the newest record with a position, are not deleted.
      """
      DELETE FROM \(ids) AND time > $6 AND time < $7
        AND id NOT IN (SELECT newest.id FROM newest WHERE newest.vehicle = $2)
      RETURNING \(RecordBytes.ofRow), tenant
      """,
      key + [
        from, next.map { .identifier($0) } ?? end, .integer(StoredTime.undated), .integer(bounds.time),
      ])
    if let next {
      place.id = next
    } else if place.isAhead {
      place = RetentionPlace(vehicle: place.vehicle + 1)
    } else {
      place = RetentionPlace(vehicle: place.vehicle, isAhead: true)
    }
    for row in removed { recordBytes.add(-row.integer(0), tenant: Int32(row.integer(1))) }
    return Int64(removed.count)
  }

  /// Deletes some of the records of a removed vehicle. If none remain, deletes the row that records the removal.
  ///
  /// - Returns: the number of deleted records; 0 if none remained.
  func removePiece(tenant: Int32, vehicle: Int32) throws(StoreFailure) -> Int64 {
    let key = [SQLValue(tenant), SQLValue(vehicle)]
    let order = "WHERE tenant = $1 AND vehicle = $2 ORDER BY class, time, seq, id LIMIT $3"
    var budget = RemovalBudget()
    let lengths = try rows("SELECT length(body) FROM record \(order)", key + [.integer(budget.records)])
    let count = budget.spend(lengths.map { $0.integer(0) })
    let removed = try rows(
      """
      DELETE FROM record WHERE (tenant, vehicle, class, time, seq, id) IN (
        SELECT tenant, vehicle, class, time, seq, id FROM record \(order))
      RETURNING \(RecordBytes.ofRow)
      """, key + [.integer(Int64(count))])
    recordBytes.add(-removed.reduce(0) { $0 + $1.integer(0) }, tenant: tenant)
    if removed.isEmpty { try run("DELETE FROM removal WHERE vehicle = $1", [SQLValue(vehicle)]) }
    return Int64(removed.count)
  }
}
