extension TripWatch {
  /// The vehicle answers no more: the one that answers next may be another.
  public mutating func vehicleLost(at time: Int64) {
    expire(at: time)
    if checkpoint == nil, hasTrip { checkpoint = trip }
    lostAt = time
  }

  /// It is the same vehicle as before.
  public mutating func vehicleReturned() {
    checkpoint = nil
    lostAt = nil
  }

  /// It is another vehicle: the trip of the old one is over, with all that was known of that one.
  ///
  /// What the new one said between ``vehicleLost(at:)`` and now is not the old one's.
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

  /// The trip began after the old vehicle was lost.
  private var isOfNewVehicle: Bool {
    guard checkpoint == nil, let lostAt, hasTrip else { return false }
    return trip.start >= lostAt
  }

  /// The trip as it is to be remembered; nil: there is none.
  func snapshot(at time: Int64) -> Trip? {
    guard hasTrip else { return nil }
    var trip = trip
    if isSpeedAbsent(at: time) { trip.groundDistance += trip.pendingMetres / 1_000 }
    trip.dropPending()
    return trip
  }

  /// Goes on with a trip from before a restart; what has begun since is a part of it.
  ///
  /// - Parameter former: on this clock; its times may be before the clock's 0.
  mutating func goOn(_ former: Trip, at time: Int64) {
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
  /// A later trip of the same vehicle turns out to be this one.
  fileprivate mutating func add(_ later: Trip) {
    end = max(end, later.end)
    // An engine that only idles has not moved.
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
    burns(later.kind)
    restore(kind, isMixed: isMixed || later.isMixed)
  }
}
