import FleetDomain
import Telemetry

/// An address to which events are sent as signed JSON, in the format of the specification Standard Webhooks.
public struct Webhook: Kind {
  /// The maximum number of webhooks of a tenant.
  public static let most = 20
  /// If the receiver of a webhook fails for this time without a success, the webhook is switched off, s.
  public static let patience = 86_400
  /// Time after a change of the secret in which messages are also signed with the previous secret, s.
  public static let overlap = 86_400

  public enum State: String, FieldChoice, Sendable {
    /// Nothing was sent yet.
    case waiting
    case working
    case failing
    /// The server has switched it off.
    case disabled
  }

  public var url = ""
  public var description: String?
  /// The events that are sent to the webhook; `nil` for all events. If the array is empty, only notification rules send
  /// events to the webhook.
  public var events: [FleetEvent.Event]?
  /// The fleets whose events are sent; empty for all events.
  public var fleetIDs: [UUIDv7] = []
  public var isActive = true
  /// The encrypted secrets: the present one, and the previous one after a space.
  public var secret: String?
  /// The time until which messages are also signed with the previous secret; `nil` if the secret was not changed.
  public var previousSecretUntil: Timestamp?
  public var state = State.waiting
  public var lastDeliveredAt: Timestamp?
  /// The number of deliveries that the receiver has accepted.
  public var delivered: Int64 = 0
  /// The number of events that were not sent, because too many deliveries were waiting.
  public var dropped: Int64 = 0
  /// The last failures, the newest first.
  public var failures: [RecentFailure] = []

  public init() {}

  public static let names = KindNames(one: "webhook", many: "webhooks")
  public static let fields: [Field<Webhook>] = [
    Field("url", \.url).required().textSearched(),
    Field("description", \.description, TextRules.short(200)).textSearched(),
    Field("events", \.events) { events throws(FieldError) in
      guard let events, Set(events).count != events.count else { return }
      throw FieldError("", "expected events, each once")
    },
    Field("fleetIds", \.fleetIDs) { ids throws(FieldError) in
      guard ids.count <= 100, Set(ids).count == ids.count else {
        throw FieldError("", "expected at most 100 ids, each once")
      }
    }.refers(to: .fleet),
    Field("isActive", \.isActive).filterable(),
    Field("secret", \.secret).settable(by: .hidden),
    Field("previousSecretUntil", \.previousSecretUntil).settable(by: .server),
    Field("state", \.state).settable(by: .live).filterable(),
    Field("lastDeliveredAt", \.lastDeliveredAt).settable(by: .live),
    Field("delivered", \.delivered).settable(by: .live),
    Field("dropped", \.dropped).settable(by: .live),
    Field("failures", \.failures).settable(by: .live),
  ]

  /// The scheme and the server of ``url``, such as `https://hooks.example`. Path and query often contain a secret, so
  /// texts that others than administrators see contain only this part.
  var server: String {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    return String(url[..<(url[start...].firstIndex { "/?".contains($0) } ?? url.endIndex)])
  }

  /// Whether the webhook receives events about a vehicle or another thing that belongs to the given fleets.
  public func concerns(_ fleets: Set<UUIDv7>) -> Bool {
    fleetIDs.isEmpty || fleetIDs.contains { fleets.contains($0) }
  }
}

extension FleetTransaction {
  /// Adds the deliveries of an event to webhooks.
  public func enqueue(_ event: Stored<FleetEvent>, to webhooks: [UUIDv7]) throws(ThingError) {
    for id in webhooks {
      guard let webhook = try find(id, Webhook.self), webhook.value.isActive else { continue }
      var delivery = Delivery()
      (delivery.receiverID, delivery.eventID) = (id, event.id)
      (delivery.event, delivery.thing) = (event.value.event.rawValue, event.value.thing)
      delivery.body = event.value.webhookBody(id: event.id, at: event.value.at ?? event.createdAt)
      guard try !enqueue(delivery) else { continue }
      var changed = webhook.value
      changed.dropped += 1
      try refresh(webhook, to: changed)
    }
  }

  /// Adds a delivery of a test event to a webhook.
  ///
  /// - Throws: `invalidState` if the webhook is not active; `rule` with `limitReached` if too many deliveries wait for
  ///   it.
  public func sendTest(to webhook: Stored<Webhook>) throws(ThingError) -> Stored<Delivery> {
    guard webhook.value.isActive else { throw .invalidState(state: "inactive", allowedFrom: ["active"]) }
    var delivery = Delivery()
    (delivery.receiverID, delivery.eventID, delivery.thing) = (webhook.id, .random(at: now), webhook.id)
    delivery.event = "test"
    delivery.body =
      JSON.object([
        "type": .text("test"), "timestamp": now.json,
        "data": .object(["eventId": delivery.eventID.json, "kind": .text(Webhook.names.one), "thing": webhook.id.json]),
      ]).canonicalText
    guard try enqueue(delivery) else {
      throw .rule(code: "limitReached", message: "too many deliveries wait for this webhook")
    }
    return try existing(Delivery.id(of: delivery.eventID, to: webhook.id), Delivery.self)
  }

  /// Switches a webhook off, and adds an event, so that administrators are notified.
  public func disable(_ webhook: Stored<Webhook>, because reason: String) throws(ThingError) {
    var disabled = webhook.value
    (disabled.isActive, disabled.state) = (false, .disabled)
    disabled.failures = RecentFailure.adding(reason, at: now, to: disabled.failures)
    // `update` does not store live fields, so store them first.
    try update(try refresh(webhook, to: disabled), to: disabled, action: "disable")
    var event = FleetEvent(.webhookDisabled, Webhook.self, webhook.id)
    event.item = disabled.description ?? disabled.server
    try emit(event)
  }

  /// Applies changed settings of a webhook to the deliveries that wait for it.
  public func follow(_ webhook: Stored<Webhook>) throws(ThingError) {
    if webhook.value.isActive, webhook.value.state == .disabled {
      var changed = webhook.value
      changed.state = .waiting
      try refresh(webhook, to: changed)
    }
    try follow(receiver: webhook.id, isActive: webhook.value.isActive)
  }
}

extension FleetEvent {
  /// Returns the message that webhooks receive. It names things by their IDs only, so that it contains no names of
  /// people.
  func webhookBody(id: UUIDv7, at time: Timestamp) -> String {
    var data: [String: JSON] = ["eventId": id.json, "kind": .text(kind), "thing": thing.json]
    data["vehicleId"] = vehicleID.map { .text($0) }
    data["driverId"] = driverID?.json
    data["item"] = item.map { .text($0) }
    data["day"] = day?.json
    return JSON.object(["type": event.json, "timestamp": time.json, "data": .object(data)]).canonicalText
  }
}
