import FleetDomain

/// Functions for the lists of vehicles for which gateways may send records: rows of the table `gateway_vehicle`.
extension StoreSession {
  /// Whether a vehicle is reserved for other gateways: the list of another gateway contains its ID or VIN, but the list
  /// of `gateway` does not. Each gateway's own ID counts as part of its list, because its records have this `vehicleId`
  /// until it knows its vehicle. Lists of revoked gateways are ignored.
  ///
  /// - Parameter gateway: the gateway that sent a record; `nil` if unknown.
  func isOfOther(_ vehicle: String, than gateway: String?, tenant: Int32) throws(StoreFailure) -> Bool {
    let found = try rows(RightsQuery.isOfOther, [SQLValue(tenant), .text(vehicle), .text(gateway ?? "")])
    return found.first?.integer(0) == 1
  }

  /// Whether a vehicle is in the list of any gateway.
  func isListed(_ vehicle: String, tenant: Int32) throws(StoreFailure) -> Bool {
    try !rows(
      "SELECT 1 FROM gateway_vehicle WHERE tenant = $1 AND vehicle = $2 LIMIT 1", [SQLValue(tenant), .text(vehicle)]
    ).isEmpty
  }

  /// Returns how many vehicles a gateway has registered; at most ``FleetDomain/TenantLimits/vehiclesOfGateway`` plus
  /// one.
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

  /// For each gateway whose id is after `first` and not after `last`, returns the gateway's list of vehicles. The keys
  /// are gateway ids.
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

  /// Stores the list of the vehicles for which a gateway may write. The gateway must not have a list yet
  /// (``forgetVehicles(of:tenant:)``).
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

  /// Sets whether the list of a gateway reserves its vehicles for this gateway. The list reserves them while the
  /// gateway's key is valid.
  func setRights(of gateway: String, active: Bool, tenant: Int32) throws(StoreFailure) {
    try run(
      "UPDATE gateway_vehicle SET active = $3 WHERE tenant = $1 AND gateway = $2",
      [SQLValue(tenant), .text(gateway), .integer(active ? 1 : 0)])
  }

  /// Changes the number of a tenant's gateways or tokens by `step`. The tenant's row is locked until the commit.
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

/// Statements that are executed for every unknown vehicle in a batch. Even with many gateways, each statement reads
/// only a few entries of an index. A test checks their query plans.
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

/// Kinds of keys whose number is limited for each tenant.
enum CountedKeys {
  case gateways, tokens

  /// The column of the table `tenant` that contains the number of the tenant's keys of this kind.
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
