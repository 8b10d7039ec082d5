import FleetDomain
import Telemetry

/// A reminder that a document or a driving licence expires. The event that notifies people was not added yet.
public struct PendingReminder: Equatable, Sendable {
  /// The ID of the event. It is the same each time the reminder is found.
  let id: UUIDv7
  let event: FleetEvent.Event
  let thing: UUIDv7
  let kind: String
  let day: CalendarDate
  let vehicle: String?
  let driver: UUIDv7?
  let item: String?
}

extension FleetView {
  /// Returns the due reminders for which no event was added yet. A document or a driving licence has three reminders:
  /// 30 days before its last day of validity, 7 days before it, and on the day after it. The documents of vehicles that
  /// were removed have no reminders.
  ///
  /// - Parameter start: the time of the oldest changes that are considered; `nil` to consider all documents and drivers.
  /// - Returns: the reminders, and descriptions of the documents and drivers that cannot be read.
  public func pendingReminders(
    at now: Timestamp, changedSince start: Timestamp? = nil
  ) throws(ThingError) -> (reminders: [PendingReminder], unreadable: [String]) {
    var reminders: [PendingReminder] = []
    var unreadable: [String] = []
    let day: Int64 = 86_400_000_000_000
    // Search one more day at each end of the range, because of time zones.
    let first = CalendarDate(utc: now.adding(nanoseconds: -(31 * day)))
    let last = CalendarDate(utc: now.adding(nanoseconds: 32 * day))
    var documents = ThingQuery<Document>(
      .atLeast(key: "expiresOn", first.json), .below(key: "expiresOn", last.json), limit: 1_000)
    if let start { documents.conditions.append(.atLeast(key: "updatedAt", start.json)) }
    documents.leavesOutUnreadable = true
    try forEachPage(of: documents) { page throws(ThingError) in
      unreadable += page.unreadable
      for document in page.items {
        guard let day = document.value.expiresOn else { continue }
        // The documents of a vehicle that was removed are part of its history.
        if let vehicle = document.value.vehicleID, try self.vehicle(named: vehicle) == nil { continue }
        let item = document.value.title ?? document.value.category.rawValue
        let driver: Stored<Driver>? = if let id = document.value.driverID { try find(id, Driver.self) } else { nil }
        let zone =
          if document.value.vehicleID == nil, let fleet = driver?.value.fleetID {
            try zone(ofFleet: fleet)
          } else {
            try zone(ofVehicle: document.value.vehicleID)
          }
        let reminder = Self.reminder(
          .documentExpiring, document.id, Document.names.one, day, zone.day(of: now),
          vehicle: document.value.vehicleID, driver: document.value.driverID, item: item)
        if let reminder, try isNew(reminder.id) { reminders.append(reminder) }
      }
    }
    var drivers = ThingQuery<Driver>(
      .atLeast(key: "licenceExpiry", first.json), .below(key: "licenceExpiry", last.json), limit: 1_000)
    if let start { drivers.conditions.append(.atLeast(key: "updatedAt", start.json)) }
    drivers.leavesOutUnreadable = true
    try forEachPage(of: drivers) { page throws(ThingError) in
      unreadable += page.unreadable
      for driver in page.items {
        guard let day = driver.value.licenceExpiry else { continue }
        let reminder = Self.reminder(
          .licenceExpiring, driver.id, Driver.names.one, day, try zone(ofFleet: driver.value.fleetID).day(of: now),
          vehicle: nil, driver: driver.id, item: nil)
        if let reminder, try isNew(reminder.id) { reminders.append(reminder) }
      }
    }
    return (reminders, unreadable)
  }

  private static func reminder(
    _ event: FleetEvent.Event, _ thing: UUIDv7, _ kind: String, _ day: CalendarDate, _ today: CalendarDate,
    vehicle: String?, driver: UUIDv7?, item: String?
  ) -> PendingReminder? {
    let left = number(of: day) - number(of: today)
    guard (-30...30).contains(left) else { return nil }
    let stage: UInt64 = left < 0 ? 2 : left <= 7 ? 1 : 0
    let id = UUIDv7(
      milliseconds: UInt64(max(number(of: day), 0)) * 86_400_000, seed: thing.low ^ thing.high << 48, number: stage)
    return PendingReminder(
      id: id, event: event, thing: thing, kind: kind, day: day, vehicle: vehicle, driver: driver, item: item)
  }

  /// Whether the event with a fixed ID must still be added. Looks for the ``Reminder``, not for the event, because the
  /// event is removed when its notifications are added.
  fileprivate func isNew(_ id: UUIDv7) throws(ThingError) -> Bool {
    try find(id, Reminder.self) == nil
  }

  /// Returns the number of days from 1970-01-01 to a date.
  private static func number(of date: CalendarDate) -> Int {
    Timestamp.days(year: date.year, month: date.month, day: date.day)
  }
}

extension FleetTransaction {
  /// Adds the event of a reminder, unless another server has added it meanwhile.
  public func add(_ pending: PendingReminder) throws(ThingError) {
    var new = FleetEvent()
    (new.event, new.kind, new.thing, new.day) = (pending.event, pending.kind, pending.thing, pending.day)
    (new.vehicleID, new.driverID, new.item) = (pending.vehicle, pending.driver, pending.item)
    try emitOnce(new, id: pending.id)
  }

  /// Adds an event, unless the event with this ID was already added, even if it was removed since then.
  public func emitOnce(_ event: FleetEvent, id: UUIDv7) throws(ThingError) {
    guard try isNew(id) else { return }
    var mark = Reminder()
    (mark.thing, mark.day) = (event.thing, event.day)
    try insert(mark, id: id, action: "create")
    try emit(event, id: id)
  }
}

/// A stored mark that an event was added, for example the event of a reminder, so that it is not added again.
public struct Reminder: Kind {
  public var thing = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var day: CalendarDate?

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "reminder", many: "reminders")
  public static let fields: [Field<Reminder>] = [
    Field("thing", \.thing).settable(by: .server), Field("day", \.day).settable(by: .server),
  ]
}
