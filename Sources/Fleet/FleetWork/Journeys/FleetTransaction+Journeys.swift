import FleetDomain
import Telemetry

/// A command that changes a journey, as a client sends it.
public struct JourneyCommand: NestedValue {
  /// The ID of the command, if the client stored the command and sends it later. Such a command is executed once, even
  /// if it is sent repeatedly, and is never rejected because of the journey's state. `nil` if the client sends the
  /// command immediately.
  public var id: UUIDv7?
  /// The time at which the event happened; `nil` for now.
  public var at: Timestamp?
  /// Reading of the odometer, km; `nil` if it was not read.
  public var odometer: Double?
  public var entered = EnteredAmounts()
  public var notes: String?

  public init() {}

  public static let fields: [Field<JourneyCommand>] = [
    Field("id", \.id), Field("at", \.at), Field("odometer", \.odometer, in: .odometer).measured(.distance),
    .entered(\.entered, of: ("odometer", .distance)),
    Field("notes", \.notes, TextRules.long),
  ]

  /// If the client stored the command and sends it later, checks that the command contains the time of its event.
  public func check() throws(FieldError) {
    if id != nil, at == nil { throw FieldError("at", "expected the time of the event, because the command has an id") }
  }
}

extension FleetTransaction {
  /// Checks a new or changed journey, and makes its log agree with its state, times and readings.
  ///
  /// - Parameters:
  ///   - old: the journey before the change; `nil` if it is new.
  ///   - isOwn: whether the driver declares the journey. If `true`, the function checks whether the vehicle was
  ///     assigned to the driver.
  ///   - mayName: returns whether the caller may see the journey with a given ID. If not, errors do not name it.
  /// - Throws: `invalid`; `invalidState` if a cancelled journey is changed. For a new journey in progress, `rule` with
  ///   one of the codes `driverSuspended`, `vehicleUnavailable`, `journeyInProgress`. For a new journey that has ended,
  ///   `rule` with `vehicleUnavailable` if the vehicle had left the fleet before.
  public func check(
    _ new: inout Journey, old: Stored<Journey>?, isOwn: Bool,
    mayName: (UUIDv7) throws(ThingError) -> Bool = { _ in true }
  ) throws(ThingError) {
    if let old {
      guard old.value.status != .cancelled else {
        throw .invalidState(
          state: old.value.status.rawValue,
          allowedFrom: Journey.Status.allCases.filter { $0 != .cancelled }.map(\.rawValue))
      }
      try new.requireBounds(since: old.value, at: now, isOwn: isOwn)
      try new.correct(from: old.value)
      let isSame =
        new.startTime == old.value.startTime && new.endTime == old.value.endTime && new.purpose == old.value.purpose
      if isOwn, !isSame { new.endReview() }
      if !isSame, let driver = new.driverID, let start = new.startTime, isOwn || new.isAssigned != nil {
        new.isAssigned = try isAssigned(new.vehicle, to: driver, at: start)
      }
      if !isSame, new.isOverlapping != nil { new.isOverlapping = try overlapsOther(new, except: old.id) }
      new.replay()
      if new.needsReview, !old.value.needsReview { try emit(.journeyNeedsReview, of: old.id, new) }
      return
    }
    guard let driver = new.driverID else {
      throw .invalid(FieldErrors([FieldError("driverId", "expected the id of a driver, found none")]))
    }
    try new.requireBounds(since: nil, at: now, isOwn: isOwn)
    var isAssigned: Bool?
    if isOwn, let start = new.startTime { isAssigned = try self.isAssigned(new.vehicle, to: driver, at: start) }
    try new.begin(ids: (.random(at: now), .random(at: now)), isAssigned: isAssigned)
    new.isConfirmed = !isOwn
    guard let start = new.startTime else { return }
    if new.endTime == nil {
      try requireStart(of: new, except: nil, mayName)
    } else {
      try requireOwned(new.vehicle, at: start)
      new.isOverlapping = try overlapsOther(new, except: nil)
      new.replay()
    }
  }

  /// If a vehicle has left the fleet, checks that it was still in the fleet at a time.
  ///
  /// - Throws: `rule` with `vehicleUnavailable`.
  private func requireOwned(_ name: String, at time: Timestamp) throws(ThingError) {
    let vehicle = try referenced(vehicle: name)
    guard let last = vehicle.value.disposedOn, try zone(of: vehicle.value).day(of: time) > last else { return }
    throw .rule(
      code: "vehicleUnavailable", message: "vehicle \(vehicle.value.id) left the fleet on \(last.text)")
  }

  /// Whether the driver or the vehicle of a journey was on another journey at the same time.
  private func overlapsOther(_ journey: Journey, except id: UUIDv7?) throws(ThingError) -> Bool {
    guard let driver = journey.driverID, let start = journey.startTime, let end = journey.endTime else { return false }
    for (key, value) in [("driverId", driver.json), ("vehicleId", journey.vehicle.json)] {
      let query = ThingQuery<Journey>(
        .oneOf(key: key, [value]), .oneOf(key: "status", (Journey.Status.underway + [.completed]).map(\.json)),
        .below(key: "startTime", end.json),
        .anyOf([[.oneOf(key: "endTime", [.null])], [.atLeast(key: "endTime", start.json)]]),
        limit: 1_000)
      let others = try list(query).items
      if others.contains(where: { $0.id != id && $0.value.endTime.map { $0 > start } ?? true }) { return true }
    }
    return false
  }

  /// Executes a command.
  ///
  /// A command with an ID is always stored, because its event has already happened. If the journey's state does not
  /// allow the command, its log entry is marked as doubtful, and the journey needs a review.
  ///
  /// - Parameters:
  ///   - isOwn: whether the driver sends the command. The vehicle must then be assigned to the driver.
  ///   - mayName: returns whether the caller may see the journey with a given ID. If not, errors do not name it.
  /// - Throws: `exists` if another command has the same ID; `invalid` if the command's time is in the future; `rule`
  ///   with the code `logFull`. For a command without an ID also `invalidState`, `invalid`, and `rule` with one of the
  ///   codes `notAssigned`, `driverSuspended`, `vehicleUnavailable`, `journeyInProgress`.
  public func execute(
    _ event: JourneyEvent.Event, _ command: JourneyCommand, of stored: Stored<Journey>, isOwn: Bool,
    mayName: (UUIDv7) throws(ThingError) -> Bool = { _ in true }
  ) throws(ThingError) -> Stored<Journey> {
    var entry = JourneyEvent(
      event, id: command.id ?? .random(at: now), at: command.at ?? now, odometer: command.odometer,
      notes: command.notes)
    entry.entered = command.entered
    if let known = stored.value.log.first(where: { $0.id == entry.id }) {
      guard known.isCopy(of: entry) else { throw .exists(id: entry.id.string) }
      return stored
    }
    // A stored command from a clock that is ahead is not lost: the client sends it again with the same time, and it is
    // accepted once this time has passed.
    try entry.timestamp.requirePast(at: now, "at")
    try stored.value.requireSpace(for: entry)
    if isOwn, event == .started, let driver = stored.value.driverID {
      entry.isAssigned = try isAssigned(stored.value.vehicle, to: driver, at: entry.timestamp)
    }
    var journey = stored.value
    if isOwn, [.started, .completed].contains(event) { journey.isConfirmed = false }
    journey.log.append(entry)
    journey.replay()
    if command.id == nil { try require(entry, in: journey, before: stored.value, except: stored.id, mayName) }
    let changed = try update(stored, to: journey, action: event.action)
    if journey.needsReview, !stored.value.needsReview {
      try emit(.journeyNeedsReview, of: stored.id, journey)
    }
    if event == .incident { try emit(.journeyIncident, of: stored.id, journey, item: command.notes) }
    if event == .started, journey.startTime != nil, stored.value.startTime == nil {
      try emit(.journeyStarted, of: stored.id, journey)
    }
    if journey.status == .completed, stored.value.status != .completed {
      try emit(.journeyCompleted, of: stored.id, journey)
    }
    if let driver = journey.driverID { try updateStatus(ofDriver: driver) }
    return changed
  }

  /// Marks all doubtful entries of a journey as checked by a person, so that the journey needs no review.
  public func confirmReview(of stored: Stored<Journey>) throws(ThingError) -> Stored<Journey> {
    var journey = stored.value
    for index in journey.log.indices where journey.log[index].doubt != nil { journey.log[index].isReviewed = true }
    journey.isConfirmed = true
    journey.replay()
    return try update(stored, to: journey, action: "review")
  }

  /// Checks a command that was sent immediately and may therefore be rejected.
  private func require(
    _ entry: JourneyEvent, in journey: Journey, before old: Journey, except id: UUIDv7,
    _ mayName: (UUIDv7) throws(ThingError) -> Bool
  ) throws(ThingError) {
    let added = journey.log.first { $0.id == entry.id }
    if added?.doubt == .invalidState {
      throw .invalidState(state: old.status.rawValue, allowedFrom: entry.event.allowedFrom.map(\.rawValue))
    }
    let doubts = Set(old.log.filter { $0.doubt != nil }.map(\.id))
    if let other = journey.log.first(where: { $0.id != entry.id && $0.doubt != nil && !doubts.contains($0.id) }) {
      throw .invalid(
        FieldErrors([
          FieldError("at", "expected a time after \(other.timestamp.string), when it was \(other.event.rawValue)")
        ])
      )
    }
    if added?.doubt == .odometer {
      throw .invalid(FieldErrors([FieldError("odometer", "expected startOdometer or more")]))
    }
    guard entry.event == .started else { return }
    if added?.doubt == .notAssigned {
      throw .rule(code: "notAssigned", message: "vehicle \(journey.vehicle) is not assigned to the driver at this time")
    }
    try requireStart(of: journey, except: id, mayName)
  }

  /// Checks that the driver and the vehicle of a journey can start it now.
  ///
  /// - Parameter id: id of the journey; `nil` if it is not stored yet.
  /// - Throws: `rule` with one of the codes `driverSuspended`, `vehicleUnavailable`, `journeyInProgress`.
  private func requireStart(
    of journey: Journey, except id: UUIDv7?, _ mayName: (UUIDv7) throws(ThingError) -> Bool
  ) throws(ThingError) {
    guard let driverID = journey.driverID else { return }
    let driver = try referenced(driver: driverID)
    if driver.value.status == .suspended {
      throw .rule(code: "driverSuspended", message: "\(driver.value.name) is suspended")
    }
    let vehicle = try referenced(vehicle: journey.vehicle)
    guard [.available, .assigned].contains(vehicle.value.status) else {
      throw .rule(
        code: "vehicleUnavailable",
        message: "vehicle \(vehicle.value.id) is \(vehicle.value.status.rawValue); expected available or assigned")
    }
    for (key, value) in [("driverId", driverID.json), ("vehicleId", vehicle.value.id.json)] {
      let query = ThingQuery<Journey>(
        .oneOf(key: key, [value]), .oneOf(key: "status", Journey.Status.underway.map(\.json)), limit: 2)
      if let other = try list(query).items.first(where: { $0.id != id }) {
        let whose = key == "driverId" ? "the driver" : "vehicle \(vehicle.value.id)"
        let which = try mayName(other.id) ? ": \(other.id.string); complete it first" : ""
        throw .rule(code: "journeyInProgress", message: "\(whose) is on another journey\(which)")
      }
    }
  }

  /// Sets a driver's status to `onTrip` during a journey, otherwise to `available`. Any other status of a driver is not
  /// changed.
  public func updateStatus(ofDriver id: UUIDv7) throws(ThingError) {
    guard let driver = try find(id, Driver.self), [.available, .onTrip].contains(driver.value.status) else { return }
    var changed = driver.value
    changed.status = try status(ofDriver: id)
    try update(driver, to: changed, action: changed.status == .onTrip ? "depart" : "arrive")
  }
}

extension FleetView {
  /// Returns the status of a driver that follows from the driver's journeys: `onTrip` during a journey, otherwise
  /// `available`.
  public func status(ofDriver id: UUIDv7) throws(ThingError) -> Driver.Status {
    let query = ThingQuery<Journey>(
      .oneOf(key: "driverId", [id.json]), .oneOf(key: "status", Journey.Status.underway.map(\.json)))
    return try first(query) == nil ? .available : .onTrip
  }

  /// Whether a vehicle was assigned to a driver at a time.
  public func isAssigned(_ vehicle: String, to driver: UUIDv7, at time: Timestamp) throws(ThingError) -> Bool {
    try assignments(of: vehicle, at: time).contains { $0.value.driver == driver }
  }

  /// Returns the assignments of a vehicle at a time: at most one, unless someone has edited the database directly.
  public func assignments(of vehicle: String, at time: Timestamp) throws(ThingError) -> [Stored<Assignment>] {
    let next = time.adding(nanoseconds: 1_000_000)
    var query = ThingQuery<Assignment>(
      .oneOf(key: "vehicleId", [.text(vehicle)]), .below(key: "from", next.json),
      .anyOf([[.oneOf(key: "to", [.null])], [.atLeast(key: "to", next.json)]]), limit: 100)
    query.conditions += Assignment.valid
    return try list(query).items.filter { $0.value.contains(time) }
  }

  /// Returns the journeys of a vehicle that overlap a time range. Cancelled journeys are left out.
  ///
  /// - Returns: at most 10,000 journeys, in the order of their starts.
  public func journeys(of vehicle: String, from: Timestamp, to: Timestamp) throws(ThingError) -> [Stored<Journey>] {
    var query = ThingQuery<Journey>(
      .oneOf(key: "vehicleId", [.text(vehicle)]),
      .oneOf(key: "status", (Journey.Status.underway + [.completed]).map(\.json)), .below(key: "startTime", to.json),
      .anyOf([[.oneOf(key: "endTime", [.null])], [.atLeast(key: "endTime", from.json)]]),
      order: [.init("startTime")], limit: 1_000)
    var journeys: [Stored<Journey>] = []
    repeat {
      let page = try list(query)
      journeys += page.items
      query.cursor = page.next
    } while query.cursor != nil && journeys.count < 10_000
    return journeys
  }
}

extension JourneyEvent.Event {
  /// The name of the command in routes and in the audit.
  public var action: String {
    switch self {
    case .started: "start"
    case .paused: "pause"
    case .resumed: "resume"
    case .completed: "complete"
    case .cancelled: "cancel"
    case .incident: "incident"
    }
  }
}
