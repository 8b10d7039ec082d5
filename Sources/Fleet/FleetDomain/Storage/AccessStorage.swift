import Telemetry

/// The part of a storage that stores gateways, their keys, and tokens. Every change is written to the tenant's audit in
/// the same transaction, with its actor.
public protocol AccessStorage: Sendable {
  // MARK: Gateways

  /// Returns gateways in the order of their ids.
  func gateways(cursor: String?, limit: Int, tenant: TenantID) async throws(StorageError) -> Page<Gateway>

  func gateway(_ id: String, tenant: TenantID) async throws(StorageError) -> Gateway?

  /// Adds a gateway.
  ///
  /// - Throws: `exists`; `limitReached` (``TenantLimits``).
  func addGateway(
    _ id: String, allowedVehicles: [String], key: SecretHash, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) -> Gateway

  /// Replaces the list of vehicles for which a gateway may send records.
  ///
  /// - Throws: `notFound`.
  func setAllowedVehicles(
    _ vehicles: [String], gateway id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) -> Gateway

  /// Replaces a gateway's key; the old key is invalid at once. If the gateway was revoked, the new key makes it valid
  /// again.
  ///
  /// - Throws: `notFound`.
  func rotateKey(
    _ key: SecretHash, gateway id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) -> Gateway

  /// Revokes a gateway's key.
  ///
  /// - Throws: `notFound`.
  func revokeGateway(_ id: String, tenant: TenantID, by actor: Actor, at now: Timestamp) async throws(StorageError)

  /// Removes a gateway and its key. Its vehicles and records stay. If a gateway with the same id is added later, they
  /// belong to the new gateway.
  ///
  /// - Throws: `notFound`.
  func removeGateway(_ id: String, tenant: TenantID, by actor: Actor, at now: Timestamp) async throws(StorageError)

  /// Stores the state that gateways reported. Unknown IDs are ignored. The vehicle that a gateway reports becomes its
  /// current vehicle, unless the report's record is older than the record that determined the current vehicle.
  func storeStatus(of gateways: [String: GatewayStatus], tenant: TenantID) async throws(StorageError)

  // MARK: Tokens

  /// Returns the owner of each known secret. A secret may be revoked; the caller must check that.
  func principals(_ secrets: [SecretHash]) async throws(StorageError) -> [SecretHash: Principal]

  /// Adds a token with a new id.
  ///
  /// - Throws: `exists`; `limitReached` (``TenantLimits``).
  func addToken(
    _ token: OperatorToken, secret: SecretHash, tenant: TenantID, by actor: Actor
  ) async throws(StorageError)

  /// Stores the times at which tokens were last used. Unknown tokens are ignored.
  func storeUse(of tokens: [UUIDv7: Timestamp], tenant: TenantID) async throws(StorageError)

  /// Returns tokens in the order of their ids, which is the order of their creation.
  func tokens(cursor: String?, limit: Int, tenant: TenantID) async throws(StorageError) -> Page<OperatorToken>

  /// Returns whether a tenant has a token with the given role. Revoked tokens count, too.
  func hasToken(_ role: Role, tenant: TenantID) async throws(StorageError) -> Bool

  /// Revokes a token.
  ///
  /// - Throws: `notFound`.
  func revokeToken(_ id: UUIDv7, tenant: TenantID, by actor: Actor, at now: Timestamp) async throws(StorageError)

  /// Removes a token. Its secret becomes unknown, and lists no longer contain it.
  ///
  /// - Throws: `notFound`.
  func removeToken(_ id: UUIDv7, tenant: TenantID, by actor: Actor, at now: Timestamp) async throws(StorageError)

  /// Returns the tokens that were revoked or removed after a position, by any process and in any tenant. If the result
  /// has fewer than `limit` tokens, there are no more. Only the newest 10,000 revocations are stored.
  ///
  /// - Parameter position: `nil` to read only the current position.
  func revocations(after position: RevocationPosition?, limit: Int) async throws(StorageError) -> Revocations

  /// Revokes all valid tokens that were created after a time.
  ///
  /// - Parameter tenant: the tenant whose tokens are revoked; `nil` for all tenants.
  /// - Returns: the number of revoked tokens.
  func revokeTokens(madeAfter moment: Timestamp, tenant: TenantID?, at now: Timestamp) async throws(StorageError) -> Int

  /// Revokes all gateways whose key is valid and was created after a time.
  ///
  /// - Parameter tenant: the tenant whose gateways are revoked; `nil` for all tenants.
  /// - Returns: the number of revoked gateways.
  func revokeGateways(madeAfter moment: Timestamp, tenant: TenantID?, at now: Timestamp)
    async throws(StorageError) -> Int
}
