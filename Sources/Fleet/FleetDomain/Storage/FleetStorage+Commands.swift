import Telemetry

/// Functions that change fences, gateways and tokens, for commands on the server's machine. They have no parameter for
/// the actor: the audit names ``Actor/Who/command`` as the author.
extension FleetStorage {
  public func putFences(
    _ document: FencesDocument, expecting expected: FencesExpectation, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> FencesPut {
    try await putFences(document, expecting: expected, tenant: tenant, by: Actor(.command), at: now)
  }

  public func addGateway(
    _ id: String, allowedVehicles: [String], key: SecretHash, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await addGateway(id, allowedVehicles: allowedVehicles, key: key, tenant: tenant, by: Actor(.command), at: now)
  }

  public func setAllowedVehicles(
    _ vehicles: [String], gateway id: String, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await setAllowedVehicles(vehicles, gateway: id, tenant: tenant, by: Actor(.command), at: now)
  }

  public func rotateKey(
    _ key: SecretHash, gateway id: String, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await rotateKey(key, gateway: id, tenant: tenant, by: Actor(.command), at: now)
  }

  public func revokeGateway(_ id: String, tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    try await revokeGateway(id, tenant: tenant, by: Actor(.command), at: now)
  }

  public func removeGateway(_ id: String, tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    try await removeGateway(id, tenant: tenant, by: Actor(.command), at: now)
  }

  public func addToken(_ token: OperatorToken, secret: SecretHash, tenant: TenantID) async throws(StorageError) {
    try await addToken(token, secret: secret, tenant: tenant, by: Actor(.command))
  }

  public func revokeToken(_ id: UUIDv7, tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    try await revokeToken(id, tenant: tenant, by: Actor(.command), at: now)
  }

  public func removeToken(_ id: UUIDv7, tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    try await removeToken(id, tenant: tenant, by: Actor(.command), at: now)
  }
}
