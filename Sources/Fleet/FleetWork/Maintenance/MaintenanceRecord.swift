import FleetDomain
import Telemetry

/// A service or repair of a vehicle that is planned, in progress or done.
public struct MaintenanceRecord: VehicleThing {
  public enum Status: String, FieldChoice, Sendable {
    case scheduled
    /// The vehicle is in the workshop.
    case inProgress
    case completed
    case cancelled

    /// The states in which a record is not finished.
    public static let open: [Status] = [.scheduled, .inProgress]
  }

  /// A line of an invoice.
  public struct Line: NestedValue {
    public enum Category: String, FieldChoice, Sendable { case labour, part, other }

    public var category = Category.other
    public var text = ""
    public var quantity = 1.0
    /// The cost of the whole line, not of a single piece; `nil` if unknown.
    public var cost: Money?

    public init() {}

    public static let fields: [Field<Line>] = [
      Field("kind", \.category), Field("text", \.text, TextRules.shown).required(),
      Field("quantity", \.quantity, in: .above(0, most: 1_000_000)), Field("cost", \.cost),
    ]
  }

  public var vehicle = ""
  public var serviceType = ""
  public var scheduledDate: CalendarDate?
  public var completedDate: CalendarDate?
  public var lines: [Line] = []
  /// The total cost; `nil` if unknown. The default is the sum of the lines, if all have the same currency.
  public var cost: Money?
  public var vendorName: String?
  public var notes: String?
  public var performedBy: String?
  public var odometer: Double?
  public var entered = EnteredAmounts()
  public var engineHours: Double?
  public var scheduleID: UUIDv7?
  /// The cycle of the schedule (``ServiceDue/cycle``) for which the server opened the record; `nil` if the server did
  /// not open it.
  public var cycle: Int64?
  public var defectIDs: [UUIDv7] = []
  public var files = FileIDs()
  public var status = Status.scheduled
  public var startedAt: Timestamp?
  /// The time of the completion; `nil` if the record is not completed, or was completed without having been in
  /// progress.
  public var completedAt: Timestamp?
  public var cancelReason: String?
  /// The ID of the command that completed the record; `nil` if the command had none.
  public var completionID: UUIDv7?

  public init() {}

  public var vehicleID: String? { vehicle }

  public var usedFiles: [UUIDv7] { files.ids }

  public static let names = KindNames(one: "maintenanceRecord", many: "maintenance-records")
  public static var listTime: ListTime? { .first(["completedDate", "scheduledDate"]) }
  public static let fields: [Field<MaintenanceRecord>] = [
    Field("vehicleId", \.vehicle).refers(to: .vehicle).required().settable(by: .creation).filterable(as: "vehicle"),
    Field("serviceType", \.serviceType).required().filterable().sortable(),
    Field("scheduledDate", \.scheduledDate).alias("dueDate").sortable(),
    Field("completedDate", \.completedDate).sortable(),
    Field("lines", \.lines) { lines throws(FieldError) in
      guard lines.count <= 200 else { throw FieldError("", "expected at most 200 lines") }
    },
    Field("cost", price: \.cost).filledIn(),
    Field("vendorName", \.vendorName, TextRules.short(200)).sortable().textSearched(),
    Field("notes", \.notes, TextRules.long).textSearched(),
    Field("performedBy", \.performedBy, TextRules.short(200)).textSearched(),
    Field("odometer", \.odometer, in: .odometer).measured(.distance),
    .entered(\.entered, of: ("odometer", .distance)),
    Field("engineHours", \.engineHours, in: .from(0, to: 9_999_999)),
    Field("scheduleId", \.scheduleID).refers(to: .serviceSchedule).settable(by: .creation).filterable(as: "schedule"),
    Field("cycle", \.cycle).settable(by: .hidden),
    Field("defectIds", \.defectIDs) { ids throws(FieldError) in
      guard ids.count <= 100, Set(ids).count == ids.count else {
        throw FieldError("", "expected at most 100 ids, each once")
      }
    }.refers(to: .defect),
    Field("status", \.status).settable(by: .server).filterable().sortable(),
    Field("startedAt", \.startedAt).settable(by: .server),
    Field("fileIds", \.files).refers(to: .file),
    Field("completedAt", \.completedAt).settable(by: .server),
    Field("cancelReason", \.cancelReason).settable(by: .server),
    Field("completionId", \.completionID).settable(by: .hidden),
  ]

  /// The sums of the lines, one for each currency, in the order of the currencies.
  public var sums: [Money] { Self.sums(of: lines.compactMap(\.cost)) }

  /// Returns the sums of amounts, one for each currency.
  public static func sums(of amounts: [Money]) -> [Money] {
    var sums: [String: Int128] = [:]
    for amount in amounts { sums[amount.currency, default: 0] += amount.tenThousandths }
    return sums.sorted { $0.key < $1.key }.map { Money(tenThousandths: $0.value, currency: $0.key) }
  }

  /// The cost of the work: ``cost`` or, if that is unknown, the sums of the lines. If neither is known, an array with
  /// the single element `nil`.
  public var costs: [Money?] {
    if let cost { return [cost] }
    return sums.isEmpty ? [nil] : sums
  }

  /// The sum of the costs of all lines; `nil` if no line has a cost, or if the lines have several currencies.
  var sum: Money? { sums.count == 1 ? sums[0] : nil }
}

/// The body of the command that completes a record.
public struct MaintenanceCompletion: NestedValue {
  /// The ID of the command, chosen by the client. Such a command is executed once, even if it is sent repeatedly. `nil`
  /// if each request is a command of its own.
  public var id: UUIDv7?
  public var completedDate: CalendarDate?
  public var odometer: Double?
  public var entered = EnteredAmounts()
  public var engineHours: Double?
  public var cost: Money?
  public var lines: [MaintenanceRecord.Line]?
  public var notes: String?
  /// The vehicle whose service was done, if the schedule belongs to a fleet; otherwise `nil`.
  public var vehicle: String?

  public init() {}

  public static let fields: [Field<MaintenanceCompletion>] = [
    Field("id", \.id), Field("completedDate", \.completedDate),
    Field("odometer", \.odometer, in: .odometer).measured(.distance),
    .entered(\.entered, of: ("odometer", .distance)),
    Field("engineHours", \.engineHours, in: .from(0, to: 9_999_999)), Field("cost", price: \.cost),
    Field("lines", \.lines) { lines throws(FieldError) in
      guard lines?.count ?? 0 <= 200 else { throw FieldError("", "expected at most 200 lines") }
    }, Field("notes", \.notes, TextRules.long), Field("vehicleId", \.vehicle).refers(to: .vehicle),
  ]
}
