import Telemetry

/// A message about an event that is sent to one receiver: to a webhook, or to a browser by web push.
///
/// The transaction that processes an event adds its deliveries. A delivery is sent until the receiver accepts it, until
/// the receiver can never accept it, or until a day has passed. The deliveries about one thing are sent to a receiver
/// in the order of their ``number``: only the first waiting one has a ``nextAttemptAt``.
public struct Delivery: Kind {
  public enum Channel: String, FieldChoice, Sendable { case webhook, push }

  public enum State: String, FieldChoice, Sendable {
    /// The delivery was not sent yet, or will be sent again after a failure.
    case waiting
    case delivered
    /// The delivery failed for good and is not sent again.
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
  /// The text of the message. It stays the same when the delivery is sent again.
  public var body = ""
  /// Sequence number of the delivery among all deliveries to its receiver, from 1.
  public var number: Int64 = 0
  public var attempts: Int64 = 0
  /// Time of the next attempt; `nil` if an earlier delivery about the same thing is waiting, or if ``state`` is not
  /// `waiting`.
  public var nextAttemptAt: Timestamp?
  public var expiresAt = Timestamp(nanoseconds: 0)
  public var state = State.waiting
  /// Start of the last attempt; `nil` if there was none.
  public var attemptedAt: Timestamp?
  /// HTTP status of the receiver's last answer; `nil` if there was none.
  public var status: Int64?
  /// The duration of the last attempt, ms; `nil` before the first attempt.
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

/// The progress of the deliveries to one receiver, with the lease of the server that sends them. Its ID is the
/// receiver's.
public struct DeliveryProgress: LeasedWork {
  public var channel = Delivery.Channel.webhook
  /// The time from which a delivery can be sent; `nil` if none is waiting, or if the receiver is not active.
  public var nextAt: Timestamp?
  public var leaseHolder: UUIDv7?
  public var leaseUntil: Timestamp?
  public var failures: Int64 = 0
  /// Time of the first failure since the last success; `nil` if there was no failure.
  public var failingSince: Timestamp?
  /// Time until which nothing is sent, because the receiver cannot be reached or has asked the server to wait; `nil`
  /// for no such time.
  public var pausedUntil: Timestamp?
  /// The number of waiting deliveries.
  public var waiting: Int64 = 0
  /// The ``Delivery/number`` of the delivery that was added last.
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
  /// Time from the start of an attempt to the next attempt, if the server stops during the attempt, s. It is longer
  /// than any attempt.
  public static let lease = 30
  /// Returns how many deliveries may wait for one receiver of a channel: 5,000 for a webhook, 50 for a push
  /// subscription.
  public static func mostWaiting(_ channel: Delivery.Channel) -> Int64 { channel == .webhook ? 5_000 : 50 }
  /// Maximum number of finished deliveries of a webhook that are kept.
  public static let kept = 100
  /// Time after its creation for which a finished delivery is kept, s.
  public static let keptSeconds = 7 * 86_400
}
