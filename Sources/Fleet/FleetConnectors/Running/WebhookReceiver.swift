import Crypto
import FleetAccess
import FleetDomain
import Telemetry

/// Receives the events that other programs send as webhooks.
public struct WebhookReceiver: Sendable {
  private let storage: any FleetStorage
  private let keys: SecretKeys

  public init(storage: any FleetStorage, keys: SecretKeys) { (self.storage, self.keys) = (storage, keys) }

  /// The headers that authenticate an event.
  public struct Proof: Sendable {
    /// The header `X-Samsara-Signature`.
    public var signature = ""
    /// The header `X-Samsara-Timestamp`.
    public var timestamp = ""
    /// The header `Authorization`.
    public var authorization = ""

    public init(signature: String = "", timestamp: String = "", authorization: String = "") {
      (self.signature, self.timestamp, self.authorization) = (signature, timestamp, authorization)
    }
  }

  /// Returns a connector; `nil` if the tenant has no such connector, or if there is no such tenant.
  public func connector(_ id: UUIDv7, tenant: TenantID) async throws(ThingError) -> Stored<Connector>? {
    do throws(ThingError) {
      return try await storage.view(tenant: tenant) { view throws(ThingError) in try view.find(id, Connector.self) }
    } catch {
      if case .storage(let failure) = error, failure.kind == .notFound { return nil }
      throw error
    }
  }

  /// Stores the events in a request's body if the body is authentic.
  ///
  /// - Returns: `false` if there is no such connector, or if signature or token are invalid.
  public func receive(
    _ body: [UInt8], of id: UUIDv7, tenant: TenantID, _ proof: Proof, at now: Timestamp
  ) async throws -> Bool {
    guard let connector = try await connector(id, tenant: tenant), connector.value.isActive,
      let sealed = connector.value.webhookSecret,
      let key = keys.open(sealed, for: SecretPlace.webhook(id)),
      let page = Self.page(body, connector.value.service, String(decoding: key, as: UTF8.self), proof, at: now)
    else { return false }
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

  /// Returns the content of a request's body; `nil` if the body is not authentic, or if the connector's service does
  /// not send events.
  private static func page(
    _ body: [UInt8], _ service: Connector.Service, _ secret: String, _ proof: Proof, at now: Timestamp
  ) -> PulledPage? {
    switch service {
    case .samsara:
      guard
        SamsaraWebhook.isSigned(
          body, secret: secret, signature: proof.signature, timestamp: proof.timestamp, at: now)
      else { return nil }
      if let json = try? JSON(parsing: body) { return SamsaraWebhook.page(json) }
      var page = PulledPage()
      page.ignore("event that is not JSON")
      return page
    case .tesla:
      // The comparison of digests takes the same time for all texts.
      guard SHA256.hash(data: Array(proof.authorization.utf8)) == SHA256.hash(data: Array("Bearer \(secret)".utf8))
      else { return nil }
      return TeslaTelemetry.page(body)
    case .aemp, .ford: return nil
    }
  }
}
