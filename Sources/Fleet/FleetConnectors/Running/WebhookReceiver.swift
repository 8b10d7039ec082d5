import FleetAccess
import FleetDomain
import Telemetry

/// Receives the events that other programs send as webhooks.
public struct WebhookReceiver: Sendable {
  private let storage: any FleetStorage
  private let keys: SecretKeys

  public init(storage: any FleetStorage, keys: SecretKeys) { (self.storage, self.keys) = (storage, keys) }

  /// Stores an event if its signature is valid.
  ///
  /// - Parameters:
  ///   - signature: the header `X-Samsara-Signature`.
  ///   - timestamp: the header `X-Samsara-Timestamp`.
  /// - Returns: `false` if there is no such connector, or if the signature is invalid.
  public func receive(
    _ body: [UInt8], of id: UUIDv7, tenant: TenantID, signature: String, timestamp: String, at now: Timestamp
  ) async throws -> Bool {
    let found: Stored<Connector>?
    do throws(ThingError) {
      found = try await storage.view(tenant: tenant) { view throws(ThingError) in try view.find(id, Connector.self) }
    } catch {
      if case .storage(let failure) = error, failure.kind == .notFound { return false }
      throw error
    }
    guard let connector = found, connector.value.isActive, connector.value.service == .samsara,
      let sealed = connector.value.webhookSecret, let secret = keys.open(sealed, for: SecretPlace.webhook(id)),
      SamsaraWebhook.isSigned(
        body, secret: String(decoding: secret, as: UTF8.self), signature: signature, timestamp: timestamp, at: now)
    else { return false }
    var page = PulledPage()
    if let json = try? JSON(parsing: body) {
      page = SamsaraWebhook.page(json)
    } else {
      page.ignore("event that is not JSON")
    }
    let store = ConnectorStore(
      connector: connector, tenant: tenant, storage: storage, now: { now },
      change: { [storage] work in
        try await storage.change(tenant: tenant, by: Actor(.server), at: now) { transaction throws(ThingError) in
          try work(transaction)
        }
      })
    try await store.store(page)
    return true
  }
}
