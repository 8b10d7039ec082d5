import FleetDomain
import Telemetry

/// A report as it was made. Its rows never change; only its schedule does.
public struct Report: Kind {
  public enum Topic: String, FieldChoice, Sendable {
    /// The use of vehicles.
    case utilization
    case maintenance
    case trips
    /// Expenses and fuel.
    case costs
    /// Fuel consumption as the vehicles reported it.
    case fuel
    /// The driving behaviour of drivers.
    case drivers
    /// Licences, documents, inspections and services that are due.
    case compliance
  }

  /// The group to which each row of a report belongs.
  public enum Grouping: String, FieldChoice, Sendable { case vehicle, driver, fleet, day, week, month }

  /// The format of a report that is sent as a file.
  public enum Format: String, FieldChoice, Sendable { case csv, xlsx, pdf }

  /// The times at which a report is made again and sent by mail, each time about the last whole period.
  public struct Schedule: NestedValue {
    public enum Period: String, FieldChoice, Sendable { case day, week, month }

    /// When: minute, hour, days of the month, months, days of the week, in the time zone of the report's fleet.
    public var cron = ""
    /// The people who receive it.
    public var recipients: [UUIDv7] = []
    public var format = Format.pdf
    /// `nil` to follow from ``cron``: a month for days of the month, a week for days of the week, otherwise a day.
    public var period: Period?

    public init() {}

    public static let fields: [Field<Schedule>] = [
      Field("cron", \.cron) { text throws(FieldError) in
        guard CronTimes(text) != nil else { throw FieldError("", "expected \(CronTimes.expected)") }
      }.required(),
      Field("recipients", \.recipients) { ids throws(FieldError) in
        guard (1...50).contains(ids.count), Set(ids).count == ids.count else {
          throw FieldError("", "expected 1 to 50 ids of people, each once")
        }
      }.required(),
      Field("format", \.format),
      Field("period", \.period),
    ]

    /// The period of the report that is made on a day: the day before it, the seven days before it, or the month before
    /// its month.
    public func range(on day: CalendarDate) -> ClosedRange<CalendarDate> {
      switch period ?? CronTimes(cron)?.period ?? .day {
      case .day: return day.adding(days: -1)...day.adding(days: -1)
      case .week: return day.adding(days: -7)...day.adding(days: -1)
      case .month:
        let last = day.adding(days: -day.day)
        return last.adding(days: 1 - last.day)...last
      }
    }
  }

  public var topic = Topic.utilization
  /// The first and the last day of the report's period.
  public var from = CalendarDate(dayNumber: 0)
  public var to = CalendarDate(dayNumber: 0)
  public var groupBy = Grouping.vehicle
  /// The fleet whose vehicles are included; `nil` for all vehicles.
  public var fleetID: UUIDv7?
  /// `nil` for a report that is not repeated.
  public var schedule: Schedule?
  /// When it is made again.
  public var nextAt: Timestamp?
  /// The report whose schedule made this one.
  public var scheduleID: UUIDv7?
  /// The person who asked for it; `nil` for a program.
  public var requestedBy: UUIDv7?
  /// The result; `nil` until it is computed.
  public var rows: ReportRows?

  public init() {}

  public static let names = KindNames(one: "report", many: "reports")
  /// No audit entry is written, because a report changes no data of the fleet and may be long.
  public static let isAudited = false
  public static let fields: [Field<Report>] = [
    Field("kind", \.topic).required().settable(by: .creation).filterable().sortable(),
    Field("from", \.from).required().settable(by: .creation).sortable(),
    Field("to", \.to).required().settable(by: .creation).sortable(),
    Field("groupBy", \.groupBy).settable(by: .creation).filterable(),
    Field("fleetId", \.fleetID).settable(by: .creation).filterable(as: "fleet"),
    Field("schedule", \.schedule),
    Field("nextAt", \.nextAt).settable(by: .server),
    Field("scheduleId", \.scheduleID).settable(by: .server).filterable(as: "schedule"),
    Field("requestedBy", \.requestedBy).settable(by: .server),
    Field("rows", \.rows).settable(by: .server),
  ]
}

/// The rows of a report, each an object with the member `group`.
public struct ReportRows: FieldValue, Hashable, Sendable {
  public var rows: [JSON]

  public init(_ rows: [JSON] = []) { self.rows = rows }

  public static var type: FieldType { .json }
  public static var schema: String { #"{"type":"array","items":{"type":"object","required":["group"]}}"# }

  public init(json: JSON) throws(FieldError) {
    guard case .array(let rows) = json else { throw FieldError("", "expected an array, found \(json.summary)") }
    self.rows = rows
  }

  public var json: JSON { .array(rows) }
}
