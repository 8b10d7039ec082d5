import FleetAccess
import FleetConnectors
import FleetDomain
import FleetWork
import Telemetry

/// A field of stored things whose value is encrypted with the server's keys (``SecretKeys``).
///
///     for field in SealedField.all { count += try await field.rotate(tenant, keys, storage, at: now) }
public struct SealedField: Sendable {
  /// An encrypted value, with the name of the place where it is stored. The value can be decrypted only with this name.
  public struct Secret: Equatable, Sendable {
    public let place: String
    public let sealed: String
  }

  /// The name of the kind (``KindNames/one``), a dot, and the key of the field.
  public let name: String
  private let pageOfSecrets: @Sendable (FleetView, String?) throws(ThingError) -> Page<Secret>
  private let rotatePage:
    @Sendable (TenantID, SecretKeys, any FleetStorage, Timestamp, String?) async throws -> (count: Int, next: String?)

  /// All fields with encrypted values.
  public static let all: [SealedField] = [
    oneTimeCodes,
    SealedField("details", \QueuedMail.details) { SecretPlace.mail($0) },
    SealedField("secret", \Connector.secret) { SecretPlace.connector($0) },
    SealedField("webhookSecret", \Connector.webhookSecret) { SecretPlace.webhook($0) },
    SealedField("tokens", \ConnectorProgress.tokens) { SecretPlace.tokens($0) },
    SealedField("secret", \Forward.secret) { SecretPlace.forward($0) },
    SealedField("messageKey", \Phone.messageKey) { SecretPlace.phone($0) },
    SealedField("secret", \Webhook.secret) { SecretPlace.eventWebhook($0) },
    SealedField("secret", \PushKey.secret) { _ in SecretPlace.pushKey },
  ]

  /// The seeds of one-time codes (TOTP). Factors of other forms contain no encrypted values.
  public static let oneTimeCodes = SealedField(
    "secret", \Factor.secret, .oneOf(key: "kind", [Factor.Form.totp.json])
  ) { SecretPlace.factor($0) }

  /// Describes a field.
  ///
  /// - Parameters:
  ///   - condition: selects the things whose values are encrypted; `nil` for all things.
  ///   - place: returns the name of the place where the secret of a thing is stored.
  private init<Value: Kind>(
    _ key: String, _ path: WritableKeyPath<Value, String?> & Sendable, _ condition: ThingQuery<Value>.Condition? = nil,
    _ place: @escaping @Sendable (UUIDv7) -> String
  ) {
    name = "\(Value.names.one).\(key)"
    let list: @Sendable (FleetView, String?) throws(ThingError) -> Page<Stored<Value>> = {
      view, cursor throws(ThingError) in
      var query = ThingQuery<Value>(limit: 256)
      if let condition { query.conditions.append(condition) }
      query.cursor = cursor
      return try view.list(query)
    }
    pageOfSecrets = { view, cursor throws(ThingError) in
      let page = try list(view, cursor)
      let secrets = page.items.compactMap { stored in
        stored.value[keyPath: path].map { Secret(place: place(stored.id), sealed: $0) }
      }
      return Page(items: secrets, next: page.next)
    }
    rotatePage = { tenant, keys, storage, now, cursor in
      let page = try await storage.view(tenant: tenant) { view throws(ThingError) in try list(view, cursor) }
      let count = try await storage.change(tenant: tenant, by: Actor(.command), at: now) {
        transaction throws(ThingError) in
        var count = 0
        for id in page.items.map(\.id) {
          guard let stored = try transaction.find(id, Value.self), let secret = stored.value[keyPath: path],
            keys.isOutdated(secret)
          else { continue }
          guard let opened = keys.open(secret, for: place(id)) else {
            throw .rule(
              code: "keyMissing",
              message: "\(Value.names.one) \(id.string): the key with which it was encrypted is not in the file")
          }
          var changed = stored.value
          changed[keyPath: path] = keys.seal(opened, for: place(id))
          try transaction.update(stored, to: changed, action: "rotateKey")
          count += 1
        }
        return count
      }
      return (count, page.next)
    }
  }

  /// Returns a tenant's encrypted values of this field.
  public func secrets(of tenant: TenantID, in storage: any FleetStorage) async throws -> [Secret] {
    var (found, cursor) = ([Secret](), String?.none)
    repeat {
      let page = try await storage.view(tenant: tenant) { [cursor] view throws(ThingError) in
        try pageOfSecrets(view, cursor)
      }
      found += page.items
      cursor = page.next
    } while cursor != nil
    return found
  }

  /// Encrypts a tenant's values of this field again, with the first of `keys`. Values that are encrypted with that key
  /// already do not change, so that an interrupted rotation can be repeated.
  ///
  /// - Returns: the number of changed values.
  /// - Throws: an error if a value was encrypted with a key that is missing.
  public func rotate(
    _ tenant: TenantID, _ keys: SecretKeys, _ storage: any FleetStorage, at now: Timestamp
  ) async throws -> Int {
    var (count, cursor) = (0, String?.none)
    repeat {
      let page = try await rotatePage(tenant, keys, storage, now, cursor)
      (count, cursor) = (count + page.count, page.next)
    } while cursor != nil
    return count
  }
}
