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
      let vehicles = try session.allowedVehicles(
        tenant: tenant, after: list.last, through: rows.last.map { GatewayColumns.id($0) } ?? "")
      return list.page(rows.map { GatewayColumns.gateway($0, vehicles[GatewayColumns.id($0)] ?? []) }) { $0.id }
    }
  }

  public func gateway(_ id: String, tenant: TenantID) async throws(StorageError) -> Gateway? {
    try await engine.read { session throws(StoreFailure) in
      try session.gateway(id, tenant: try session.existing(tenant))
    }
  }

  public func addGateway(
    _ id: String, allowedVehicles: [String], key: SecretHash, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let audit = try ThingSession(session, tenant: tenant, cursorKey: nil, by: actor, at: now)
      let added = try session.run(
        """
        INSERT INTO gateway (tenant, id, added, secret, secret_at) VALUES ($1, $2, $3, $4, $3) ON CONFLICT DO NOTHING
        """,
        [SQLValue(tenant), .text(id), .integer(now.milliseconds), .bytes(key.bytes)])
      guard added == 1 else { throw StoreFailure(.exists, id, "a gateway has this id or key already") }
      try session.count(.gateways, by: 1, tenant: tenant)
      try session.allow(allowedVehicles, gateway: id, tenant: tenant)
      try session.adoptOwnRecords(of: id, allowedVehicles, tenant: tenant)
      let gateway = try session.existingGateway(id, tenant: tenant)
      try audit.record("create", of: nil, to: gateway)
      return gateway
    }
  }

  public func setAllowedVehicles(
    _ vehicles: [String], gateway id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await change(id, tenant, "change", by: actor, at: now) { session, tenant throws(StoreFailure) in
      // Lock the gateway's row, so that its key cannot be revoked or replaced during this transaction.
      let sql = "SELECT id FROM gateway WHERE tenant = $1 AND id = $2"
      guard try !session.rows(sql + session.lockingRows, [SQLValue(tenant), .text(id)]).isEmpty else { return }
      try session.forgetVehicles(of: id, tenant: tenant)
      try session.allow(vehicles, gateway: id, tenant: tenant)
      try session.adoptOwnRecords(of: id, vehicles, tenant: tenant)
    }
  }

  public func gatewaysWithRecords(tenant: TenantID) async throws(StorageError) -> [String] {
    try await engine.read { session throws(StoreFailure) in
      try session.rows(
        "SELECT id FROM vehicle WHERE tenant = $1 AND is_gateway = 1 ORDER BY id",
        [SQLValue(try session.existing(tenant))]
      ).map { $0.text(0) }
    }
  }

  public func removeRecords(
    ofGateway id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let audit = try ThingSession(session, tenant: tenant, cursorKey: nil, by: actor, at: now)
      guard let key = try session.vehicle(id, tenant: tenant, isGateway: true)?.key else {
        throw StoreFailure(.notFound, id, "the gateway has no records of its own")
      }
      try session.run("DELETE FROM vehicle WHERE key = $1", [SQLValue(key)])
      try session.removeDerived(from: key, tenant: tenant)
      try audit.record(
        "removeRecords", "gateway", thing: nil, ThingChange(before: [:], after: [:]), details: ["id": .text(id)])
    }
  }

  public func rotateKey(
    _ key: SecretHash, gateway id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await change(id, tenant, "rotateKey", by: actor, at: now) { session, tenant throws(StoreFailure) in
      try session.run(
        "UPDATE gateway SET secret = $3, secret_at = $4, revoked = NULL WHERE tenant = $1 AND id = $2",
        [SQLValue(tenant), .text(id), .bytes(key.bytes), .integer(now.milliseconds)])
      try session.setRights(of: id, active: true, tenant: tenant)
    }
  }

  public func revokeGateway(
    _ id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) {
    _ = try await change(id, tenant, "revoke", by: actor, at: now) { session, tenant throws(StoreFailure) in
      try session.run(
        "UPDATE gateway SET revoked = coalesce(revoked, $3) WHERE tenant = $1 AND id = $2",
        [SQLValue(tenant), .text(id), .integer(now.milliseconds)])
      try session.setRights(of: id, active: false, tenant: tenant)
    }
  }

  public func removeGateway(
    _ id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let audit = try ThingSession(session, tenant: tenant, cursorKey: nil, by: actor, at: now)
      let gateway = try session.existingGateway(id, tenant: tenant)
      let removed = try session.run(
        "DELETE FROM gateway WHERE tenant = $1 AND id = $2", [SQLValue(tenant), .text(id)])
      guard removed == 1 else { throw StoreFailure(.notFound, id, "no such gateway") }
      try session.forgetVehicles(of: id, tenant: tenant)
      try session.count(.gateways, by: -1, tenant: tenant)
      try audit.record("remove", of: gateway, to: nil)
    }
  }

  public func storeStatus(
    of gateways: [String: GatewayStatus], tenant: TenantID
  ) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let names = Set(gateways.values.compactMap { $0.vehicle?.name })
      let vehicles =
        names.isEmpty ? [] : try session.vehicles(named: names.sorted(), tenant: tenant).filter { !$0.isGateway }
      // Update the gateways in the order of their IDs. If two servers used different orders, they could deadlock.
      for (id, status) in gateways.sorted(by: { $0.key < $1.key }) {
        let vehicle = status.vehicle.flatMap { seen in
          vehicles.first { $0.id == seen.name } ?? vehicles.first { $0.vin == seen.name }
        }
        try session.run(
          """
          UPDATE gateway SET last_seen = CASE WHEN last_seen > $3 THEN last_seen ELSE $3 END,
            spool_depth = coalesce($4, spool_depth), version = coalesce($5, version),
            vehicle = CASE WHEN vehicle_time IS NULL OR vehicle_time <= CAST($7 AS BIGINT)
              THEN coalesce(CAST($6 AS INTEGER), vehicle) ELSE vehicle END,
            vehicle_time = CASE WHEN vehicle_time IS NULL OR vehicle_time <= CAST($7 AS BIGINT)
              THEN coalesce(CAST($7 AS BIGINT), vehicle_time) ELSE vehicle_time END
          WHERE tenant = $1 AND id = $2
          """,
          [
            SQLValue(tenant), .text(id), .integer(status.at.milliseconds), SQLValue(status.spoolDepth),
            SQLValue(status.version), SQLValue(vehicle.map { Int64($0.key) }),
            SQLValue(vehicle == nil ? nil : status.vehicle?.at.milliseconds),
          ])
      }
    }
  }

  /// Changes a gateway in one transaction, and records the change in the audit.
  ///
  /// - Throws: `notFound` if the gateway does not exist.
  private func change(
    _ id: String, _ tenant: TenantID, _ action: String, by actor: Actor, at now: Timestamp,
    _ work: @escaping @Sendable (any StoreSession, _ tenant: Int32) throws(StoreFailure) -> Void
  ) async throws(StorageError) -> Gateway {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let audit = try ThingSession(session, tenant: tenant, cursorKey: nil, by: actor, at: now)
      let before = try session.existingGateway(id, tenant: tenant)
      try work(session, tenant)
      let after = try session.existingGateway(id, tenant: tenant)
      try audit.record(action, of: before, to: after)
      return after
    }
  }
}

extension ThingSession {
  /// Writes a change of a gateway to the audit. If no property has changed, nothing is written.
  ///
  /// - Parameters:
  ///   - before: the gateway before the change; `nil` if it is new.
  ///   - after: the gateway after the change; `nil` if it was removed.
  func record(_ action: String, of before: Gateway?, to after: Gateway?) throws(StoreFailure) {
    guard let id = (after ?? before)?.id else { return }
    let change = ThingChange(between: before?.audited, and: after?.audited)
    if !change.isEmpty { try record(action, "gateway", thing: nil, change, details: ["id": .text(id)]) }
  }
}

extension Gateway {
  /// The properties of a gateway that the audit contains: all properties that people set, except the key.
  fileprivate var audited: [String: JSON] {
    [
      "vehicles": .array(allowedVehicles.map { .text($0) }), "addedAt": addedAt.json, "keyAt": keyAt.json,
      "revokedAt": revokedAt.json,
    ]
  }
}

extension StoreSession {
  fileprivate func gateway(_ id: String, tenant: Int32) throws(StoreFailure) -> Gateway? {
    let row = try rows(
      "SELECT \(GatewayColumns.list) FROM gateway WHERE tenant = $1 AND id = $2", [SQLValue(tenant), .text(id)]
    ).first
    guard let row else { return nil }
    return GatewayColumns.gateway(row, try allowedVehicles(of: id, tenant: tenant))
  }

  fileprivate func existingGateway(_ id: String, tenant: Int32) throws(StoreFailure) -> Gateway {
    guard let gateway = try gateway(id, tenant: tenant) else {
      throw StoreFailure(.notFound, id, "no such gateway")
    }
    return gateway
  }
}

/// The columns of the table `gateway` from which a ``FleetDomain/Gateway`` is read.
enum GatewayColumns {
  static let list = """
    gateway.id, gateway.added, secret_at, revoked, last_seen, spool_depth, version,
    (SELECT vehicle.id FROM vehicle WHERE vehicle.key = gateway.vehicle AND is_gateway = 0) AS current_vehicle
    """

  static func id(_ row: SQLRow, from first: Int = 0) -> String { row.text(first) }

  static func gateway(_ row: SQLRow, from first: Int = 0, _ vehicles: [String]) -> Gateway {
    Gateway(
      id: id(row, from: first), allowedVehicles: vehicles, addedAt: StoredTime.timestamp(row.integer(first + 1)),
      keyAt: StoredTime.timestamp(row.integer(first + 2)),
      revokedAt: row.optionalInteger(first + 3).map { StoredTime.timestamp($0) },
      lastSeen: row.optionalInteger(first + 4).map { StoredTime.timestamp($0) },
      spoolDepth: row.optionalInteger(first + 5), version: row.optionalText(first + 6),
      currentVehicle: row.optionalText(first + 7))
  }
}
