import FleetDomain
import Telemetry

/// The assignment of a vehicle to a driver for a period of time. The period begins at `from` and ends before `to`.
public struct Assignment: WorkThing {
  public enum Status: String, FieldChoice, Sendable {
    /// The assignment has not ended. It may begin later.
    case active
    case completed
    case cancelled
  }

  public var driver: UUIDv7?
  public var vehicle = ""
  public var from = Timestamp(nanoseconds: 0)
  /// The end of the period, exclusive; `nil` if the end is not known yet.
  public var to: Timestamp?
  public var notes: String?
  /// Whether the assignment was marked as wrong. It then remains visible, but has no effect. Only a completed
  /// assignment can be void; an active assignment is cancelled instead.
  public var isVoid = false
  public var status = Status.active

  public init() {}

  public var vehicleID: String? { vehicle }
  public var driverID: UUIDv7? {
    get { driver }
    set { driver = newValue }
  }

  public static let names = KindNames(one: "assignment", many: "assignments")
  public static var listTime: ListTime? { .period(start: "from", end: "to") }
  public static let fields: [Field<Assignment>] = [
    Field("driverId", \.driver) { driver throws(FieldError) in
      if driver == nil { throw FieldError("", "expected the id of a driver, found null") }
    }.refers(to: .driver).required().settable(by: .creation).filterable(as: "driver"),
    Field("vehicleId", \.vehicle).refers(to: .vehicle).required().settable(by: .creation).filterable(as: "vehicle"),
    Field("from", \.from).filledIn().sortable(),
    Field("to", \.to).sortable(),
    Field("notes", \.notes, TextRules.long).textSearched(),
    Field("void", \.isVoid).filterable(),
    Field("status", \.status).settable(by: .server).filterable(),
  ]

  /// The condition of the assignments that have an effect: they are neither cancelled nor void.
  static var valid: [ThingQuery<Assignment>.Condition] {
    [.oneOf(key: "status", [Status.active, .completed].map(\.json)), .oneOf(key: "void", [.bool(false)])]
  }

  /// Whether a change has added time to the period of the assignment.
  ///
  /// - Parameter old: the assignment before the change; `nil` if the assignment is new.
  func adds(to old: Assignment?) -> Bool {
    guard let old else { return true }
    guard let end = old.to else { return from < old.from }
    return from < old.from || to.map { $0 > end } ?? true
  }

  /// Whether a time is in the period of the assignment. Always `false` if the assignment was cancelled or is void.
  public func contains(_ time: Timestamp) -> Bool {
    status != .cancelled && !isVoid && from <= time && to.map { time < $0 } ?? true
  }
}
