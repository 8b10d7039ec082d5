import FleetDomain
import Telemetry

/// A report. After it was made, only its schedule can change, not its rows.
public struct Report: Kind {
  public enum Topic: String, FieldChoice, Sendable {
    /// How much the vehicles are used.
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

  /// The numbers of days and journeys that are not final when a report is made. A day is not final while its figures do
  /// not include all records that have arrived; the server computes them again within minutes. A journey is not final
  /// until it has ended and needs no review.
  public struct Pending: NestedValue {
    /// The number of vehicles with days that are not final.
    public var vehicles: Int64 = 0
    /// The number of days that are not final, of all vehicles together.
    public var days: Int64 = 0
    /// The number of journeys that have not ended or need a review; `nil` if there are none.
    public var journeys: Int64?

    public init() {}

    public static let fields: [Field<Pending>] = [
      Field("vehicles", \.vehicles), Field("days", \.days), Field("journeys", \.journeys),
    ]
  }

  /// The times at which a report is made again and sent by mail. Each new report is about the last complete period.
  public struct Schedule: NestedValue {
    public enum Period: String, FieldChoice, Sendable { case day, week, month }

    /// The times in the format of cron (``CronTimes``): minute, hour, days of the month, months, days of the week. They
    /// are in the time zone of the report's fleet.
    public var cron = ""
    /// The IDs of the people who receive the report.
    public var recipients: [UUIDv7] = []
    public var format = Format.pdf
    /// The length of the period that a report is about. If `nil`, it is derived from ``cron``: a month if ``cron``
    /// restricts the days of the month, a week if it restricts the days of the week, otherwise a day.
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

    /// Returns the days that a report made on `day` is about: the previous day, the previous seven days, or the
    /// previous calendar month.
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
  /// The first day of the report's period.
  public var from = CalendarDate(dayNumber: 0)
  /// The last day of the report's period.
  public var to = CalendarDate(dayNumber: 0)
  public var groupBy = Grouping.vehicle
  /// The fleet whose vehicles are included; `nil` for all vehicles.
  public var fleetID: UUIDv7?
  /// The metrics that each row contains in addition to the name of its group; `nil` for all metrics.
  public var metrics: [String]?
  /// The time at which the rows were computed; `nil` in reports of earlier versions.
  public var generatedAt: Timestamp?
  /// The times at which the report is made again; `nil` for never.
  public var schedule: Schedule?
  /// The next time at which the schedule makes a report; `nil` if the report has no schedule.
  public var nextAt: Timestamp?
  /// The ID of the report whose schedule made this report; `nil` if it was made on request.
  public var scheduleID: UUIDv7?
  /// The person who requested the report; `nil` if a program requested it.
  public var requestedBy: UUIDv7?
  /// The result; `nil` until it is computed.
  public var rows: ReportRows?
  /// The numbers of days and journeys that were not final when the report was made; `nil` if there were none.
  public var pending: Pending?

  /// The number of earlier reports of the same schedule that were not made, because no server ran when they were due;
  /// `nil` if there were none.
  public var missed: Int64?

  public init() {}

  public static let names = KindNames(one: "report", many: "reports")
  public static var listTime: ListTime? { .period(start: "from", end: "to") }
  /// No audit entry is written, because a report changes no data of the fleet and may be long.
  public static let isAudited = false
  public static let fields: [Field<Report>] = [
    Field("kind", \.topic).required().settable(by: .creation).filterable().sortable(),
    Field("from", \.from).required().settable(by: .creation).sortable(),
    Field("to", \.to).required().settable(by: .creation).sortable(),
    Field("groupBy", \.groupBy).settable(by: .creation).filterable(),
    Field("fleetId", \.fleetID).refers(to: .fleet).settable(by: .creation).filterable(as: "fleet"),
    Field("metrics", \.metrics) { metrics throws(FieldError) in
      guard metrics.map({ (1...64).contains($0.count) && Set($0).count == $0.count }) ?? true else {
        throw FieldError("", "expected 1 to 64 names, each once")
      }
    }.settable(by: .creation),
    Field("generatedAt", \.generatedAt).settable(by: .server).sortable(),
    Field("schedule", \.schedule).refers(to: .person),
    Field("nextAt", \.nextAt).settable(by: .server),
    Field("scheduleId", \.scheduleID).settable(by: .server).filterable(as: "schedule"),
    Field("requestedBy", \.requestedBy).settable(by: .server),
    Field("rows", \.rows).settable(by: .server),
    Field("pending", \.pending).settable(by: .server),
    Field("missed", \.missed).settable(by: .server),
  ]
}

/// The rows of a report, each an object with the member `group`.
public struct ReportRows: FieldValue, Hashable, Sendable {
  public var rows: [JSON]

  public init(_ rows: [JSON] = []) { self.rows = rows }

  public static var type: FieldType { .json }
  public static var schema: String {
    #"{"type":"array","items":{"type":"object","required":["group"],"properties":{"group":{"type":"string"},"name":{"type":"string"}}}}"#
  }

  public init(json: JSON) throws(FieldError) {
    guard case .array(let rows) = json else { throw FieldError("", "expected an array, found \(json.summary)") }
    self.rows = rows
  }

  public var json: JSON { .array(rows) }
}
