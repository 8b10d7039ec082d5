import FleetDomain
import Telemetry

extension StoredFleet {
  @discardableResult
  public func finishRemovals() async throws(StorageError) -> Int64 {
    let (pending, hasErasure) = try await engine.read { session throws(StoreFailure) in
      (try session.rows("SELECT tenant, vehicle FROM removal ORDER BY vehicle", []), try session.hasErasure())
    }
    if hasErasure, try await engine.removeErasedCopies() {
      try await engine.write { session throws(StoreFailure) in try session.clearErasure() }
    }
    var removed: Int64 = 0
    for row in pending where !Task.isCancelled {
      let (tenant, vehicle) = (Int32(row.integer(0)), Int32(row.integer(1)))
      try await engine.removeDays(of: vehicle)
      removed += try await engine.removeRuns(tenant: tenant, vehicle: vehicle)
      // The row in `removal` is deleted only after all records of the vehicle were deleted.
      if Task.isCancelled { break }
      removed += try await engine.removeRecords(tenant: tenant, vehicle: vehicle)
    }
    return removed
  }
}

extension StoreSession {
  /// Removes the entries of the table `newest` for a vehicle or gateway whose own row was deleted. Marks its records
  /// and the figures of its days for a later removal (table `removal`), because they may be many.
  func removeDerived(from key: Int32, tenant: Int32) throws(StoreFailure) {
    try run("DELETE FROM newest WHERE vehicle = $1", [SQLValue(key)])
    try run("INSERT INTO removal (tenant, vehicle) VALUES ($1, $2)", [SQLValue(tenant), SQLValue(key)])
  }

  func storedVehicle(key: Int32) throws(StoreFailure) -> Stored<Vehicle>? {
    guard
      let row = try rows("SELECT \(ThingTable<Vehicle>.columns) FROM vehicle WHERE key = $1", [SQLValue(key)]).first
    else { return nil }
    return try ThingTable<Vehicle>.stored(row)
  }
}
