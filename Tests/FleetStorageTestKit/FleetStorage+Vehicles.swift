import FleetDomain
import Telemetry

/// Changes of single vehicles, each in a separate transaction. A failure of the storage is thrown as `StorageError`, a
/// violated rule as `ThingError`.
extension FleetStorage {
  /// Returns a vehicle by id or VIN; `nil` if there is none.
  public func vehicle(_ name: String, tenant: TenantID) async throws -> Stored<Vehicle>? {
    try await failingAsStorage {
      try await view(tenant: tenant) { view throws(ThingError) in try view.vehicle(named: name) }
    }
  }

  /// Returns a page of vehicles in the order of their ids.
  public func vehicles(cursor: String?, limit: Int, tenant: TenantID) async throws -> Page<Stored<Vehicle>> {
    var query = ThingQuery<Vehicle>(order: [.init("id")], limit: limit)
    query.cursor = cursor
    let page = query
    return try await failingAsStorage {
      try await view(tenant: tenant) { view throws(ThingError) in try view.list(page) }
    }
  }

  @discardableResult
  public func addVehicle(
    _ id: String, _ vehicle: Vehicle = Vehicle(), tenant: TenantID, at now: Timestamp
  ) async throws -> Stored<Vehicle> {
    var vehicle = vehicle
    vehicle.id = id
    let added = vehicle
    return try await failingAsStorage {
      try await change(tenant: tenant, by: Actor(.command), at: now) { transaction throws(ThingError) in
        try transaction.requireUniqueNames(of: added)
        return try transaction.insert(added)
      }
    }
  }

  @discardableResult
  public func updateVehicle(
    _ name: String, tenant: TenantID, _ edit: @escaping @Sendable (inout Vehicle) -> Void
  ) async throws -> Stored<Vehicle> {
    try await failingAsStorage {
      try await change(tenant: tenant, by: Actor(.command), at: Timestamp(nanoseconds: 0)) {
        transaction throws(ThingError) in
        guard let old = try transaction.vehicle(named: name) else { throw .notFound(kind: "vehicle", id: name) }
        var new = old.value
        edit(&new)
        try transaction.requireUniqueNames(of: new, except: old.id)
        return try transaction.update(old, to: new, action: "change")
      }
    }
  }

  /// Removes a vehicle with its records.
  ///
  /// - Returns: `false` if it did not exist.
  public func removeVehicle(_ name: String, tenant: TenantID) async throws -> Bool {
    try await failingAsStorage {
      try await change(tenant: tenant, by: Actor(.command), at: Timestamp(nanoseconds: 0)) {
        transaction throws(ThingError) in
        guard let vehicle = try transaction.vehicle(named: name) else { return false }
        try transaction.removeVehicle(vehicle)
        return true
      }
    }
  }

  private func failingAsStorage<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch ThingError.storage(let failure) {
      throw failure
    }
  }
}
