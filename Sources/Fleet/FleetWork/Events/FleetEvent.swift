import FleetDomain
import Telemetry

/// An event in the fleet. People may be notified of it, and webhooks may receive it.
///
/// The transaction that makes a change also adds its event, so there is no change without its event, and no event
/// without its change. The transaction that adds the event's notifications and deliveries removes the event.
public struct FleetEvent: Kind {
  public enum Event: String, FieldChoice, Sendable {
    /// A journey received a command that its state does not allow.
    case journeyNeedsReview
    /// A driver reported an incident during a journey.
    case journeyIncident
    case journeyStarted
    case journeyCompleted
    /// A signed inspection report has defects.
    case inspectionDefects
    /// A document expires soon, or has expired.
    case documentExpiring
    /// A driving licence expires soon, or has expired.
    case licenceExpiring
    /// A vehicle was assigned to a driver.
    case assignmentMade
    /// An assignment was ended or cancelled.
    case assignmentEnded
    /// A vehicle reports a trouble code that it did not report before.
    case troubleCodeFound
    /// A person reported a defect.
    case defectOpened
    /// A defect makes a vehicle unsafe.
    case defectUnsafe
    case serviceDueSoon
    case serviceOverdue
    case maintenanceStarted
    case maintenanceCompleted
    case vehicleRetired
    case vehicleReactivated
    /// The fuel level of a vehicle fell while it was parked.
    case fuelDrop
    /// A meter reading is not used, because it contradicts the previous readings.
    case meterSuspicious
    /// A vehicle has sent no records for a day.
    case vehicleSilent
    /// A vehicle that was silent sends records again.
    case vehicleBack
    /// A gateway recorded the end of a trip.
    case tripEnded
    case geofenceEntered
    case geofenceExited
    /// A vehicle has stayed in a geofence for the dwell time of the geofence.
    case geofenceDwelled
    /// A gateway recorded a driving event, for example harsh braking.
    case drivingEvent
    /// A webhook was switched off, because its receiver failed for a day or does not exist any more.
    case webhookDisabled

    /// Whether vehicles cause the event many times a day. Such an event is added only if a notification rule or a
    /// webhook selects it. At most ``FleetEvent/mostFrequent`` such events are added per tenant and hour.
    public var isFrequent: Bool {
      switch self {
      case .tripEnded, .geofenceEntered, .geofenceExited, .geofenceDwelled, .drivingEvent: true
      default: false
      }
    }
  }

  /// Maximum number of frequent events that are added per tenant and hour. Further events are only counted.
  public static let mostFrequent: Int64 = 20_000

  public var event = Event.journeyNeedsReview
  /// The kind of the thing that the event is about, for example `journey`.
  public var kind = ""
  public var thing = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var vehicleID: String?
  public var driverID: UUIDv7?
  /// A text that the notification contains, for example the names of the vehicle's defective parts; `nil` for none.
  public var item: String?
  /// A day that the notification contains, for example the last day of a document; `nil` for none.
  public var day: CalendarDate?
  /// The time of the event; `nil` if the event happened at the time of the change.
  public var at: Timestamp?
  /// The number of the event in the order of the tenant's events, from 1.
  public var number: Int64 = 0

  public init() {}

  public init<Value: Kind>(_ event: Event, _ kind: Value.Type, _ thing: UUIDv7) {
    (self.event, self.kind, self.thing) = (event, Value.names.one, thing)
  }

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
    Field("at", \.at).settable(by: .server),
    Field("number", \.number).settable(by: .server).sortable(),
  ]
}

/// Counters of a tenant's events. Each tenant has at most one such row.
public struct EventCount: Kind {
  /// The number of the last event.
  public var last: Int64 = 0
  /// The hour to which ``frequent`` belongs, as the number of hours since 1970-01-01T00:00Z.
  public var hour: Int64 = 0
  /// Number of frequent events that were added in ``hour``.
  public var frequent: Int64 = 0
  /// Total number of frequent events that were not added.
  public var dropped: Int64 = 0

  public init() {}

  public static let id = UUIDv7(milliseconds: 0, first: 0, rest: 3)
  public static let isAudited = false
  public static let names = KindNames(one: "eventCount", many: "event-counts")
  public static let fields: [Field<EventCount>] = [
    Field("last", \.last), Field("hour", \.hour), Field("frequent", \.frequent), Field("dropped", \.dropped),
  ]
}

extension FleetTransaction {
  /// Adds an event about a thing.
  public func emit<Value: WorkThing>(
    _ event: FleetEvent.Event, of thing: UUIDv7, _ value: Value, item: String? = nil
  ) throws(ThingError) {
    var new = FleetEvent(event, Value.self, thing)
    (new.vehicleID, new.driverID, new.item) = (value.vehicleID, value.driverID, item)
    try emit(new)
  }

  /// Adds an event. The transactions of a tenant run one after another, so the numbers of its events are in the order
  /// of the changes.
  ///
  /// - Parameter id: a fixed ID for an event that may be found repeatedly; `nil` for a new ID.
  /// - Returns: `false` if the event was not added, because the tenant has had too many frequent events
  ///   (``FleetEvent/Event/isFrequent``) in this hour.
  @discardableResult
  public func emit(_ event: FleetEvent, id: UUIDv7? = nil) throws(ThingError) -> Bool {
    let stored = try find(EventCount.id, EventCount.self)
    var count = stored?.value ?? EventCount()
    var isAdded = true
    if event.event.isFrequent {
      let hour = now.milliseconds / 3_600_000
      if hour != count.hour { (count.hour, count.frequent) = (hour, 0) }
      isAdded = count.frequent < FleetEvent.mostFrequent
      if isAdded { count.frequent += 1 } else { count.dropped += 1 }
    }
    if isAdded {
      var numbered = event
      count.last += 1
      numbered.number = count.last
      try insert(numbered, id: id, action: "create")
    }
    if let stored {
      try update(stored, to: count, action: "count")
    } else {
      try insert(count, id: EventCount.id, action: "count")
    }
    return isAdded
  }
}

extension FleetView {
  /// Returns the types of events that at least one active notification rule or webhook selects.
  public func wantedEvents() throws(ThingError) -> Set<FleetEvent.Event> {
    var wanted: Set<FleetEvent.Event> = []
    let rules = ThingQuery<NotificationRule>(.oneOf(key: "isActive", [.bool(true)]))
    for values in try values(["events"], rules) { wanted.formUnion((try? [FleetEvent.Event](json: values[0])) ?? []) }
    for webhook in try activeWebhooks() { wanted.formUnion(webhook.value.events ?? FleetEvent.Event.allCases) }
    return wanted
  }

  /// Returns the active webhooks.
  public func activeWebhooks() throws(ThingError) -> [Stored<Webhook>] {
    try list(ThingQuery<Webhook>(.oneOf(key: "isActive", [.bool(true)]), limit: Webhook.most)).items
  }
}
