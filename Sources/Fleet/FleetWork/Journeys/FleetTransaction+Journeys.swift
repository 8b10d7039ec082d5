import FleetDomain
import Telemetry

/// A command to a journey.
public struct JourneyCommand: NestedValue {
  /// The command's own id, if the client stored the command before it was sent. It is then executed once however often
  /// it is sent, and never rejected because of the state; `nil` for a command whose sender waits for the answer.
  public var id: UUIDv7?
  /// The time of the event; `nil` for now.
  public var at: Timestamp?
  /// km.
  public var odometer: Double?
  public var notes: String?

  public init() {}

  public static let fields: [Field<JourneyCommand>] = [
    Field("id", \.id), Field("at", \.at), Field("odometer", \.odometer, in: .odometer),
    Field("notes", \.notes, TextRules.long),
  ]

  /// Clients with a stored command must say when it happened.
  public func check() throws(FieldError) {
    if id != nil, at == nil { throw FieldError("at", "expected the time of the event, because the command has an id") }
  }
}

extension FleetTransaction {
  /// Checks a new or changed journey, and makes its log, state, times and readings agree.
  ///
  /// - Parameters:
  ///   - old: `nil` if it is new.
  ///   - isOwn: whether a driver declares it, whose vehicle must be assigned.
  /// - Throws: `invalid`; `invalidState` for a change of a cancelled journey.
  public func check(_ new: inout Journey, old: Stored<Journey>?, isOwn: Bool) throws(ThingError) {
    if let old {
      guard old.value.status != .cancelled else {
        throw .invalidState(
          state: old.value.status.rawValue,
          allowedFrom: Journey.Status.allCases.filter { $0 != .cancelled }.map(\.rawValue))
      }
      try new.correct(from: old.value)
      return
    }
    guard let driver = new.driverID else {
      throw .invalid(FieldErrors([FieldError("driverId", "expected the id of a driver, found none")]))
    }
    var isAssigned: Bool?
    if isOwn, let start = new.startTime { isAssigned = try self.isAssigned(new.vehicle, to: driver, at: start) }
    try new.begin(ids: (.random(at: now), .random(at: now)), isAssigned: isAssigned)
  }

  /// Executes a command of a journey.
  ///
  /// A command with an id is always stored, because the event has happened. If the state does not allow it, its entry is
  /// in doubt, and the journey needs a review.
  ///
  /// - Parameter isOwn: whether a driver sends it, whose vehicle must be assigned.
  /// - Throws: `exists` if another command has its id. For a command without an id also `invalidState`, `invalid`, and
  ///   `rule` with one of the codes `notAssigned`, `driverSuspended`, `vehicleUnavailable`, `journeyInProgress`.
  public func execute(
    _ event: JourneyEvent.Event, _ command: JourneyCommand, of stored: Stored<Journey>, isOwn: Bool
  ) throws(ThingError) -> Stored<Journey> {
    var entry = JourneyEvent(
      event, id: command.id ?? .random(at: now), at: command.at ?? now, odometer: command.odometer,
      notes: command.notes)
    if let known = stored.value.log.first(where: { $0.id == entry.id }) {
      guard known.isCopy(of: entry) else { throw .exists(id: entry.id.string) }
      return stored
    }
    guard stored.value.log.count < Journey.mostEvents else {
      throw .rule(code: "logFull", message: "a journey has at most \(Journey.mostEvents) events; make another one")
    }
    if isOwn, event == .started, let driver = stored.value.driverID {
      entry.isAssigned = try isAssigned(stored.value.vehicle, to: driver, at: entry.timestamp)
    }
    var journey = stored.value
    journey.log.append(entry)
    journey.replay()
    if command.id == nil { try require(entry, in: journey, before: stored.value, except: stored.id) }
    let changed = try update(stored, to: journey, action: event.action)
    if let driver = journey.driverID { try updateStatus(ofDriver: driver) }
    return changed
  }

  /// Confirms that a person has looked at all entries that were in doubt.
  public func confirmReview(of stored: Stored<Journey>) throws(ThingError) -> Stored<Journey> {
    var journey = stored.value
    for index in journey.log.indices where journey.log[index].doubt != nil { journey.log[index].isReviewed = true }
    journey.replay()
    return try update(stored, to: journey, action: "review")
  }

  /// Checks the rules of a command whose sender waits for the answer.
  private func require(
    _ entry: JourneyEvent, in journey: Journey, before old: Journey, except id: UUIDv7
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
    guard entry.event == .started, let driverID = journey.driverID else { return }
    if added?.doubt == .notAssigned {
      throw .rule(code: "notAssigned", message: "vehicle \(journey.vehicle) is not assigned to the driver at this time")
    }
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
        throw .rule(
          code: "journeyInProgress", message: "\(whose) is on another journey: \(other.id.string); complete it first")
      }
    }
  }

  /// Makes a driver `onTrip` during a journey, and `available` afterwards. Drivers in another state stay in it.
  public func updateStatus(ofDriver id: UUIDv7) throws(ThingError) {
    guard let driver = try find(id, Driver.self), [.available, .onTrip].contains(driver.value.status) else { return }
    var changed = driver.value
    changed.status = try status(ofDriver: id)
    try update(driver, to: changed, action: changed.status == .onTrip ? "depart" : "arrive")
  }
}

extension FleetView {
  /// Returns the state of a driver who is on duty.
  public func status(ofDriver id: UUIDv7) throws(ThingError) -> Driver.Status {
    let query = ThingQuery<Journey>(
      .oneOf(key: "driverId", [id.json]), .oneOf(key: "status", Journey.Status.underway.map(\.json)))
    return try first(query) == nil ? .available : .onTrip
  }

  /// Whether a vehicle was assigned to a driver at a time.
  public func isAssigned(_ vehicle: String, to driver: UUIDv7, at time: Timestamp) throws(ThingError) -> Bool {
    try assignments(of: vehicle, at: time).contains { $0.value.driver == driver }
  }

  /// Returns the assignments of a vehicle that last at a time; at most one, unless they were changed by hand.
  public func assignments(of vehicle: String, at time: Timestamp) throws(ThingError) -> [Stored<Assignment>] {
    let next = Timestamp(nanoseconds: time.nanoseconds + 1_000_000)
    let query = ThingQuery<Assignment>(
      .oneOf(key: "vehicleId", [.text(vehicle)]), .oneOf(key: "status", ["active", "completed"].map { .text($0) }),
      .below(key: "from", next.json),
      .anyOf([[.oneOf(key: "to", [.null])], [.atLeast(key: "to", next.json)]]), limit: 100)
    return try list(query).items.filter { $0.value.contains(time) }
  }

  /// Returns the journeys of a vehicle that have begun before the end of a range and have not ended before its start.
  /// Cancelled journeys are left out.
  ///
  /// - Parameter purpose: `nil` for all.
  /// - Returns: at most 10,000, in the order of their starts.
  public func journeys(
    of vehicle: String, from: Timestamp, to: Timestamp, purpose: Journey.Purpose? = nil
  ) throws(ThingError) -> [Stored<Journey>] {
    var query = ThingQuery<Journey>(
      .oneOf(key: "vehicleId", [.text(vehicle)]),
      .oneOf(key: "status", (Journey.Status.underway + [.completed]).map(\.json)), .below(key: "startTime", to.json),
      .anyOf([[.oneOf(key: "endTime", [.null])], [.atLeast(key: "endTime", from.json)]]),
      order: [.init("startTime")], limit: 1_000)
    if let purpose { query.conditions.append(.oneOf(key: "purpose", [purpose.json])) }
    var journeys: [Stored<Journey>] = []
    repeat {
      let page = try list(query)
      journeys += page.items
      query.cursor = page.next
    } while query.cursor != nil && journeys.count < 10_000
    return journeys
  }

  /// Returns the times of private journeys of a vehicle, which are shown to nobody but their driver.
  ///
  /// - Parameter drivers: the drivers who are the caller; their own journeys are left out.
  public func privateWindows(
    of vehicle: String, from: Timestamp, to: Timestamp, except drivers: [UUIDv7] = []
  ) throws(ThingError) -> [VehicleWindow] {
    try journeys(of: vehicle, from: from, to: to, purpose: .personal).compactMap { journey in
      guard let start = journey.value.startTime, !(journey.value.driverID.map(drivers.contains) ?? false) else {
        return nil
      }
      return VehicleWindow(vehicle, from: start, to: journey.value.endTime)
    }
  }
}

extension JourneyEvent.Event {
  /// The name of the command, also in the audit.
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
