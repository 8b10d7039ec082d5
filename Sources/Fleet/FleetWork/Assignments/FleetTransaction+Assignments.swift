import FleetDomain
import Telemetry

extension FleetTransaction {
  /// Checks a new or changed assignment. If a new assignment has no start, sets the start to now. Of a completed
  /// assignment, only the notes and ``Assignment/isVoid`` can change.
  ///
  /// - Parameters:
  ///   - old: the assignment before the change; `nil` if the assignment is new.
  ///   - mayName: returns whether the caller may see the assignment with a given ID. If not, errors do not describe it.
  /// - Throws: `invalid`; `rule` with one of the codes `overlap`, `driverSuspended`, `licenceExpired`,
  ///   `vehicleUnavailable`, `vehicleUnsafe`; `invalidState` if the state does not allow the change.
  public func check(
    _ new: inout Assignment, old: Stored<Assignment>?,
    mayName: (UUIDv7) throws(ThingError) -> Bool = { _ in true }
  ) throws(ThingError) {
    if let old {
      let isPeriodChanged = new.from != old.value.from || new.to != old.value.to
      let allowed: Assignment.Status = isPeriodChanged || old.value.status != .completed ? .active : .completed
      guard old.value.status == allowed else {
        throw .invalidState(state: old.value.status.rawValue, allowedFrom: [allowed.rawValue])
      }
    } else if new.from == Assignment().from {
      new.from = now
    }
    if let to = new.to, to <= new.from {
      throw .invalid(FieldErrors([FieldError("to", "expected a time after from")]))
    }
    if old == nil, let to = new.to, to <= now { new.status = .completed }
    if new.isVoid {
      guard new.status == .completed else {
        throw .invalidState(state: new.status.rawValue, allowedFrom: [Assignment.Status.completed.rawValue])
      }
      return
    }
    // An assignment stays valid if the vehicle goes to a workshop or the licence expires later. Therefore, a changed
    // assignment is checked only if the change adds time.
    if new.adds(to: old?.value) { try requireAssignable(new) }
    try requireNoOverlap(new, except: old?.id, mayName)
  }

  /// Checks that the driver may drive and that the vehicle is ready.
  private func requireAssignable(_ new: Assignment) throws(ThingError) {
    guard let driverID = new.driver else { return }
    let driver = try referenced(driver: driverID)
    let vehicle = try referenced(vehicle: new.vehicle)
    if driver.value.status == .suspended {
      throw .rule(code: "driverSuspended", message: "\(driver.value.name) is suspended")
    }
    if let expiry = driver.value.licenceExpiry, expiry < (try zone(of: vehicle.value).day(of: max(new.from, now))) {
      throw .rule(
        code: "licenceExpired", message: "the licence of \(driver.value.name) was valid until \(expiry.text)")
    }
    guard [.available, .assigned].contains(vehicle.value.status) else {
      throw .rule(
        code: "vehicleUnavailable",
        message: "vehicle \(vehicle.value.id) is \(vehicle.value.status.rawValue); expected available or assigned")
    }
    try requireSafe(vehicle: new.vehicle)
  }

  /// Checks that an assignment does not overlap another assignment of the same vehicle or the same driver.
  ///
  /// - Throws: `rule` with `overlap`.
  private func requireNoOverlap(
    _ new: Assignment, except id: UUIDv7?, _ mayName: (UUIDv7) throws(ThingError) -> Bool
  ) throws(ThingError) {
    for (key, value) in [("vehicleId", new.vehicle.json), ("driverId", new.driver.json)] {
      var query = ThingQuery<Assignment>(
        .oneOf(key: key, [value]), .anyOf([[.oneOf(key: "to", [.null])], [.atLeast(key: "to", new.from.json)]]),
        limit: 1_000)
      query.conditions += Assignment.valid
      if let to = new.to { query.conditions.append(.below(key: "from", to.json)) }
      let other = try list(query).items.first { other in
        other.id != id && other.value.to.map { $0 > new.from } ?? true && (other.value.to != other.value.from)
      }
      if let other {
        let what = key == "vehicleId" ? "vehicle \(new.vehicle)" : "the driver"
        guard try mayName(other.id) else {
          throw .rule(code: "overlap", message: "\(what) has another assignment at this time")
        }
        let end = other.value.to.map { " to \($0.string)" } ?? " with an open end"
        throw .rule(
          code: "overlap",
          message: "\(what) has another assignment from \(other.value.from.string)\(end): \(other.id.string)")
      }
    }
  }

  /// Updates the status of the vehicle after one of its assignments was added or changed. If the assignment is new,
  /// also adds an event, and another one if the assignment is already over.
  public func follow(_ assignment: Stored<Assignment>) throws(ThingError) {
    if assignment.version == 1 {
      try emit(.assignmentMade, of: assignment.id, assignment.value)
      if assignment.value.status == .completed { try emit(.assignmentEnded, of: assignment.id, assignment.value) }
    }
    try updateStatus(ofVehicle: assignment.value.vehicle)
  }

  /// Ends an assignment.
  ///
  /// - Parameter time: the end. `nil` means the planned end if it has passed, otherwise now.
  /// - Throws: `invalidState`; `invalid` if the end is not after the start.
  public func end(_ stored: Stored<Assignment>, at time: Timestamp?) throws(ThingError) -> Stored<Assignment> {
    guard stored.value.status == .active else {
      throw .invalidState(state: stored.value.status.rawValue, allowedFrom: ["active"])
    }
    var ended = stored.value
    let end = time ?? min(stored.value.to ?? now, now)
    guard end > ended.from else {
      throw .invalid(
        FieldErrors([FieldError("at", "expected a time after the start, \(ended.from.string); cancel it instead")]))
    }
    ended.to = end
    ended.status = .completed
    let changed = try update(stored, to: ended, action: "end")
    try emit(.assignmentEnded, of: stored.id, ended)
    try updateStatus(ofVehicle: ended.vehicle)
    return changed
  }

  /// Cancels an assignment. A cancelled assignment has no effect, not even for the past.
  ///
  /// - Throws: `invalidState` if the assignment was ended or cancelled before.
  public func cancel(_ stored: Stored<Assignment>) throws(ThingError) -> Stored<Assignment> {
    guard stored.value.status == .active else {
      throw .invalidState(state: stored.value.status.rawValue, allowedFrom: ["active"])
    }
    var cancelled = stored.value
    cancelled.status = .cancelled
    let changed = try update(stored, to: cancelled, action: "cancel")
    try emit(.assignmentEnded, of: stored.id, cancelled)
    try updateStatus(ofVehicle: cancelled.vehicle)
    return changed
  }
}

extension FleetView {
  /// Returns the vehicles that are or were assigned to a person, with the times of the assignments.
  public func vehicleWindows(of person: UUIDv7) throws(ThingError) -> [VehicleWindow] {
    try vehicleWindows(of: [person])[person]?.flatMap(\.value) ?? []
  }

  /// Returns the vehicles that are or were assigned to people, with the times of the assignments. The result is grouped
  /// by person and then by vehicle.
  public func vehicleWindows(of people: Set<UUIDv7>) throws(ThingError) -> [UUIDv7: [String: [VehicleWindow]]] {
    var windows: [UUIDv7: [String: [VehicleWindow]]] = [:]
    try forEachPage(ofDriversOf: people) { page throws(ThingError) in
      for (driver, window) in try self.windows(ofDrivers: page.items.map(\.id.json)) {
        guard let person = page.items.first(where: { $0.id.json == driver })?.value.personID else { continue }
        windows[person, default: [:]][window.vehicle, default: []].append(window)
      }
    }
    return windows
  }

  /// Returns the drivers that are linked to the accounts of people.
  public func drivers(of people: Set<UUIDv7>) throws(ThingError) -> [UUIDv7: Set<UUIDv7>] {
    var drivers: [UUIDv7: Set<UUIDv7>] = [:]
    try forEachPage(ofDriversOf: people) { page throws(ThingError) in
      for driver in page.items {
        if let person = driver.value.personID { drivers[person, default: []].insert(driver.id) }
      }
    }
    return drivers
  }

  /// Calls a closure with pages of the drivers that are linked to the accounts of people.
  private func forEachPage(
    ofDriversOf people: Set<UUIDv7>, _ body: (Page<Stored<Driver>>) throws(ThingError) -> Void
  ) throws(ThingError) {
    var rest = Array(people)[...]
    while !rest.isEmpty {
      let query = ThingQuery<Driver>(.oneOf(key: "personId", rest.prefix(500).map(\.json)), limit: 500)
      rest = rest.dropFirst(500)
      try forEachPage(of: query, body)
    }
  }

  /// Returns the periods in which vehicles are or were assigned to drivers. The result is grouped by driver and then by
  /// vehicle.
  public func assignedTimes(of drivers: Set<UUIDv7>) throws(ThingError) -> [UUIDv7: [String: [VehicleWindow]]] {
    var times: [UUIDv7: [String: [VehicleWindow]]] = [:]
    var rest = Array(drivers)[...]
    while !rest.isEmpty {
      for (driver, window) in try windows(ofDrivers: rest.prefix(500).map(\.json)) {
        guard let driver = try? UUIDv7(json: driver) else { continue }
        times[driver, default: [:]][window.vehicle, default: []].append(window)
      }
      rest = rest.dropFirst(500)
    }
    return times
  }

  /// Returns the vehicles and times of the drivers' assignments that are neither cancelled nor void.
  private func windows(ofDrivers drivers: [JSON]) throws(ThingError) -> [(driver: JSON, window: VehicleWindow)] {
    guard !drivers.isEmpty else { return [] }
    var query = ThingQuery<Assignment>(.oneOf(key: "driverId", drivers))
    query.conditions += Assignment.valid
    return try values(["driverId", "vehicleId", "from", "to"], query).compactMap { values in
      guard let vehicle = values[1].textValue, let from = try? Timestamp(json: values[2]) else { return nil }
      return (values[0], VehicleWindow(vehicle, from: from, to: try? Timestamp(json: values[3])))
    }
  }
}
