import FleetDomain
import Telemetry

extension StoredFleet {
  public func vehicle(_ id: String, tenant: TenantID) async throws(StorageError) -> Vehicle? {
    try await engine.read { session throws(StoreFailure) in
      guard let row = try session.vehicle(id, tenant: try session.existing(tenant)) else { return nil }
      return try session.vehicleDetails(key: row.key)
    }
  }

  public func vehicles(
    cursor: String?, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> Page<Vehicle> {
    let key = engine.cursorKey
    return try await engine.read { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let list = try TextPage("vehicles", cursor, limit, tenant: tenant, key: key)
      let rows = try session.rows(
        "SELECT \(VehicleColumns.list) FROM vehicle WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3",
        [SQLValue(tenant), .text(list.last), .integer(Int64(limit) + 1)])
      return list.page(rows.map { VehicleColumns.vehicle($0) }) { $0.id }
    }
  }

  public func addVehicle(
    _ id: String, _ details: VehicleDetails, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> Vehicle {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      // An id that is another one's VIN would take that one's records.
      guard try session.vehicle(id, tenant: tenant) == nil else {
        throw StoreFailure(.exists, id, "a vehicle has this id or VIN already")
      }
      try session.refuseOthers(vin: details.vin, tenant: tenant, except: id)
      try session.run(
        """
        INSERT INTO vehicle (tenant, id, vin, name, make, model, model_year, licence_plate, added)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """,
        [SQLValue(tenant), .text(id)] + VehicleColumns.values(details) + [.integer(now.milliseconds)])
      return Vehicle(id: id, details: details, addedAt: StoredTime.timestamp(now.milliseconds))
    }
  }

  public func updateVehicle(
    _ id: String, _ details: VehicleDetails, removesVIN: Bool, tenant: TenantID
  ) async throws(StorageError) -> Vehicle {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      guard let row = try session.vehicle(id, tenant: tenant) else {
        throw StoreFailure(.notFound, id, "no such vehicle")
      }
      try session.refuseOthers(vin: details.vin, tenant: tenant, except: row.id)
      try session.run(
        """
        UPDATE vehicle SET vin = \(removesVIN ? "$2" : "coalesce($2, vin)"), name = $3, make = $4, model = $5, model_year = $6, licence_plate = $7
        WHERE key = $1
        """,
        [SQLValue(row.key)] + VehicleColumns.values(details))
      guard let vehicle = try session.vehicleDetails(key: row.key) else {
        throw StoreFailure(.notFound, id, "no such vehicle")
      }
      return vehicle
    }
  }

  public func removeVehicle(_ id: String, tenant: TenantID) async throws(StorageError) -> Bool {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      guard let row = try session.vehicle(id, tenant: tenant) else { return false }
      // Who is taking in records of it then finds it gone and begins anew: there will be no more rows with this key.
      guard try session.run("DELETE FROM vehicle WHERE key = $1", [SQLValue(row.key)]) == 1 else { return false }
      try session.run("DELETE FROM newest WHERE vehicle = $1", [SQLValue(row.key)])
      try session.run(
        "INSERT INTO removal (tenant, vehicle) VALUES ($1, $2)", [SQLValue(tenant), SQLValue(row.key)])
      return true
    }
  }

  @discardableResult
  public func finishRemovals() async throws(StorageError) -> Int64 {
    let pending = try await engine.read { session throws(StoreFailure) in
      try session.rows("SELECT tenant, vehicle FROM removal ORDER BY vehicle", [])
    }
    var removed: Int64 = 0
    for row in pending where !Task.isCancelled {
      let (tenant, vehicle) = (Int32(row.integer(0)), Int32(row.integer(1)))
      removed += try await engine.removeRuns(tenant: tenant, vehicle: vehicle)
      // What was begun must end before the note that the vehicle was removed goes.
      if Task.isCancelled { break }
      removed += try await engine.removeRecords(tenant: tenant, vehicle: vehicle)
    }
    return removed
  }
}

extension StoreSession {
  func vehicleDetails(key: Int32) throws(StoreFailure) -> Vehicle? {
    try rows("SELECT \(VehicleColumns.list) FROM vehicle WHERE key = $1", [SQLValue(key)]).first
      .map { VehicleColumns.vehicle($0) }
  }

  /// - Throws: `exists` where another vehicle has a VIN, or is called by it.
  fileprivate func refuseOthers(vin: String?, tenant: Int32, except id: String) throws(StoreFailure) {
    guard let vin else { return }
    for other in try vehicles(named: [vin], tenant: tenant) where other.id != id {
      throw StoreFailure(.exists, vin, "vehicle \(other.id) has this VIN")
    }
  }
}

/// The columns that a ``FleetDomain/Vehicle`` is made of.
private enum VehicleColumns {
  static let list = """
    id, vin, name, make, model, model_year, licence_plate, registered_by, added, last_time
    """

  static func vehicle(_ row: SQLRow) -> Vehicle {
    Vehicle(
      id: row.text(0),
      details: VehicleDetails(
        vin: row.optionalText(1), name: row.optionalText(2), make: row.optionalText(3), model: row.optionalText(4),
        modelYear: row.optionalInteger(5).map { Int($0) }, licencePlate: row.optionalText(6)),
      registeredBy: row.optionalText(7), addedAt: StoredTime.timestamp(row.integer(8)),
      lastRecordAt: row.optionalInteger(9).flatMap { StoredTime.time($0) })
  }

  /// VIN, name, make, model, model year, licence plate.
  static func values(_ details: VehicleDetails) -> [SQLValue] {
    [
      SQLValue(details.vin), SQLValue(details.name), SQLValue(details.make), SQLValue(details.model),
      SQLValue(details.modelYear.map { Int64($0) }), SQLValue(details.licencePlate),
    ]
  }
}
