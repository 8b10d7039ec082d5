import Telemetry

/// A message about an event that is sent to one receiver: to a webhook, or to a browser by web push.
///
/// The transaction that processes an event adds its deliveries. A delivery is sent until the receiver accepts it, until
/// the receiver can never accept it, or until a day has passed. The deliveries of one thing are sent to a receiver in
/// the order of their ``number``: only the first one of each thing has a time of the next attempt.
public struct Delivery: Kind {
  public enum Channel: String, FieldChoice, Sendable { case webhook, push }

  public enum State: String, FieldChoice, Sendable {
    /// It was not sent yet, or is sent again after a failure.
    case waiting
    case delivered
    /// It is not sent any more.
    case failed
  }

  /// The ID of the webhook or of the push subscription.
  public var receiverID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var channel = Channel.webhook
  /// The ID of the event, by which a receiver recognises a repeated message.
  public var eventID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var event = ""
  /// The thing that the event is about.
  public var thing = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  /// The message. The same delivery always has the same one.
  public var body = ""
  /// The place in the order of the receiver's deliveries.
  public var number: Int64 = 0
  public var attempts: Int64 = 0
  /// The time of the next attempt; `nil` if an earlier delivery of the same thing is waiting, or after the end.
  public var nextAttemptAt: Timestamp?
  public var expiresAt = Timestamp(nanoseconds: 0)
  public var state = State.waiting
  /// The time of the last attempt.
  public var attemptedAt: Timestamp?
  /// The status of the last answer; `nil` if there was none.
  public var status: Int64?
  /// The duration of the last attempt, ms.
  public var duration: Int64?
  /// The reason why the last attempt failed; `nil` if it succeeded.
  public var error: String?

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "delivery", many: "deliveries")
  public static let fields: [Field<Delivery>] = [
    Field("receiverId", \.receiverID).settable(by: .server),
    Field("channel", \.channel).settable(by: .hidden),
    Field("eventId", \.eventID).settable(by: .server),
    Field("event", \.event).settable(by: .server),
    Field("thing", \.thing).settable(by: .server),
    Field("body", \.body).settable(by: .hidden),
    Field("number", \.number).settable(by: .hidden).sortable(),
    Field("attempts", \.attempts).settable(by: .server),
    Field("nextAttemptAt", \.nextAttemptAt).settable(by: .server).sortable(),
    Field("expiresAt", \.expiresAt).settable(by: .server),
    Field("state", \.state).settable(by: .server),
    Field("attemptedAt", \.attemptedAt).settable(by: .server),
    Field("status", \.status).settable(by: .server),
    Field("duration", \.duration).settable(by: .server),
    Field("error", \.error).settable(by: .server),
  ]

  /// Returns the ID of the delivery of an event to a receiver. The ID depends only on the arguments, so processing an
  /// event again adds no second delivery.
  public static func id(of event: UUIDv7, to receiver: UUIDv7) -> UUIDv7 {
    UUIDv7(
      milliseconds: event.milliseconds, seed: event.low ^ event.high << 48, number: receiver.low ^ receiver.high << 48)
  }
}

/// The progress of the deliveries to one receiver, and the server that sends them. It has the same ID as the receiver.
public struct DeliveryProgress: LeasedWork {
  public var channel = Delivery.Channel.webhook
  /// The time from which a delivery can be sent; `nil` if none is waiting, or if the receiver is not active.
  public var nextAt: Timestamp?
  public var leaseHolder: UUIDv7?
  public var leaseUntil: Timestamp?
  public var failures: Int64 = 0
  /// The time of the first failure since the last success.
  public var failingSince: Timestamp?
  /// The time until which nothing is sent, because the receiver cannot be reached or asks to wait.
  public var pausedUntil: Timestamp?
  /// The number of waiting deliveries.
  public var waiting: Int64 = 0
  /// The ``Delivery/number`` of the last delivery.
  public var lastNumber: Int64 = 0

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "deliveryProgress", many: "delivery-progress")
  public static let fields: [Field<DeliveryProgress>] = [
    Field("channel", \.channel), Field("nextAt", \.nextAt).sortable(), Field("leaseHolder", \.leaseHolder),
    Field("leaseUntil", \.leaseUntil), Field("failures", \.failures), Field("failingSince", \.failingSince),
    Field("pausedUntil", \.pausedUntil), Field("waiting", \.waiting), Field("lastNumber", \.lastNumber),
  ]
}

/// Limits of deliveries.
public enum DeliveryLimits {
  /// The time after which a delivery is not sent any more, s.
  public static let seconds = 86_400
  /// The time after which the delivery in progress is sent again if the server has stopped, s. An attempt takes less
  /// time.
  public static let lease = 30
  /// The maximum number of deliveries that wait for a webhook, and for a push subscription.
  public static func mostWaiting(_ channel: Delivery.Channel) -> Int64 { channel == .webhook ? 5_000 : 50 }
  /// The number of finished deliveries of a webhook that are kept, and for how long, s.
  public static let kept = 100
  public static let keptSeconds = 7 * 86_400
}
