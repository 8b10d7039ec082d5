import FleetDomain
import Telemetry

extension StoredFleet {
  public func principals(_ secrets: [SecretHash]) async throws(StorageError) -> [SecretHash: Principal] {
    try await engine.read { session throws(StoreFailure) in
      var found: [SecretHash: Principal] = [:]
      for secret in secrets { found[secret] = try session.principal(secret) }
      return found
    }
  }

  public func addToken(
    _ token: OperatorToken, secret: SecretHash, tenant: TenantID, by actor: Actor
  ) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let audit = try ThingSession(session, tenant: tenant, cursorKey: nil, by: actor, at: token.addedAt)
      let added = try session.run(
        """
        INSERT INTO token (tenant, id, label, role, secret, added, revoked, scope, expires)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING
        """,
        [
          SQLValue(tenant), .identifier(token.id), .text(token.label), .text(token.role.rawValue),
          .bytes(secret.bytes), .integer(token.addedAt.milliseconds), SQLValue(token.revokedAt?.milliseconds),
          .text(token.scope.json.canonicalText), SQLValue(token.expiresAt?.milliseconds),
        ])
      guard added == 1 else { throw StoreFailure(.exists, token.id.string, "a token has this id or secret already") }
      try session.count(.tokens, by: 1, tenant: tenant)
      try audit.record("create", of: nil, to: token)
    }
  }

  public func storeUse(of tokens: [UUIDv7: Timestamp], tenant: TenantID) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      // Update the tokens in the order of their IDs, so that two servers that update the same tokens cannot deadlock.
      for (id, time) in tokens.sorted(by: { $0.key.string < $1.key.string }) {
        try session.run(
          "UPDATE token SET used = CASE WHEN used > $3 THEN used ELSE $3 END WHERE tenant = $1 AND id = $2",
          [SQLValue(tenant), .identifier(id), .integer(time.milliseconds)])
      }
    }
  }

  public func tokens(
    cursor: String?, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> Page<OperatorToken> {
    let key = engine.cursorKey
    return try await engine.read { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let list = try TextPage("tokens", cursor, limit, tenant: tenant, key: key)
      let rows = try session.rows(
        "SELECT \(TokenColumns.list) FROM token WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3",
        [
          SQLValue(tenant), .identifier(UUIDv7(list.last.utf8.span) ?? TokenColumns.beforeAll),
          .integer(Int64(limit) + 1),
        ])
      var tokens: [OperatorToken] = []
      for row in rows { tokens.append(try TokenColumns.token(row)) }
      return list.page(tokens) { $0.id.string }
    }
  }

  public func hasToken(_ role: Role, tenant: TenantID) async throws(StorageError) -> Bool {
    try await engine.read { session throws(StoreFailure) in
      try !session.rows(
        "SELECT 1 FROM token WHERE tenant = $1 AND role = $2 LIMIT 1",
        [SQLValue(try session.existing(tenant)), .text(role.rawValue)]
      ).isEmpty
    }
  }

  public func revokeToken(
    _ id: UUIDv7, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) {
    try await end(id, "revoke", tenant: tenant, by: actor, at: now) { session, tenant throws(StoreFailure) in
      try session.run(
        "UPDATE token SET revoked = coalesce(revoked, $3) WHERE tenant = $1 AND id = $2",
        [SQLValue(tenant), .identifier(id), .integer(now.milliseconds)])
    }
  }

  public func removeToken(
    _ id: UUIDv7, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) {
    try await end(id, "remove", tenant: tenant, by: actor, at: now) { session, tenant throws(StoreFailure) in
      let removed = try session.run(
        "DELETE FROM token WHERE tenant = $1 AND id = $2", [SQLValue(tenant), .identifier(id)])
      if removed == 1 { try session.count(.tokens, by: -1, tenant: tenant) }
      return removed
    }
  }

  /// Revokes or removes a token, and records this in the audit and in the list of revocations.
  ///
  /// - Parameter work: changes the rows of the token. Returns their number.
  private func end(
    _ id: UUIDv7, _ action: String, tenant: TenantID, by actor: Actor, at now: Timestamp,
    _ work: @escaping @Sendable (any StoreSession, Int32) throws(StoreFailure) -> Int
  ) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let audit = try ThingSession(session, tenant: tenant, cursorKey: nil, by: actor, at: now)
      let before = try session.token(id, tenant: tenant)
      guard try work(session, tenant) == 1 else { throw StoreFailure(.notFound, id.string, "no such token") }
      try audit.record(action, of: before, to: try session.token(id, tenant: tenant))
      try session.recordRevocation([id], tenant: tenant)
    }
  }

  public func addTenant(_ tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let added = try session.run(
        "INSERT INTO tenant (id, added) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        [.text(tenant.text), .integer(now.milliseconds)])
      guard added == 1 else { throw StoreFailure(.exists, tenant.text, "a tenant with this name exists already") }
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

extension ThingSession {
  /// Writes a change of a token to the audit. If no property has changed, nothing is written.
  func record(_ action: String, of before: OperatorToken?, to after: OperatorToken?) throws(StoreFailure) {
    guard let id = (after ?? before)?.id else { return }
    let change = ThingChange(between: before?.audited, and: after?.audited)
    if !change.isEmpty { try record(action, "token", thing: id, change) }
  }
}

extension OperatorToken {
  /// The properties of a token that the audit contains.
  fileprivate var audited: [String: JSON] {
    [
      "label": .text(label), "role": .text(role.rawValue), "scope": scope.json, "expiresAt": expiresAt.json,
      "revokedAt": revokedAt.json,
    ]
  }
}

extension StoreSession {
  fileprivate func token(_ id: UUIDv7, tenant: Int32) throws(StoreFailure) -> OperatorToken? {
    let row = try rows(
      "SELECT \(TokenColumns.list) FROM token WHERE tenant = $1 AND id = $2", [SQLValue(tenant), .identifier(id)]
    ).first
    return try row.map { row throws(StoreFailure) in try TokenColumns.token(row) }
  }

  fileprivate func principal(_ secret: SecretHash) throws(StoreFailure) -> Principal? {
    let gateways = try rows(
      """
      SELECT tenant.id, tenant.key, \(GatewayColumns.list)
      FROM gateway JOIN tenant ON tenant.key = gateway.tenant WHERE secret = $1
      """, [.bytes(secret.bytes)])
    if let row = gateways.first, let tenant = TenantID(row.text(0)) {
      let vehicles = try allowedVehicles(of: GatewayColumns.id(row, from: 2), tenant: Int32(row.integer(1)))
      return .gateway(GatewayColumns.gateway(row, from: 2, vehicles), tenant)
    }
    let tokens = try rows(
      """
      SELECT tenant.id, \(TokenColumns.list) FROM token JOIN tenant ON tenant.key = token.tenant WHERE secret = $1
      """, [.bytes(secret.bytes)])
    if let row = tokens.first, let tenant = TenantID(row.text(0)) {
      return .token(try TokenColumns.token(row, from: 1), tenant)
    }
    return try signedIn(secret)
  }

  /// Returns the person whose session has this secret; `nil` if there is no such session.
  private func signedIn(_ secret: SecretHash) throws(StoreFailure) -> Principal? {
    let sessions = try rows(
      """
      SELECT \(ThingTable<Session>.columns(of: "session")), tenant.id, tenant.key
      FROM session JOIN tenant ON tenant.key = session.tenant WHERE session.secret = $1
      """, [.text(secret.text)])
    guard let row = sessions.first else { return nil }
    let place = ThingTable<Session>.columnCount
    guard let tenant = TenantID(row.text(place)) else { return nil }
    let session = try ThingTable<Session>.stored(row)
    let people = try rows(
      "SELECT \(ThingTable<Person>.columns) FROM person WHERE tenant = $1 AND id = $2",
      [.integer(row.integer(place + 1)), .identifier(session.value.personID)])
    guard let row = people.first else { return nil }
    return .person(SignedIn(session, of: try ThingTable<Person>.stored(row)), tenant)
  }
}

/// The columns of the table `token` from which a ``FleetDomain/OperatorToken`` is read.
private enum TokenColumns {
  static let list = "token.id, label, role, token.added, revoked, token.scope, expires, used"

  /// An ID that is lower than the ID of any token.
  static let beforeAll = UUIDv7(milliseconds: 0, first: 0, rest: 0)

  /// Reads a token from a row.
  /// - Throws: `damaged` for an invalid row. An unknown role is also invalid: only a later version can store one, and
  ///   the database of a later version is not opened.
  static func token(_ row: SQLRow, from first: Int = 0) throws(StoreFailure) -> OperatorToken {
    guard let id = row.identifier(first), let role = Role(rawValue: row.text(first + 2)),
      let scope = try? FleetScope(json: JSON(parsing: Array(row.text(first + 5).utf8)))
    else { throw StoreFailure(.damaged, "token", "invalid row") }
    return OperatorToken(
      id: id, label: row.text(first + 1), role: role, scope: scope,
      addedAt: StoredTime.timestamp(row.integer(first + 3)),
      expiresAt: row.optionalInteger(first + 6).map { StoredTime.timestamp($0) },
      revokedAt: row.optionalInteger(first + 4).map { StoredTime.timestamp($0) },
      lastUsedAt: row.optionalInteger(first + 7).map { StoredTime.timestamp($0) })
  }
}
