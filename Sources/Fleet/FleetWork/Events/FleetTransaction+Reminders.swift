import FleetDomain
import Telemetry

extension FleetTransaction {
  /// Adds events for documents and driving licences that expire: 30 days before the last day of validity, 7 days before
  /// it, and on the day after it. Each event is added once, however often this function is called.
  ///
  /// - Returns: descriptions of the documents and drivers that cannot be read.
  public func emitReminders() throws(ThingError) -> [String] {
    var unreadable: [String] = []
    let day: Int64 = 86_400_000_000_000
    // Search one more day at each end of the range, because of time zones.
    let first = CalendarDate(utc: Timestamp(nanoseconds: now.nanoseconds - 31 * day))
    let last = CalendarDate(utc: Timestamp(nanoseconds: now.nanoseconds + 32 * day))
    var documents = ThingQuery<Document>(
      .atLeast(key: "expiresOn", first.json), .below(key: "expiresOn", last.json), limit: 1_000)
    documents.leavesOutUnreadable = true
    repeat {
      let page = try list(documents)
      unreadable += page.unreadable
      for document in page.items {
        guard let day = document.value.expiresOn else { continue }
        let item = document.value.title ?? document.value.category.rawValue
        let driver: Stored<Driver>? = if let id = document.value.driverID { try find(id, Driver.self) } else { nil }
        let zone =
          if document.value.vehicleID == nil, let fleet = driver?.value.fleetID {
            try zone(ofFleet: fleet)
          } else {
            try zone(ofVehicle: document.value.vehicleID)
          }
        try remind(
          .documentExpiring, document.id, Document.names.one, day, zone.day(of: now), vehicle: document.value.vehicleID,
          driver: document.value.driverID, item: item)
      }
      documents.cursor = page.next
    } while documents.cursor != nil
    var drivers = ThingQuery<Driver>(
      .atLeast(key: "licenceExpiry", first.json), .below(key: "licenceExpiry", last.json), limit: 1_000)
    drivers.leavesOutUnreadable = true
    repeat {
      let page = try list(drivers)
      unreadable += page.unreadable
      for driver in page.items {
        guard let day = driver.value.licenceExpiry else { continue }
        let today = try zone(ofFleet: driver.value.fleetID).day(of: now)
        try remind(
          .licenceExpiring, driver.id, Driver.names.one, day, today, vehicle: nil, driver: driver.id, item: nil)
      }
      drivers.cursor = page.next
    } while drivers.cursor != nil
    return unreadable
  }

  private func remind(
    _ event: FleetEvent.Event, _ thing: UUIDv7, _ kind: String, _ day: CalendarDate, _ today: CalendarDate,
    vehicle: String?, driver: UUIDv7?, item: String?
  ) throws(ThingError) {
    let left = Self.number(of: day) - Self.number(of: today)
    guard (-30...30).contains(left) else { return }
    let stage: UInt64 = left < 0 ? 2 : left <= 7 ? 1 : 0
    let id = UUIDv7(
      milliseconds: UInt64(max(Self.number(of: day), 0)) * 86_400_000, seed: thing.low ^ thing.high << 48, number: stage
    )
    // Look for the mark, not for the event, because the event is removed when its notifications are added.
    guard try find(id, Reminder.self) == nil else { return }
    var reminder = Reminder()
    (reminder.thing, reminder.day) = (thing, day)
    try insert(reminder, id: id, action: "create")
    var new = FleetEvent()
    (new.event, new.kind, new.thing, new.day) = (event, kind, thing, day)
    (new.vehicleID, new.driverID, new.item) = (vehicle, driver, item)
    try emit(new, id: id)
  }

  /// Returns the number of days from 1970-01-01 to a date.
  private static func number(of date: CalendarDate) -> Int {
    Timestamp.days(year: date.year, month: date.month, day: date.day)
  }
}

/// A mark that a reminder event was added, so that it is not added again.
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
