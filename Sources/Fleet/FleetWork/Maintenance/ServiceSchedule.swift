import FleetDomain
import Telemetry

/// A service that is repeated after a time, a distance or a number of engine hours. It applies to one vehicle, or to
/// all vehicles of a fleet.
public struct ServiceSchedule: VehicleThing {
  /// The time, distance and engine hours after which a service is due: whichever is reached first.
  public struct Interval: NestedValue {
    public var days: Int64?
    public var months: Int64?
    public var kilometers: Double?
    public var entered = EnteredAmounts()
    public var engineHours: Double?

    public init() {}

    public static let fields: [Field<Interval>] = [
      Field("days", \.days, Interval.count(36_500)).schema(#"{"type":"integer","minimum":1,"maximum":36500}"#),
      Field("months", \.months, Interval.count(1_200)).schema(#"{"type":"integer","minimum":1,"maximum":1200}"#),
      Field("kilometers", \.kilometers, in: .above(0, most: 5_000_000)).measured(.distance),
      .entered(\.entered, of: ("kilometers", .distance)),
      Field("engineHours", \.engineHours, in: .above(0, most: 300_000)),
    ]

    private static func count(_ most: Int64) -> @Sendable (Int64?) throws(FieldError) -> Void {
      { number throws(FieldError) in
        guard (1...most).contains(number ?? 1) else { throw FieldError("", "expected 1 to \(most)") }
      }
    }

    public func check() throws(FieldError) {
      if self == Interval() { throw FieldError("", "expected days, months, kilometers or engineHours") }
    }
  }

  /// How early a service is reported as due soon: the number of days before its due date, and the distance or engine
  /// hours before its due readings.
  public struct Margin: NestedValue {
    public var days: Int64 = 14
    public var kilometers = 500.0
    public var entered = EnteredAmounts()
    public var engineHours = 25.0

    public init() {}

    public static let fields: [Field<Margin>] = [
      Field("days", \.days) { days throws(FieldError) in
        guard (0...3_650).contains(days) else { throw FieldError("", "expected 0 to 3650") }
      }.schema(#"{"type":"integer","minimum":0,"maximum":3650}"#),
      Field("kilometers", \.kilometers, in: .from(0, to: 1_000_000)).measured(.distance),
      .entered(\.entered, of: ("kilometers", .distance)),
      Field("engineHours", \.engineHours, in: .from(0, to: 100_000)),
    ]
  }

  /// The last service: its date and meter readings. A value is `nil` if it is unknown.
  public struct Service: NestedValue {
    public var date: CalendarDate?
    /// Reading of the odometer, km.
    public var odometer: Double?
    public var entered = EnteredAmounts()
    /// Reading of the hour meter, h.
    public var engineHours: Double?

    public init() {}

    public static let fields: [Field<Service>] = [
      Field("date", \.date), Field("odometer", \.odometer, in: .odometer).measured(.distance),
      .entered(\.entered, of: ("odometer", .distance)),
      Field("engineHours", \.engineHours, in: .from(0, to: 9_999_999)),
    ]
  }

  /// The date and readings at which the next service is due: whichever is reached first. A value is `nil` if the
  /// service does not depend on it, or if it is unknown.
  public struct Next: NestedValue {
    public var dueDate: CalendarDate?
    /// Reading of the odometer at which the service is due, km.
    public var dueOdometer: Double?
    /// Reading of the hour meter at which the service is due, h.
    public var dueEngineHours: Double?

    public init() {}

    public static let fields: [Field<Next>] = [
      Field("dueDate", \.dueDate), Field("dueOdometer", \.dueOdometer), Field("dueEngineHours", \.dueEngineHours),
    ]
  }

  public enum Basis: String, FieldChoice, Sendable {
    /// The next service is due one interval after the date or reading at which the last service was due.
    case fixed
    /// The next service is due one interval after the last service was completed.
    case fromCompletion
  }

  public enum State: String, FieldChoice, Sendable {
    case ok, dueSoon, overdue, snoozed
  }

  public var vehicle: String?
  public var fleet: UUIDv7?
  public var serviceType = ""
  public var name: String?
  public var every = Interval()
  public var basis = Basis.fromCompletion
  public var dueSoon = Margin()
  /// The last service; `nil` for a schedule of a fleet, because each vehicle has its own last service.
  public var lastService: Service?
  public var notes: String?
  /// The next service; `nil` for a schedule of a fleet.
  public var next: Next?
  /// The date of ``next``, by which lists are sorted; `nil` if the service has no due date.
  public var dueDate: CalendarDate?
  /// The state. For a schedule of a fleet, the most urgent state of the fleet's vehicles.
  public var state = State.ok
  /// The expected due date, computed from the vehicle's recent use; `nil` for a schedule of a fleet.
  public var forecastDate: CalendarDate?

  public init() {}

  public var vehicleID: String? { vehicle }
  public var fleetID: UUIDv7? { fleet }

  public static let names = KindNames(one: "serviceSchedule", many: "service-schedules")
  public static let fields: [Field<ServiceSchedule>] = [
    Field("vehicleId", \.vehicle).refers(to: .vehicle).settable(by: .creation).filterable(as: "vehicle"),
    Field("fleetId", \.fleet).refers(to: .fleet).settable(by: .creation).filterable(as: "fleet"),
    Field("serviceType", \.serviceType).required().filterable().sortable(),
    Field("name", \.name, TextRules.short(200)).sortable().textSearched(),
    Field("every", \.every).required(),
    Field("basis", \.basis).filterable(),
    Field("dueSoon", \.dueSoon),
    Field("lastService", \.lastService),
    Field("notes", \.notes, TextRules.long).textSearched(),
    Field("next", \.next).settable(by: .live),
    Field("dueDate", \.dueDate).settable(by: .live).sortable(),
    Field("state", \.state).settable(by: .live).filterable().sortable(),
    Field("forecastDate", \.forecastDate).settable(by: .live).sortable(),
  ]
}

/// The state of a schedule for one of its vehicles. Distances and hours are totals of all odometers and hour meters
/// that the vehicle has had, so the replacement of an odometer or hour meter does not change them.
public struct ServiceDue: Kind {
  public var scheduleID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var vehicle = ""
  /// The schedule's fields from which the due date and due readings were computed.
  public var plan = ""
  /// The number of times that this service was completed.
  public var cycle: Int64 = 0
  public var lastDate: CalendarDate?
  public var lastKilometers: Double?
  public var lastEngineHours: Double?
  /// The maintenance record of the last service. `nil` if the last service is known only from the schedule's own
  /// fields, or if there was none.
  public var lastRecordID: UUIDv7?
  public var dueDate: CalendarDate?
  /// The day of the month on which services are due; `nil` unless the month of ``dueDate`` is too short for that day.
  public var dueMonthDay: Int64?
  public var dueKilometers: Double?
  public var dueEngineHours: Double?
  /// The date on which the last service was due. If the record ``lastRecordID`` is corrected, the next due values are
  /// computed from the previous due values.
  public var previousDueDate: CalendarDate?
  /// The value of ``dueMonthDay`` for the last service.
  public var previousDueMonthDay: Int64?
  /// The value of ``dueKilometers`` for the last service.
  public var previousDueKilometers: Double?
  /// The value of ``dueEngineHours`` for the last service.
  public var previousDueEngineHours: Double?
  public var state = ServiceSchedule.State.ok
  /// The first day on which the service is no longer snoozed; `nil` if it was not snoozed.
  public var snoozedUntil: CalendarDate?
  /// The last value of ``cycle`` for which the server opened a maintenance record; `nil` if it opened none. Greater
  /// than ``cycle`` while a record is being completed, so that no other record is opened.
  public var openedCycle: Int64?
  /// The next day on which the state or the forecast can change without a meter reading; `nil` if there is none.
  public var checkDate: CalendarDate?

  public init() {}

  public static let names = KindNames(one: "serviceDue", many: "service-dues")
  public static var isAudited: Bool { false }
  public static let fields: [Field<ServiceDue>] = [
    Field("scheduleId", \.scheduleID), Field("vehicleId", \.vehicle), Field("plan", \.plan),
    Field("cycle", \.cycle),
    Field("lastDate", \.lastDate), Field("lastKilometers", \.lastKilometers),
    Field("lastEngineHours", \.lastEngineHours), Field("dueDate", \.dueDate), Field("dueKilometers", \.dueKilometers),
    Field("dueEngineHours", \.dueEngineHours), Field("state", \.state), Field("snoozedUntil", \.snoozedUntil),
    Field("openedCycle", \.openedCycle), Field("checkDate", \.checkDate), Field("lastRecordId", \.lastRecordID),
    Field("previousDueDate", \.previousDueDate), Field("previousDueKilometers", \.previousDueKilometers),
    Field("previousDueEngineHours", \.previousDueEngineHours), Field("dueMonthDay", \.dueMonthDay),
    Field("previousDueMonthDay", \.previousDueMonthDay),
  ]
}
