import FleetDomain
import Telemetry

extension StoredFleet {
  public func records(
    _ query: RecordQuery, tenant: TenantID
  ) async throws(StorageError) -> Page<StoredRecord> {
    let cursorKey = engine.cursorKey
    return try await engine.read { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      var vehicle: VehicleRow?
      if let name = query.gateway ?? query.vehicle {
        vehicle = try session.vehicle(name, tenant: tenant, isGateway: query.gateway != nil)
        if vehicle == nil { throw StoreFailure(.notFound, name, "no such vehicle") }
      }
      var page = try RecordPage(query, tenant: tenant, vehicle: vehicle?.key, key: cursorKey)
      try page.complete(session, tenant: tenant)
      let selected = try session.selected(query, of: vehicle, tenant: tenant)
      guard let selected else {
        let (rows, next) = page.page(try session.allLists(page, tenant: tenant, vehicle: vehicle?.key))
        return Page(items: try session.records(rows, tenant: tenant, known: vehicle), next: next)
      }
      if let name = query.vehicle, selected.isEmpty { throw StoreFailure(.notFound, name, "no such vehicle") }
      let (rows, next) = try session.page(page, of: selected, tenant: tenant)
      return Page(items: try session.records(rows, tenant: tenant, known: vehicle), next: next)
    }
  }

  public func latest(
    vehicle name: String, within selection: VehicleSelection, tenant: TenantID
  ) async throws(StorageError) -> LatestRecords? {
    let cursorKey = engine.cursorKey
    return try await engine.read { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      guard let row = try session.vehicle(name, tenant: tenant),
        let vehicle = try session.storedVehicle(key: row.key)
      else { return nil }
      let selected = selection.isAll ? nil : try session.selected(selection, of: row, tenant: tenant)
      if selected?.isEmpty ?? false { return nil }
      let telemetry = NewestRecord.Part(recordClass: RecordClass.known(.telemetry).number, ecu: "")
      var latest = LatestRecords(vehicle: vehicle, telemetry: nil, position: nil, others: [])
      let newest =
        if let selected {
          try session.newest(of: row, within: selected, tenant: tenant, key: cursorKey)
        } else {
          try session.newest(of: row.key, tenant: tenant)
        }
      for (part, found) in newest {
        let record = found.record(of: row.id)
        switch part {
        case telemetry: latest.telemetry = record
        case .position: latest.position = record
        default: latest.others.append(record)
        }
      }
      return latest
    }
  }
}

extension StoreSession {
  /// Returns the key of a tenant.
  ///
  /// - Throws: `notFound` if there is no such tenant.
  func existing(_ id: TenantID) throws(StoreFailure) -> Int32 {
    guard let key = try tenant(id) else { throw StoreFailure(.notFound, id.text, "no such tenant") }
    return key
  }

  /// Returns the vehicle whose ID is `name` or, if there is none, the vehicle whose VIN is `name`; `nil` if there is
  /// neither.
  ///
  /// - Parameter isGateway: whether to return the row for a gateway's own records instead of a vehicle.
  func vehicle(_ name: String, tenant: Int32, isGateway: Bool = false) throws(StoreFailure) -> VehicleRow? {
    let found = try vehicles(named: [name], tenant: tenant).filter { $0.isGateway == isGateway }
    return found.first { $0.id == name } ?? found.first
  }

  /// Converts rows to records with the IDs of their vehicles. Records of vehicles that are being removed are omitted.
  func records(
    _ rows: [FoundRow], tenant: Int32, known: VehicleRow?
  ) throws(StoreFailure) -> [StoredRecord] {
    var ids: [Int32: String] = [:]
    if let known { ids[known.key] = known.id }
    let keys = rows.map(\.vehicle) + rows.compactMap(\.attributedTo)
    ids.merge(try vehicleNames(Set(keys).subtracting(ids.keys)).mapValues(\.id)) { known, _ in known }
    return rows.compactMap { row in
      guard let name = ids[row.vehicle], let vehicle = ids[row.attributedTo ?? row.vehicle] else { return nil }
      var record = row.record(of: vehicle)
      if row.attributedTo != nil { record.attributedFrom = name }
      return record
    }
  }

  /// Returns the ID and the VIN of each vehicle with one of the given keys. Keys without a vehicle are omitted.
  func vehicleNames(
    _ keys: Set<Int32>
  ) throws(StoreFailure) -> [Int32: (id: String, vin: String?, isGateway: Bool)] {
    var names: [Int32: (id: String, vin: String?, isGateway: Bool)] = [:]
    for key in keys {
      names[key] = try rows("SELECT id, vin, is_gateway FROM vehicle WHERE key = $1", [SQLValue(key)]).first
        .map { ($0.text(0), $0.optionalText(1), $0.integer(2) == 1) }
    }
    return names
  }
}
