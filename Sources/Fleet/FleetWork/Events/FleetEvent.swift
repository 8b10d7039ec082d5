import FleetDomain
import Telemetry

/// An event in the fleet, for which people may be notified.
///
/// The transaction that makes a change also adds its event, so neither exists without the other. The transaction that
/// adds the event's notifications removes the event.
public struct FleetEvent: Kind {
  public enum Event: String, FieldChoice, Sendable {
    /// A command of a journey arrived that the journey's state does not allow.
    case journeyNeedsReview
    /// A driver reported an incident during a journey.
    case journeyIncident
    /// A signed inspection report has defects.
    case inspectionDefects
    /// A document expires soon, or has expired.
    case documentExpiring
    /// A driving licence expires soon, or has expired.
    case licenceExpiring
  }

  public var event = Event.journeyNeedsReview
  /// The kind of the thing that the event is about, for example `journey`.
  public var kind = ""
  public var thing = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var vehicleID: String?
  public var driverID: UUIDv7?
  /// A text that the notification contains, for example the parts with defects.
  public var item: String?
  /// A day that the notification contains, for example the last day of a document.
  public var day: CalendarDate?

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "fleetEvent", many: "fleet-events")
  public static let fields: [Field<FleetEvent>] = [
    Field("event", \.event).settable(by: .server),
    Field("kind", \.kind).settable(by: .server),
    Field("thing", \.thing).settable(by: .server),
    Field("vehicleId", \.vehicleID).settable(by: .server),
    Field("driverId", \.driverID).settable(by: .server),
    Field("item", \.item).settable(by: .server),
    Field("day", \.day).settable(by: .server),
  ]
}

extension FleetTransaction {
  /// Adds an event about a thing.
  ///
  /// - Parameters:
  ///   - id: a fixed ID for an event that may be found repeatedly, so that it is added once; `nil` for a new ID.
  public func emit<Value: WorkThing>(
    _ event: FleetEvent.Event, of thing: UUIDv7, _ value: Value, item: String? = nil, id: UUIDv7? = nil
  ) throws(ThingError) {
    var new = FleetEvent()
    (new.event, new.kind, new.thing) = (event, Value.names.one, thing)
    (new.vehicleID, new.driverID, new.item) = (value.vehicleID, value.driverID, item)
    try insert(new, id: id, action: "create")
  }
}
