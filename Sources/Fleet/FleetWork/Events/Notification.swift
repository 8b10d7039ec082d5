import FleetDomain
import Telemetry

/// A notification for one person about one event.
public struct Notification: Kind {
  public struct Delivery: NestedValue {
    public var channel = NotificationRule.Channel.inApp
    public var at = Timestamp(nanoseconds: 0)

    public init() {}

    public init(_ channel: NotificationRule.Channel, at time: Timestamp) { (self.channel, at) = (channel, time) }

    public static let fields: [Field<Delivery>] = [
      Field("channel", \.channel).required(), Field("at", \.at).required(),
    ]
  }

  public var personID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  /// The first rule that selected the person for the notification.
  public var ruleID: UUIDv7?
  public var event = FleetEvent.Event.journeyNeedsReview
  public var kind = ""
  public var thing = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var vehicleID: String?
  /// The text in the language of the person.
  public var text = ""
  public var at = Timestamp(nanoseconds: 0)
  public var readAt: Timestamp?
  public var deliveries: [Delivery] = []
  /// The time at which the mail is to be sent; `nil` if no mail is to be sent.
  public var mailAt: Timestamp?
  /// The time at which the push messages are to be sent; `nil` if none are to be sent.
  public var pushAt: Timestamp?

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "notification", many: "notifications")
  public static let fields: [Field<Notification>] = [
    Field("personId", \.personID).settable(by: .server).filterable(),
    Field("ruleId", \.ruleID).settable(by: .server).filterable(as: "rule"),
    Field("event", \.event).settable(by: .server).filterable(),
    Field("kind", \.kind).settable(by: .server).filterable(),
    Field("thing", \.thing).settable(by: .server).filterable(),
    Field("vehicleId", \.vehicleID).settable(by: .server).filterable(as: "vehicle"),
    Field("text", \.text).settable(by: .server),
    Field("at", \.at).settable(by: .server).sortable(),
    Field("readAt", \.readAt).settable(by: .server),
    Field("deliveries", \.deliveries).settable(by: .server),
    Field("mailAt", \.mailAt).settable(by: .hidden),
    Field("pushAt", \.pushAt).settable(by: .hidden),
  ]

  /// Returns the ID of a person's notification of an event. The ID depends only on the arguments, so processing an
  /// event again adds no second notification.
  public static func id(of event: UUIDv7, for person: UUIDv7) -> UUIDv7 {
    UUIDv7(milliseconds: event.milliseconds, seed: event.low ^ event.high << 48, number: person.low ^ person.high << 48)
  }
}

extension FleetTransaction {
  /// Removes some of the notifications of a person who is erased.
  ///
  /// - Returns: whether none are left. If not, the function must be called again in another transaction.
  public func removeNotifications(of person: UUIDv7) throws(ThingError) -> Bool {
    let page = try list(ThingQuery<Notification>(.oneOf(key: "personId", [person.json]), limit: 100))
    for notification in page.items { try remove(notification, action: "erase") }
    return page.next == nil
  }
}
