import FleetDomain
import Telemetry

/// A report as it was made. Reports are kept, and never change.
public struct Report: Kind {
  public enum Topic: String, FieldChoice, Sendable {
    /// How much vehicles were used.
    case utilization
    case trips
    /// Expenses and fuel.
    case costs
    /// Fuel by the vehicles' own figures.
    case fuel
    /// How vehicles were driven.
    case drivers
  }

  /// What a row of a report is about.
  public enum Grouping: String, FieldChoice, Sendable { case vehicle, driver, fleet, day, week, month }

  public var topic = Topic.utilization
  /// The first and the last day.
  public var from = CalendarDate(dayNumber: 0)
  public var to = CalendarDate(dayNumber: 0)
  public var groupBy = Grouping.vehicle
  /// The fleet whose vehicles it is about; `nil` for all vehicles.
  public var fleetID: UUIDv7?
  /// The person who asked for it; `nil` for a program.
  public var requestedBy: UUIDv7?
  /// `nil` until it is made.
  public var rows: ReportRows?

  public init() {}

  public static let names = KindNames(one: "report", many: "reports")
  /// A report is not a change of the fleet's data, and may be long.
  public static let isAudited = false
  public static let fields: [Field<Report>] = [
    Field("kind", \.topic).required().filterable().sortable(),
    Field("from", \.from).required().sortable(),
    Field("to", \.to).required().sortable(),
    Field("groupBy", \.groupBy).filterable(),
    Field("fleetId", \.fleetID).filterable(as: "fleet"),
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
