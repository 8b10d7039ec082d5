import Telemetry

/// A person's browser that receives push messages (RFC 8030). The subscription belongs to the session in which the
/// person allowed the messages, and ends with this session.
public struct PushSubscription: Kind {
  /// The maximum number of subscriptions of one person.
  public static let most = 20

  public var personID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var sessionID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  /// The address of the push service for this browser. Anyone who knows it can send messages, so it is not shown.
  public var endpoint = ""
  /// The browser's public key, in Base64URL (RFC 8291).
  public var key = ""
  /// The secret that the browser and the server share, in Base64URL (RFC 8291).
  public var auth = ""
  /// The name of the browser, from its header `User-Agent`; `nil` if the request has none.
  public var client: String?
  public var lastSentAt: Timestamp?

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "pushSubscription", many: "push-subscriptions")
  public static let fields: [Field<PushSubscription>] = [
    Field("personId", \.personID).settable(by: .hidden),
    Field("sessionId", \.sessionID).settable(by: .server),
    Field("endpoint", \.endpoint).settable(by: .hidden),
    Field("key", \.key).settable(by: .hidden),
    Field("auth", \.auth).settable(by: .hidden),
    Field("client", \.client).settable(by: .server),
    Field("lastSentAt", \.lastSentAt).settable(by: .server),
  ]

  public func subject(id: UUIDv7) -> UUIDv7 { personID }
}

/// The key pair with which a tenant's push messages are signed (VAPID, RFC 8292). Each tenant has exactly one.
public struct PushKey: Kind {
  /// The encrypted private key.
  public var secret: String?

  public init() {}

  public static let id = UUIDv7(milliseconds: 0, first: 0, rest: 2)
  public static let isAudited = false
  public static let names = KindNames(one: "pushKey", many: "push-keys")
  public static let fields: [Field<PushKey>] = [Field("secret", \.secret).settable(by: .hidden)]
}

extension FleetTransaction {
  /// Removes a push subscription and the messages that wait for it.
  public func remove(subscription: Stored<PushSubscription>, action: String) throws(ThingError) {
    try removeDeliveries(of: subscription.id)
    try remove(subscription, action: action)
  }

  /// Removes the push subscriptions that match a condition, such as those of a session; at most 1,000.
  public func removeSubscriptions(
    _ condition: ThingQuery<PushSubscription>.Condition, action: String
  ) throws(ThingError) {
    let query = ThingQuery<PushSubscription>(condition, limit: 1_000)
    for subscription in try list(query).items { try remove(subscription: subscription, action: action) }
  }
}
