import FleetDomain
import Telemetry

/// A transaction that counts the things that it reads and writes.
final class CountedTransaction: FleetTransaction {
  private let base: any FleetTransaction
  private(set) var read = 0
  private(set) var written = 0

  init(_ base: any FleetTransaction) { self.base = base }

  var now: Timestamp { base.now }

  func find<Value: Kind>(_ id: UUIDv7, _ kind: Value.Type) throws(ThingError) -> Stored<Value>? {
    read += 1
    return try base.find(id, kind)
  }

  func list<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> Page<Stored<Value>> {
    let page = try base.list(query)
    read += page.items.count
    return page
  }

  func count<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> Int64 { try base.count(query) }

  func values<Value: Kind>(_ keys: [String], _ query: ThingQuery<Value>) throws(ThingError) -> [[JSON]] {
    let values = try base.values(keys, query)
    read += values.count
    return values
  }

  func audit(thing: UUIDv7?, before number: Int64?, limit: Int) throws(ThingError) -> [AuditEntry] {
    try base.audit(thing: thing, before: number, limit: limit)
  }

  func positions(fleets: [UUIDv7]?, hidingPrivateExcept drivers: [UUIDv7]?) throws(ThingError) -> [LastKnown] {
    try base.positions(fleets: fleets, hidingPrivateExcept: drivers)
  }

  func newestPlace(
    of vehicle: String, within selection: VehicleSelection
  ) throws(ThingError) -> (place: LastKnown.Place, driver: UUIDv7?)? {
    try base.newestPlace(of: vehicle, within: selection)
  }

  func zone(_ name: String?) -> ZoneRules { base.zone(name) }

  func zone(ofFleet fleet: UUIDv7?) throws(ThingError) -> ZoneRules { try base.zone(ofFleet: fleet) }

  func daySums(
    by grouping: DaySums.Grouping, fleet: UUIDv7?, from first: CalendarDate, through last: CalendarDate,
    at now: Timestamp
  ) throws(ThingError) -> [DaySums] {
    try base.daySums(by: grouping, fleet: fleet, from: first, through: last, at: now)
  }

  func staleHours(fleet: UUIDv7?, in hours: ClosedRange<Int64>) throws(ThingError) -> [StaleHours] {
    try base.staleHours(fleet: fleet, in: hours)
  }

  func days(
    of vehicles: [String]?, from first: CalendarDate, through last: CalendarDate
  ) throws(ThingError) -> [(vehicle: String, day: VehicleDay)] {
    try base.days(of: vehicles, from: first, through: last)
  }

  func insert<Value: Kind>(_ value: Value, id: UUIDv7?, action: String) throws(ThingError) -> Stored<Value> {
    written += 1
    return try base.insert(value, id: id, action: action)
  }

  func update<Value: Kind>(
    _ stored: Stored<Value>, to value: Value, action: String
  ) throws(ThingError) -> Stored<Value> {
    written += 1
    return try base.update(stored, to: value, action: action)
  }

  /// Counts only a change, because the storage writes nothing else.
  func refresh<Value: Kind>(_ stored: Stored<Value>, to value: Value) throws(ThingError) -> Stored<Value> {
    if stored.value != value { written += 1 }
    return try base.refresh(stored, to: value)
  }

  func remove<Value: Kind>(_ stored: Stored<Value>, action: String) throws(ThingError) {
    written += 1
    try base.remove(stored, action: action)
  }

  func touch<Value: Kind>(
    _ stored: Stored<Value>, action: String, details: [String: JSON]
  ) throws(ThingError) -> Stored<Value> {
    written += 1
    return try base.touch(stored, action: action, details: details)
  }

  func removeVehicle(_ vehicle: Stored<Vehicle>) throws(ThingError) { try base.removeVehicle(vehicle) }
  func attribute(_ attribution: Attribution) throws(ThingError) { try base.attribute(attribution) }
  func record(_ action: String, kind: String, thing: UUIDv7?, details: [String: JSON]) throws(ThingError) {
    try base.record(action, kind: kind, thing: thing, details: details)
  }
  func announceEnd(of sessions: [UUIDv7]) throws(ThingError) { try base.announceEnd(of: sessions) }
  func destroyPersonalKey(of subject: UUIDv7) throws(ThingError) { try base.destroyPersonalKey(of: subject) }
}
