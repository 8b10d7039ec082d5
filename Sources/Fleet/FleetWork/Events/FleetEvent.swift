import FleetDomain
import Telemetry

/// Something that happened in the fleet, of which people may be notified.
///
/// An event is written in the transaction of the change that it is about, so that there is never one without the other.
/// It is removed in the transaction that adds its notifications.
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
  ///   - id: an id that is the same each time, for an event that may be found repeatedly; `nil` for a new one.
  public func emit<Value: WorkThing>(
    _ event: FleetEvent.Event, of thing: UUIDv7, _ value: Value, item: String? = nil, id: UUIDv7? = nil
  ) throws(ThingError) {
    var new = FleetEvent()
    (new.event, new.kind, new.thing) = (event, Value.names.one, thing)
    (new.vehicleID, new.driverID, new.item) = (value.vehicleID, value.driverID, item)
    try insert(new, id: id, action: "create")
  }
}
