import FleetDomain
import Telemetry

extension StoreEngine {
  /// Deletes expired telemetry that is stored in runs, and returns the number of deleted records; see
  /// ``FleetDomain/FleetStorage/removeRecords(_:before:at:)``.
  func removeRuns(_ bounds: RetentionBounds) async throws(StorageError) -> Int64 {
    try await removeInPieces(from: RunRemovalPlace()) { session, place throws(StoreFailure) in
      try session.removeRuns(bounds, from: place)
    }
  }

  /// Deletes a removed vehicle's telemetry that is stored in runs. Returns the number of deleted records.
  func removeRuns(tenant: Int32, vehicle: Int32) async throws(StorageError) -> Int64 {
    try await removeInPieces { session throws(StoreFailure) in try session.removeRuns(tenant: tenant, vehicle: vehicle)
    }
  }
}

/// The position at which retention continues: the last run that was visited. Runs are visited in the order of months,
/// times, tenants and vehicles.
struct RunRemovalPlace {
  var month: Int64 = -1
  var time: Int64 = .min
  var tenant: Int64 = 0
  var vehicle: Int64 = 0
}

/// Retention usually deletes whole runs, because all times of a past month are before the cutoff. If a gateway's clock
/// was wrong, a run may also contain newer records. These remain. As with rows, the newest record of a vehicle is never
/// deleted.
extension StoreSession {
  /// Maximum number of runs that one transaction deletes. Deleting 64 runs takes about 10 ms.
  private static var piece: Int64 { 64 }

  /// Deletes some of the expired runs.
  ///
  /// - Returns: the number of deleted records, and the position at which to continue. The position is `nil` if no
  ///   expired runs remain.
  fileprivate func removeRuns(
    _ bounds: RetentionBounds, from place: RunRemovalPlace
  ) throws(StoreFailure) -> (removed: Int64, next: RunRemovalPlace?) {
    guard let kept = bounds.firstKept else { return (0, nil) }
    let found = try rows(
      """
      SELECT month, last_time, tenant, vehicle, first_time, count, last_id, first_id, (
        SELECT count(DISTINCT id) FROM newest WHERE newest.vehicle = telemetry_run.vehicle
          AND newest.class IN (\(RowKey.telemetryClass), \(NewestRecord.Part.position.recordClass))
          AND newest.id >= first_id AND newest.id <= last_id)
      FROM telemetry_run
      WHERE month < $1 AND (month, last_time, tenant, vehicle) > ($2, $3, $4, $5) AND first_time < $6
      ORDER BY month, last_time, tenant, vehicle LIMIT $7
      """,
      [
        .integer(Int64(IdMonth(of: kept).index)), .integer(place.month), .integer(place.time),
        .integer(place.tenant), .integer(place.vehicle), .integer(bounds.time), .integer(Self.piece),
      ])
    var removed: Int64 = 0
    for row in found {
      guard let last = row.identifier(6), let first = row.identifier(7) else {
        throw TelemetryRun.damaged("a run without its ids")
      }
      let span = RunSpan(
        tenant: Int32(row.integer(2)), vehicle: Int32(row.integer(3)), firstId: first, lastId: last,
        firstTime: row.integer(4), lastTime: row.integer(1))
      if span.lastTime < bounds.time, row.integer(8) == 0 {
        if try span.remove(self) { removed += row.integer(5) }
      } else if row.integer(8) < row.integer(5) {
        removed += try removeOldest(of: span, before: bounds.time)
      }
    }
    guard let last = found.last, found.count == Self.piece else { return (removed, nil) }
    let next = RunRemovalPlace(
      month: last.integer(0), time: last.integer(1), tenant: last.integer(2), vehicle: last.integer(3))
    return (removed, next)
  }

  /// Deletes the records of a run whose times are before `time`, including the bytes of their bodies. The vehicle's
  /// newest record remains. Returns the number of deleted records.
  private func removeOldest(of span: RunSpan, before time: Int64) throws(StoreFailure) -> Int64 {
    // If the vehicle was removed, ``removeRuns(tenant:vehicle:)`` deletes its records.
    if try rows("SELECT key FROM vehicle WHERE key = $1", [SQLValue(span.vehicle)]).isEmpty { return 0 }
    try lock(vehicles: [span.vehicle])
    guard let run = try runs(at: [span], withBodies: true)[span] else { return 0 }
    let newest = Set(
      try rows("SELECT id FROM newest WHERE vehicle = $1", [SQLValue(span.vehicle)]).compactMap { $0.identifier(0) })
    let entries = run.entries.filter { $0.time >= time || newest.contains($0.id) }
    if entries.count == run.entries.count { return 0 }
    let bodies = try RunUnpacker().unpack(run.packedBodies)
    var kept: [RecordRow] = []
    for entry in entries { kept.append(try run.newRow(entry, in: bodies)) }
    var packer = try RunPacker()
    try span.remove(self)
    if let new = try NewRun(kept, &packer) { try insert([new]) }
    return Int64(run.entries.count - kept.count)
  }

  /// Deletes some of the runs of a removed vehicle.
  ///
  /// - Returns: the number of deleted records; 0 if no run remains.
  fileprivate func removeRuns(tenant: Int32, vehicle: Int32) throws(StoreFailure) -> Int64 {
    let found = try rows(
      "SELECT last_id FROM telemetry_run WHERE tenant = $1 AND vehicle = $2 ORDER BY last_id LIMIT $3",
      [SQLValue(tenant), SQLValue(vehicle), .integer(Self.piece)])
    guard let last = found.last?.identifier(0) else { return 0 }
    let removed = try rows(
      """
      DELETE FROM telemetry_run WHERE tenant = $1 AND vehicle = $2 AND last_id <= $3
      RETURNING count, \(RecordBytes.ofRun)
      """, [SQLValue(tenant), SQLValue(vehicle), .identifier(last)])
    recordBytes.add(-removed.reduce(0) { $0 + $1.integer(1) }, tenant: tenant)
    return removed.reduce(0) { $0 + $1.integer(0) }
  }
}
