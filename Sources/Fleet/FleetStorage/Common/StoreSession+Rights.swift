import FleetDomain

/// Which gateways may write as which vehicles: the rows of `gateway_vehicle`.
extension StoreSession {
  /// Whether gateways other than this one are configured for a vehicle of this id or VIN, and this one is not. A gateway
  /// of the same id counts as configured for it: until it knows its vehicle, its records have that `vehicleId`. Revoked
  /// gateways do not count.
  ///
  /// - Parameter gateway: `nil`: the sender is not known.
  func isOfOther(_ vehicle: String, than gateway: String?, tenant: Int32) throws(StoreFailure) -> Bool {
    let found = try rows(RightsQuery.isOfOther, [SQLValue(tenant), .text(vehicle), .text(gateway ?? "")])
    return found.first?.integer(0) == 1
  }

  /// How many vehicles a gateway has registered; at most one more than it may.
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

  /// The vehicles of the gateways behind one id up to another.
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

  /// Adds vehicles to a gateway that has none.
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

  /// Says whether the rights of a gateway keep others away: while its key is good.
  func setRights(of gateway: String, active: Bool, tenant: Int32) throws(StoreFailure) {
    try run(
      "UPDATE gateway_vehicle SET active = $3 WHERE tenant = $1 AND gateway = $2",
      [SQLValue(tenant), .text(gateway), .integer(active ? 1 : 0)])
  }

  /// Counts a gateway or token of a tenant, whose row is locked from here to the commit.
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

/// Statements that every unknown vehicle of a batch costs: each reads a few entries of an index, however many gateways
/// there are. A test looks at their plans.
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

/// Keys of which a tenant may have so many.
enum CountedKeys {
  case gateways, tokens

  /// Of the tenant's row.
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
