import FleetDomain
import Telemetry

extension StoredFleet {
  public func gateways(
    cursor: String?, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> Page<Gateway> {
    let key = engine.cursorKey
    return try await engine.read { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let list = try TextPage("gateways", cursor, limit, tenant: tenant, key: key)
      let rows = try session.rows(
        "SELECT \(GatewayColumns.list) FROM gateway WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3",
        [SQLValue(tenant), .text(list.last), .integer(Int64(limit) + 1)])
      return list.page(rows.map { GatewayColumns.gateway($0) }) { $0.id }
    }
  }

  public func gateway(_ id: String, tenant: TenantID) async throws(StorageError) -> Gateway? {
    try await engine.read { session throws(StoreFailure) in
      try session.gateway(id, tenant: try session.existing(tenant))
    }
  }

  public func addGateway(
    _ id: String, allowedVehicles: [String], key: SecretHash, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let added = try session.run(
        """
        INSERT INTO gateway (tenant, id, allowed, added, secret, secret_at) VALUES ($1, $2, $3, $4, $5, $4)
        ON CONFLICT DO NOTHING
        """,
        [
          SQLValue(tenant), .text(id), .text(GatewayColumns.text(allowedVehicles)), .integer(now.milliseconds),
          .bytes(key.bytes),
        ])
      guard added == 1 else { throw StoreFailure(.exists, id, "a gateway has this id or key already") }
      return try session.existingGateway(id, tenant: tenant)
    }
  }

  public func setAllowedVehicles(
    _ vehicles: [String], gateway id: String, tenant: TenantID
  ) async throws(StorageError) -> Gateway {
    try await change(
      id, tenant, "UPDATE gateway SET allowed = $3 WHERE tenant = $1 AND id = $2",
      [.text(GatewayColumns.text(vehicles))])
  }

  public func rotateKey(
    _ key: SecretHash, gateway id: String, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await change(
      id, tenant, "UPDATE gateway SET secret = $3, secret_at = $4, revoked = NULL WHERE tenant = $1 AND id = $2",
      [.bytes(key.bytes), .integer(now.milliseconds)])
  }

  public func revokeGateway(_ id: String, tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    _ = try await change(
      id, tenant, "UPDATE gateway SET revoked = coalesce(revoked, $3) WHERE tenant = $1 AND id = $2",
      [.integer(now.milliseconds)])
  }

  public func gatewaysSeen(
    _ sightings: [String: GatewaySighting], tenant: TenantID
  ) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      // In the order of their ids: two servers that see the same gateways do not wait for each other in a ring.
      for (id, sighting) in sightings.sorted(by: { $0.key < $1.key }) {
        try session.run(
          """
          UPDATE gateway SET last_seen = CASE WHEN last_seen > $3 THEN last_seen ELSE $3 END,
            spool_depth = coalesce($4, spool_depth), version = coalesce($5, version)
          WHERE tenant = $1 AND id = $2
          """,
          [
            SQLValue(tenant), .text(id), .integer(sighting.at.milliseconds), SQLValue(sighting.spoolDepth),
            SQLValue(sighting.version),
          ])
      }
    }
  }

  private func change(
    _ id: String, _ tenant: TenantID, _ sql: String, _ values: [SQLValue]
  ) async throws(StorageError) -> Gateway {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      try session.run(sql, [SQLValue(tenant), .text(id)] + values)
      return try session.existingGateway(id, tenant: tenant)
    }
  }
}

extension StoreSession {
  /// Gateways that were made for a vehicle of this id or VIN, and the one that is called so itself: its records are, until
  /// it knows its vehicle. Those that were revoked are left out.
  func gateways(for vehicle: String, tenant: Int32) throws(StoreFailure) -> [String] {
    let pattern = vehicle.reduce(into: "%") { pattern, character in
      pattern += ["!", "%", "_"].contains(character) ? "!\(character)" : "\(character)"
    }
    // SQLite's LIKE takes a for A, and any part of a line is one: the lists tell.
    return try rows(
      """
      SELECT id, allowed FROM gateway
      WHERE tenant = $1 AND revoked IS NULL AND (id = $3 OR allowed LIKE $2 ESCAPE '!')
      """,
      [SQLValue(tenant), .text(pattern + "%"), .text(vehicle)]
    ).filter { $0.text(0) == vehicle || GatewayColumns.vehicles($0.text(1)).contains(vehicle) }.map { $0.text(0) }
  }

  fileprivate func gateway(_ id: String, tenant: Int32) throws(StoreFailure) -> Gateway? {
    try rows(
      "SELECT \(GatewayColumns.list) FROM gateway WHERE tenant = $1 AND id = $2", [SQLValue(tenant), .text(id)]
    ).first.map { GatewayColumns.gateway($0) }
  }

  fileprivate func existingGateway(_ id: String, tenant: Int32) throws(StoreFailure) -> Gateway {
    guard let gateway = try gateway(id, tenant: tenant) else {
      throw StoreFailure(.notFound, id, "no such gateway")
    }
    return gateway
  }
}

/// The columns that a ``FleetDomain/Gateway`` is made of.
enum GatewayColumns {
  static let list = "id, allowed, added, secret_at, revoked, last_seen, spool_depth, version"

  static func gateway(_ row: SQLRow, from first: Int = 0) -> Gateway {
    Gateway(
      id: row.text(first), allowedVehicles: vehicles(row.text(first + 1)),
      addedAt: StoredTime.timestamp(row.integer(first + 2)), keyAt: StoredTime.timestamp(row.integer(first + 3)),
      revokedAt: row.optionalInteger(first + 4).map { StoredTime.timestamp($0) },
      lastSeen: row.optionalInteger(first + 5).map { StoredTime.timestamp($0) },
      spoolDepth: row.optionalInteger(first + 6), version: row.optionalText(first + 7))
  }

  /// A line each: no id holds a control character.
  static func text(_ vehicles: [String]) -> String { vehicles.joined(separator: "\n") }

  static func vehicles(_ text: String) -> [String] { text.split(separator: "\n").map { String($0) } }
}
