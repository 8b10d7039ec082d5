import FleetDomain

/// The vehicles that gateways may write as: the rows of `gateway_vehicle`.
extension StoreSession {
  /// Whether a vehicle, by id or VIN, is in the lists of other gateways and not in the list of this one. A gateway with
  /// the same id counts as listed, because its records have that `vehicleId` until it knows its vehicle. Revoked
  /// gateways do not count.
  ///
  /// - Parameter gateway: `nil` if the sender is unknown.
  func isOfOther(_ vehicle: String, than gateway: String?, tenant: Int32) throws(StoreFailure) -> Bool {
    let found = try rows(RightsQuery.isOfOther, [SQLValue(tenant), .text(vehicle), .text(gateway ?? "")])
    return found.first?.integer(0) == 1
  }

  /// Returns the number of vehicles that a gateway has registered; at most one more than the limit.
  func registeredVehicles(of gateway: String, tenant: Int32) throws(StoreFailure) -> Int64 {
    try rows(
      RightsQuery.registered, [SQLValue(tenant), .text(gateway), .integer(TenantLimits.vehiclesOfGateway + 1)]
    ).first?.integer(0) ?? 0
  }

  func allowedVehicles(of gateway: String, tenant: Int32) throws(StoreFailure) -> [String] {
    try rows(
      "SELECT vehicle FROM gateway_vehicle WHERE tenant = $1 AND gateway = $2 ORDER BY place",
      [SQLValue(tenant), .text(gateway)]
    ).map { $0.text(0) }
  }

  /// Returns the vehicle lists of the gateways whose ids are after one id and not after another.
  func allowedVehicles(
    tenant: Int32, after first: String, through last: String
  ) throws(StoreFailure) -> [String: [String]] {
    let found = try rows(
      """
      SELECT gateway, vehicle FROM gateway_vehicle WHERE tenant = $1 AND gateway > $2 AND gateway <= $3
      ORDER BY gateway, place
      """, [SQLValue(tenant), .text(first), .text(last)])
    return Dictionary(grouping: found) { $0.text(0) }.mapValues { $0.map { $0.text(1) } }
  }

  /// Adds vehicles to the empty list of a gateway.
  func allow(_ vehicles: [String], gateway: String, tenant: Int32) throws(StoreFailure) {
    for (place, vehicle) in vehicles.enumerated() {
      try run(
        """
        INSERT INTO gateway_vehicle (tenant, gateway, vehicle, place, active)
        SELECT $1, id, $3, $4, CASE WHEN revoked IS NULL THEN 1 ELSE 0 END FROM gateway WHERE tenant = $1 AND id = $2
        """, [SQLValue(tenant), .text(gateway), .text(vehicle), .integer(Int64(place))])
    }
  }

  func forgetVehicles(of gateway: String, tenant: Int32) throws(StoreFailure) {
    try run("DELETE FROM gateway_vehicle WHERE tenant = $1 AND gateway = $2", [SQLValue(tenant), .text(gateway)])
  }

  /// Sets whether the list of a gateway excludes other gateways, which it does while its key is valid.
  func setRights(of gateway: String, active: Bool, tenant: Int32) throws(StoreFailure) {
    try run(
      "UPDATE gateway_vehicle SET active = $3 WHERE tenant = $1 AND gateway = $2",
      [SQLValue(tenant), .text(gateway), .integer(active ? 1 : 0)])
  }

  /// Changes the count of a tenant's gateways or tokens. The tenant's row is locked until the commit.
  ///
  /// - Throws: `limitReached`.
  func count(_ what: CountedKeys, by step: Int64, tenant: Int32) throws(StoreFailure) {
    let counted = try run(
      "UPDATE tenant SET \(what.column) = \(what.column) + $2 WHERE key = $1 AND \(what.column) + $2 <= $3",
      [SQLValue(tenant), .integer(step), .integer(what.limit)])
    guard counted == 1 else {
      throw StoreFailure(
        .limitReached, what.column,
        "the tenant has the maximum of \(what.limit); delete unused ones")
    }
  }
}

/// Statements that run for every unknown vehicle of a batch. Each reads a few entries of an index, however many
/// gateways there are; a test checks their query plans.
enum RightsQuery {
  static let isOfOther = """
    SELECT CASE WHEN (
        EXISTS (SELECT 1 FROM gateway_vehicle WHERE tenant = $1 AND vehicle = $2 AND active = 1)
        OR EXISTS (SELECT 1 FROM gateway WHERE tenant = $1 AND id = $2 AND revoked IS NULL)
      ) AND $2 <> $3 AND NOT EXISTS (
        SELECT 1 FROM gateway_vehicle WHERE tenant = $1 AND gateway = $3 AND vehicle = $2 AND active = 1
      ) THEN 1 ELSE 0 END
    """
  static let registered = """
    SELECT count(*) FROM (SELECT 1 FROM vehicle WHERE tenant = $1 AND registered_by = $2 LIMIT $3) AS registered
    """
}

/// Kinds of keys whose number for each tenant is limited.
enum CountedKeys {
  case gateways, tokens

  /// The column of the tenant's row.
  var column: String {
    switch self {
    case .gateways: "gateways"
    case .tokens: "tokens"
    }
  }

  var limit: Int64 {
    switch self {
    case .gateways: TenantLimits.gateways
    case .tokens: TenantLimits.tokens
    }
  }
}
