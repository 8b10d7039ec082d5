import FleetDomain

/// Gateways' own records: records whose `vehicleId` is the ID of the gateway that sent them. A gateway sends such
/// records while it does not know its vehicle.
///
/// These records are stored like records of a vehicle, with a row in the table `vehicle` whose column `is_gateway` is
/// 1. Lists of vehicles do not contain such a row. The row becomes a vehicle if a record contains the VIN, or if the
/// gateway's list of vehicles contains the gateway's own ID.
enum GatewayRows {
  /// SQL that sets `is_gateway` in rows that an earlier version stored as vehicles, although they are for gateways' own
  /// records. A vehicle that people have changed or used remains a vehicle. Upgrades of the schema contain this text,
  /// so it must not change. Conditions can be appended to it.
  static let classify = """
    UPDATE vehicle SET is_gateway = 1 WHERE registered_by = id AND vin IS NULL AND name IS NULL AND make IS NULL
      AND model IS NULL AND model_year IS NULL AND licence_plate IS NULL AND notes IS NULL AND fleet_id IS NULL
      AND status = 'available' AND version = 1
      AND NOT EXISTS (SELECT 1 FROM gateway_vehicle AS o WHERE o.tenant = vehicle.tenant AND o.vehicle = vehicle.id)
      AND NOT EXISTS (SELECT 1 FROM assignment AS o WHERE o.tenant = vehicle.tenant AND o.vehicle_id = vehicle.id)
      AND NOT EXISTS (SELECT 1 FROM journey AS o WHERE o.tenant = vehicle.tenant AND o.vehicle_id = vehicle.id)
      AND NOT EXISTS (SELECT 1 FROM expense AS o WHERE o.tenant = vehicle.tenant AND o.vehicle_id = vehicle.id)
      AND NOT EXISTS (SELECT 1 FROM fuel_entry AS o WHERE o.tenant = vehicle.tenant AND o.vehicle_id = vehicle.id)
      AND NOT EXISTS (SELECT 1 FROM inspection AS o WHERE o.tenant = vehicle.tenant AND o.vehicle_id = vehicle.id)
      AND NOT EXISTS (SELECT 1 FROM document AS o WHERE o.tenant = vehicle.tenant AND o.vehicle_id = vehicle.id)
      AND NOT EXISTS (
        SELECT 1 FROM maintenance_record AS o WHERE o.tenant = vehicle.tenant AND o.vehicle_id = vehicle.id)
      AND NOT EXISTS (SELECT 1 FROM service_schedule AS o WHERE o.tenant = vehicle.tenant AND o.vehicle_id = vehicle.id)
      AND NOT EXISTS (
        SELECT 1 FROM defect AS o WHERE o.tenant = vehicle.tenant AND o.vehicle_id = vehicle.id AND o.source <> 'dtc')
      AND NOT EXISTS (
        SELECT 1 FROM meter_reading AS o WHERE o.tenant = vehicle.tenant AND o.vehicle_id = vehicle.id
          AND o.source <> 'gateway')
    """
}

/// A period in which a gateway's own records are attributed to a vehicle.
struct AttributedTimes {
  /// The key of the vehicle.
  var vehicle: Int32
  /// The period, ms since 1970.
  var range: Range<Int64>
}

extension StoreSession {
  /// Adds the row of the table `vehicle` for a gateway's own records. Does nothing if the tenant has a row with this
  /// ID.
  func addGatewayRow(_ id: String, tenant: Int32, at now: Int64) throws(StoreFailure) {
    try run(
      """
      INSERT INTO vehicle (tenant, id, thing, version, added, updated, search, status, registered_by, is_gateway)
      VALUES ($1, $2, $3, 1, $4, $4, '', 'available', $2, 1) ON CONFLICT DO NOTHING
      """,
      [SQLValue(tenant), .text(id), .identifier(.random(at: StoredTime.timestamp(now))), .integer(now)])
  }

  /// If a gateway's list of vehicles contains the gateway's own ID, turns the row for the gateway's own records into a
  /// vehicle with this ID.
  func adoptOwnRecords(of gateway: String, _ vehicles: [String], tenant: Int32) throws(StoreFailure) {
    guard vehicles.contains(gateway) else { return }
    try run(
      "UPDATE vehicle SET is_gateway = 0, search = lower(id) WHERE tenant = $1 AND id = $2 AND is_gateway = 1",
      [SQLValue(tenant), .text(gateway)])
  }

  /// Returns those of the given keys of the table `vehicle` whose rows are for gateways' own records.
  func gatewayKeys(among keys: Set<Int32>) throws(StoreFailure) -> [Int32] {
    var (found, rest) = ([Int32](), Array(keys)[...])
    while !rest.isEmpty {
      let part = rest.prefix(500)
      rest = rest.dropFirst(500)
      let list = part.indices.map { "$\($0 - part.startIndex + 1)" }.joined(separator: ", ")
      found += try rows("SELECT key FROM vehicle WHERE is_gateway = 1 AND key IN (\(list))", part.map { SQLValue($0) })
        .map { Int32($0.integer(0)) }
    }
    return found
  }

  /// Returns the periods in which gateways' own records are attributed to vehicles. The keys of the result are the keys
  /// of the gateways' rows. The periods of a gateway are in ascending order and do not overlap.
  ///
  /// - Parameters:
  ///   - keys: keys of vehicles, or of the gateways' rows.
  ///   - areGateways: `true` if `keys` are the keys of the gateways' rows; `false` if they are the keys of vehicles.
  ///   - start: only periods that end after this time are returned, ms since 1970.
  ///   - end: only periods that begin before this time are returned, ms since 1970.
  func attributions(
    of keys: Set<Int32>, areGateways: Bool, from start: Int64, to end: Int64, tenant: Int32
  ) throws(StoreFailure) -> [Int32: [AttributedTimes]] {
    var found: [Int32: [AttributedTimes]] = [:]
    var rest = Array(keys)[...]
    while !rest.isEmpty {
      let part = rest.prefix(500)
      rest = rest.dropFirst(500)
      let list = part.indices.map { "$\($0 - part.startIndex + 4)" }.joined(separator: ", ")
      let rows = try rows(
        """
        SELECT g.key, v.key, a."from", a."to" FROM attribution AS a
        JOIN vehicle AS g ON g.tenant = a.tenant AND g.id = a.gateway_id AND g.is_gateway = 1
        JOIN vehicle AS v ON v.tenant = a.tenant AND v.id = a.vehicle_id AND v.is_gateway = 0
        WHERE a.tenant = $1 AND a."from" < $2 AND a."to" > $3 AND \(areGateways ? "g" : "v").key IN (\(list))
        """,
        [SQLValue(tenant), .integer(end), .integer(start)] + part.map { SQLValue($0) })
      for row in rows where row.integer(2) < row.integer(3) {
        found[Int32(row.integer(0)), default: []].append(
          AttributedTimes(vehicle: Int32(row.integer(1)), range: row.integer(2)..<row.integer(3)))
      }
    }
    return found.mapValues { all in
      var last = Int64.min
      return all.sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
        .compactMap { times in
          guard times.range.upperBound > last else { return nil }
          let left = max(times.range.lowerBound, last)..<times.range.upperBound
          last = left.upperBound
          return AttributedTimes(vehicle: times.vehicle, range: left)
        }
    }
  }
}

extension ThingSession {
  func attribute(_ attribution: Attribution) throws(ThingError) {
    let query = ThingQuery<Attribution>(.oneOf(key: "tripId", [attribution.tripID.json]))
    guard try first(query) == nil, let vehicle = try vehicle(named: attribution.vehicle) else { return }
    try insert(attribution, id: nil, action: "attribute")
    // Mark the hours of the attributed records, so that the figures of their days are computed again.
    try asking { () throws(StoreFailure) in
      guard let key = try session.vehicle(vehicle.value.id, tenant: tenant)?.key else { return }
      try session.lock(vehicles: [key])
      let first = StaleHour.number(attribution.from.milliseconds)
      // A trip of more than a month is not plausible.
      let last = min(StaleHour.number(attribution.to.milliseconds), first + 24 * 31)
      try session.markStale((first...max(first, last)).map { StaleHour(vehicle: key, hour: $0) }, at: now.milliseconds)
      try session.run("UPDATE vehicle SET changes = changes + 1 WHERE key = $1", [SQLValue(key)])
    }
  }
}
