extension TripWatch {
  /// Handles a vehicle that no longer answers. The next vehicle that answers may be a different one.
  public mutating func vehicleLost(at time: Int64) {
    expire(at: time)
    if checkpoint == nil, hasTrip { checkpoint = trip }
    lostAt = time
  }

  /// Handles the return of the same vehicle after ``vehicleLost(at:)``.
  public mutating func vehicleReturned() {
    checkpoint = nil
    lostAt = nil
  }

  /// Handles a different vehicle: ends the trip of the previous vehicle, and discards that vehicle's state.
  ///
  /// Readings after ``vehicleLost(at:)`` already belong to the new vehicle.
  public mutating func vehicleChanged(at time: Int64) {
    expire(at: time)
    if !isOfNewVehicle {
      if let former = checkpoint ?? (hasTrip ? trip : nil) { close(former) }
    }
    if lostAt == nil {
      lastEngineSpeed = nil
      lastSpeed = nil
      engine.end()
      stand.end()
      odometer = nil
    }
    lostAt = nil
    lastRunning = nil
    isElectrified = options.mayDriveElectrically
    hasSpark = false
    fuelKind = options.fuel
    air = EngineAir()
    supply = SupplyVoltage()
    isSpent = false
  }

  /// Whether the trip started after the previous vehicle had stopped answering.
  private var isOfNewVehicle: Bool {
    guard checkpoint == nil, let lostAt, hasTrip else { return false }
    return trip.start >= lostAt
  }

  /// Returns the current trip in the form in which it is stored; `nil` if there is none.
  func snapshot(at time: Int64) -> Trip? {
    guard hasTrip else { return nil }
    var trip = trip
    if isSpeedAbsent(at: time) { trip.groundDistance += trip.pendingMetres / 1_000 }
    trip.dropPending()
    return trip
  }

  /// Continues a trip of the previous session. If a trip has started in this session, it becomes a part of the
  /// continued trip.
  ///
  /// - Parameter former: the trip of the previous session. Its times are of this session's clock, and may be negative.
  mutating func continueTrip(_ former: Trip, at time: Int64) {
    var whole = former
    resumedAt = time
    if time - former.end > options.longestGap { whole.hasHole = true }
    if hasTrip { whole.add(trip) }
    trip = whole
    hasTrip = true
    isSpent = false
  }
}

extension Trip {
  /// Adds a later trip of the same vehicle to this one.
  fileprivate mutating func add(_ later: Trip) {
    end = max(end, later.end)
    // If the engine only idled in the later trip, the vehicle did not move in that trip.
    let hasMoved = later.lastMotion > later.start || later.maxSpeed > 0
    lastMotion = hasMoved ? later.lastMotion : lastMotion
    lastHint = max(lastHint, later.lastHint)
    speed.add(later.speed)
    groundDistance += later.groundDistance
    pendingMetres += later.pendingMetres
    pendingSeconds += later.pendingSeconds
    hasHole = hasHole || later.hasHole
    startOdometer = startOdometer ?? later.startOdometer
    endOdometer = later.endOdometer ?? endOdometer
    maxSpeed = max(maxSpeed, later.maxSpeed)
    idle += later.idle
    idleCounted = later.idleCounted
    running += later.running
    fuel.add(later.fuel)
  }
}

extension FuelMeter {
  fileprivate mutating func add(_ later: FuelMeter) {
    volume.add(later.volume)
    mass.add(later.mass)
    stroke.add(later.stroke)
    airCommanded.add(later.airCommanded)
    airMeasured.add(later.airMeasured)
    densityCommanded.add(later.densityCommanded)
    setFuel(later.kind)
    restore(kind, isMixed: isMixed || later.isMixed)
  }
}
