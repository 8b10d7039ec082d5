import FleetDomain
import Telemetry

/// A rule that determines who is notified of which events, and how.
public struct NotificationRule: Kind {
  public enum Channel: String, FieldChoice, Sendable {
    case inApp, email
    /// Messages to the webhooks in ``NotificationRule/webhookIDs``, without a delay.
    case webhook
    /// Messages to the browsers in which the person has allowed them.
    case push
  }

  /// The way in which notifications are combined into mails and push messages.
  public enum Digest: String, FieldChoice, Sendable {
    /// One message for each notification, without a delay.
    case none
    /// One message with all notifications of an hour, at the full hour.
    case hourly
    /// One message with all notifications of a day, at 06:00.
    case daily
  }

  /// The daily period without mails and push messages. The time zone is the person's or, if that is unknown, the
  /// tenant's.
  public struct QuietHours: NestedValue {
    /// The beginning of the period, for example `22:00`.
    public var from = ""
    /// The end of the period, for example `06:00`.
    public var to = ""

    public init() {}

    public static let fields: [Field<QuietHours>] = [
      Field("from", \.from) { text throws(FieldError) in try QuietHours.check(text) }.required(),
      Field("to", \.to) { text throws(FieldError) in try QuietHours.check(text) }.required(),
    ]

    public func check() throws(FieldError) {
      if from == to { throw FieldError("to", "expected another time than from, \(from)") }
    }

    private static func check(_ text: String) throws(FieldError) {
      guard seconds(text) != nil else { throw FieldError("", "expected a time of day like \"22:00\"") }
    }

    private static func seconds(_ text: String) -> Int64? {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isASCII) }),
        let hour = Int64(parts[0]), let minute = Int64(parts[1]), (0...23).contains(hour), (0...59).contains(minute)
      else { return nil }
      return hour * 3_600 + minute * 60
    }

    /// Returns the end of the quiet hours that contain `time`; `nil` if `time` is outside the quiet hours.
    public func end(at time: Timestamp, in zone: ZoneRules) -> Timestamp? {
      guard let from = Self.seconds(from), let to = Self.seconds(to), from != to else { return nil }
      let seconds = zone.secondsOfDay(at: time)
      let isQuiet = from < to ? (from..<to).contains(seconds) : seconds >= from || seconds < to
      guard isQuiet else { return nil }
      let today = zone.day(of: time)
      let end = zone.time(to, on: today)
      return end > time ? end : zone.time(to, on: today.next)
    }
  }

  public var name = ""
  public var isActive = true
  public var events: [FleetEvent.Event] = []
  /// The rule applies only to events about vehicles of these fleets. If empty, the rule applies to all events.
  public var fleetIDs: [UUIDv7] = []
  /// The roles whose people are notified.
  public var roles: [PersonRole] = []
  /// The IDs of additional people who are notified.
  public var personIDs: [UUIDv7] = []
  /// Whether the driver who is named in the event is notified.
  public var notifiesDriver = false
  public var channels: [Channel] = [.inApp]
  /// The webhooks that receive the events; empty for all active webhooks. They are used only if ``channels`` contain
  /// `webhook`.
  public var webhookIDs: [UUIDv7] = []
  public var digest = Digest.none
  public var quietHours: QuietHours?

  public init() {}

  public static let names = KindNames(one: "rule", many: "rules")
  public static let mostOfTenant: Int? = 200
  public static let fields: [Field<NotificationRule>] = [
    Field("name", \.name, TextRules.shown).required().sortable().textSearched(),
    Field("isActive", \.isActive).filterable(),
    Field("events", \.events) { events throws(FieldError) in
      guard !events.isEmpty, Set(events).count == events.count else {
        throw FieldError("", "expected one or more events, each once")
      }
    }.required(),
    Field("fleetIds", \.fleetIDs, NotificationRule.few).refers(to: .fleet),
    Field("roles", \.roles),
    Field("personIds", \.personIDs, NotificationRule.few).refers(to: .person),
    Field("notifiesDriver", \.notifiesDriver),
    Field("channels", \.channels) { channels throws(FieldError) in
      guard !channels.isEmpty, Set(channels).count == channels.count else {
        throw FieldError("", "expected one or more channels, each once")
      }
    },
    Field("webhookIds", \.webhookIDs, NotificationRule.few).refers(to: .webhook),
    Field("digest", \.digest),
    Field("quietHours", \.quietHours),
  ]

  private static let few: @Sendable ([UUIDv7]) throws(FieldError) -> Void = { ids throws(FieldError) in
    guard ids.count <= 100, Set(ids).count == ids.count else {
      throw FieldError("", "expected at most 100 ids, each once")
    }
  }

  /// Returns the time at which a notification is sent by mail or push message.
  ///
  /// - Parameter zone: the time zone that determines when full hours, days and ``quietHours`` begin.
  public func sendTime(at time: Timestamp, in zone: ZoneRules) -> Timestamp {
    let due: Timestamp
    switch digest {
    case .none: due = time
    case .hourly:
      let left = 3_600 - zone.secondsOfDay(at: time) % 3_600
      due = Timestamp(limiting: (time.milliseconds / 1_000 + left) * 1_000)
    case .daily:
      let today = zone.day(of: time)
      let morning = zone.time(6 * 3_600, on: today)
      due = morning > time ? morning : zone.time(6 * 3_600, on: today.next)
    }
    return quietHours?.end(at: due, in: zone) ?? due
  }

  /// The rule that applies in all tenants, in addition to their own rules: administrators are notified when a webhook
  /// is switched off.
  public static let ofServer: NotificationRule = {
    var rule = NotificationRule()
    (rule.name, rule.events, rule.roles) = ("Webhooks that were switched off", [.webhookDisabled], [.admin])
    rule.channels = [.inApp, .email]
    return rule
  }()

  /// The rules that a new tenant gets.
  public static let defaults: [NotificationRule] = {
    func rule(
      _ name: String, _ event: FleetEvent.Event, _ roles: [PersonRole], _ channels: [Channel], _ digest: Digest = .none
    ) -> NotificationRule {
      var rule = NotificationRule()
      (rule.name, rule.events, rule.roles) = (name, [event], roles)
      (rule.channels, rule.digest) = (channels, digest)
      return rule
    }
    var licences = rule("Licences that expire", .licenceExpiring, [.admin], [.inApp, .email], .daily)
    licences.notifiesDriver = true
    return [
      rule("Journeys that need a review", .journeyNeedsReview, [.admin], [.inApp]),
      rule("Incidents of drivers", .journeyIncident, [.admin], [.inApp, .email]),
      rule("Defects found by inspections", .inspectionDefects, [.admin, .maintenance], [.inApp, .email]),
      rule("Unsafe vehicles", .defectUnsafe, [.admin, .maintenance], [.inApp, .email, .push]),
      rule("Overdue services", .serviceOverdue, [.admin, .maintenance], [.inApp, .email], .daily),
      rule("Documents that expire", .documentExpiring, [.admin], [.inApp, .email], .daily),
      licences,
    ]
  }()
}
