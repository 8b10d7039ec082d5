import FleetDomain
import Telemetry

extension StoredFleet {
  /// Begins a new generation of feed positions. This is required after a backup was restored in a way that no server
  /// can detect.
  public func recordRestoration() async throws(StorageError) {
    try await engine.write { [clock = engine.clock] session throws(StoreFailure) in
      try session.beginGeneration(clock: clock)
    }
  }

  /// Revokes all valid tokens that were created after a time. Tokens that were revoked before are not changed.
  ///
  /// - Parameter tenant: the tenant whose tokens are revoked; `nil` for all tenants.
  /// - Returns: the number of revoked tokens.
  public func revokeTokens(madeAfter moment: Timestamp, tenant: TenantID?, at now: Timestamp)
    async throws(StorageError) -> Int
  {
    try await engine.write { session throws(StoreFailure) in
      let place = try session.place(of: tenant)
      let found = try session.rows(
        "SELECT tenant, id FROM token WHERE added > $1 AND revoked IS NULL" + place.condition + " ORDER BY tenant, id",
        [.integer(moment.milliseconds)] + place.values)
      for (key, rows) in Dictionary(grouping: found, by: { $0.integer(0) }).sorted(by: { $0.key < $1.key }) {
        let ids = rows.compactMap { $0.identifier(1) }
        let audit = try ThingSession(session, tenant: Int32(key), cursorKey: nil, by: Actor(.command), at: now)
        for id in ids {
          try session.run(
            "UPDATE token SET revoked = $3 WHERE tenant = $1 AND id = $2",
            [.integer(key), .identifier(id), .integer(now.milliseconds)])
          try audit.record(
            "revoke", "token", thing: id,
            ThingChange(before: ["revokedAt": .null], after: ["revokedAt": audit.now.json]))
        }
        try session.recordRevocation(ids, tenant: Int32(key))
      }
      return found.count
    }
  }

  /// Revokes all gateways whose key is valid and was created after a time. See ``revokeTokens(madeAfter:tenant:at:)``,
  /// which does the same for tokens.
  public func revokeGateways(madeAfter moment: Timestamp, tenant: TenantID?, at now: Timestamp)
    async throws(StorageError) -> Int
  {
    try await engine.write { session throws(StoreFailure) in
      let place = try session.place(of: tenant)
      let condition = "secret_at > $1 AND revoked IS NULL" + place.condition
      let values = [SQLValue.integer(moment.milliseconds)] + place.values
      let found = try session.rows("SELECT tenant, id FROM gateway WHERE \(condition) ORDER BY tenant, id", values)
      for (key, rows) in Dictionary(grouping: found, by: { $0.integer(0) }).sorted(by: { $0.key < $1.key }) {
        let audit = try ThingSession(session, tenant: Int32(key), cursorKey: nil, by: Actor(.command), at: now)
        for row in rows {
          try audit.record(
            "revoke", "gateway", thing: nil,
            ThingChange(before: ["revokedAt": .null], after: ["revokedAt": audit.now.json]),
            details: ["id": .text(row.text(1))])
        }
      }
      try session.run(
        """
        UPDATE gateway_vehicle SET active = 0 WHERE (tenant, gateway) IN (
          SELECT tenant, id FROM gateway WHERE \(condition))
        """, values)
      return try session.run(
        "UPDATE gateway SET revoked = $\(values.count + 1) WHERE " + condition,
        values + [.integer(now.milliseconds)])
    }
  }
}

extension StoreSession {
  /// Returns an SQL condition that selects the rows of a tenant, and the value of the condition's parameter `$2`. The
  /// condition is empty if `tenant` is `nil`.
  fileprivate func place(of tenant: TenantID?) throws(StoreFailure) -> (condition: String, values: [SQLValue]) {
    guard let tenant else { return ("", []) }
    return (" AND tenant = $2", [SQLValue(try existing(tenant))])
  }
}
