import FleetDomain
import Telemetry

extension StoredFleet {
  public func principal(_ secret: SecretHash) async throws(StorageError) -> Principal? {
    try await engine.read { session throws(StoreFailure) in
      let gateways = try session.rows(
        """
        SELECT tenant.id, gateway.id, allowed, gateway.added, secret_at, revoked, last_seen, spool_depth, version
        FROM gateway JOIN tenant ON tenant.key = gateway.tenant WHERE secret = $1
        """, [.bytes(secret.bytes)])
      if let row = gateways.first, let tenant = TenantID(row.text(0)) {
        return .gateway(GatewayColumns.gateway(row, from: 1), tenant)
      }
      let tokens = try session.rows(
        """
        SELECT tenant.id, \(TokenColumns.list) FROM token JOIN tenant ON tenant.key = token.tenant WHERE secret = $1
        """, [.bytes(secret.bytes)])
      guard let row = tokens.first, let tenant = TenantID(row.text(0)), let token = TokenColumns.token(row, from: 1)
      else { return nil }
      return .token(token, tenant)
    }
  }

  public func addToken(
    _ token: OperatorToken, secret: SecretHash, tenant: TenantID
  ) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let added = try session.run(
        """
        INSERT INTO token (tenant, id, label, role, secret, added, revoked) VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT DO NOTHING
        """,
        [
          SQLValue(tenant), .identifier(token.id), .text(token.label), .text(token.role.rawValue),
          .bytes(secret.bytes), .integer(token.addedAt.milliseconds), SQLValue(token.revokedAt?.milliseconds),
        ])
      guard added == 1 else { throw StoreFailure(.exists, token.id.string, "a token has this id or secret already") }
    }
  }

  public func tokens(tenant: TenantID) async throws(StorageError) -> [OperatorToken] {
    try await engine.read { session throws(StoreFailure) in
      try session.rows(
        "SELECT \(TokenColumns.list) FROM token WHERE tenant = $1 ORDER BY added, id",
        [SQLValue(try session.existing(tenant))]
      ).compactMap { TokenColumns.token($0) }
    }
  }

  public func revokeToken(_ id: UUIDv7, tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let changed = try session.run(
        "UPDATE token SET revoked = coalesce(revoked, $3) WHERE tenant = $1 AND id = $2",
        [SQLValue(try session.existing(tenant)), .identifier(id), .integer(now.milliseconds)])
      guard changed == 1 else { throw StoreFailure(.notFound, id.string, "no such token") }
    }
  }

  public func addTenant(_ tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let added = try session.run(
        "INSERT INTO tenant (id, added) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        [.text(tenant.text), .integer(now.milliseconds)])
      guard added == 1 else { throw StoreFailure(.exists, tenant.text, "there is such a tenant already") }
    }
  }

  public func tenants() async throws(StorageError) -> [Tenant] {
    try await engine.read { session throws(StoreFailure) in
      try session.rows("SELECT id, added FROM tenant ORDER BY id", []).compactMap { row in
        TenantID(row.text(0)).map { Tenant(id: $0, addedAt: StoredTime.timestamp(row.integer(1))) }
      }
    }
  }
}

/// The columns that a ``FleetDomain/OperatorToken`` is made of.
private enum TokenColumns {
  static let list = "token.id, label, role, token.added, revoked"

  /// Nil for a role of a later version: it gives no rights here.
  static func token(_ row: SQLRow, from first: Int = 0) -> OperatorToken? {
    guard let id = row.identifier(first), let role = Role(rawValue: row.text(first + 2)) else { return nil }
    return OperatorToken(
      id: id, label: row.text(first + 1), role: role, addedAt: StoredTime.timestamp(row.integer(first + 3)),
      revokedAt: row.optionalInteger(first + 4).map { StoredTime.timestamp($0) })
  }
}
