import Geofencing

extension TripWatch {
  /// Adds a position.
  ///
  /// - Parameters:
  ///   - latitude: latitude in degrees, north positive.
  ///   - longitude: longitude in degrees, east positive.
  ///   - speed: speed over ground, km/h; `nil` if unknown.
  public mutating func fix(latitude: Double, longitude: Double, speed: Double?, at time: Int64) {
    let position = GeoPosition(latitude: latitude, longitude: longitude)
    guard position.isOnEarth else { return }
    expire(at: time)
    // If the time between two positions is as long as the stop that ends a trip, the positions belong to different
    // trips.
    if let lastFix, time - lastFix >= options.stopTime { ground = GroundMotion() }
    lastFix = time
    let step = ground.step(position, speed: speed, at: time, longestGap: options.longestGap)
    guard let since = step.movingSince else { return }
    let isAlone = isSpeedAbsent(at: time)
    guard !isAlone || isDriving(at: time) else { return }
    if isAlone {
      sign(isMoving: true, since: since, at: time)
      if hasTrip, let speed = step.speed { trip.reach(speed) }
    }
    if hasTrip { trip.addGround(step) }
  }

  /// Whether a changing position means that the vehicle is driving, if it reports no speed. If `false`, the changing
  /// position means that the vehicle is being transported.
  private func isDriving(at time: Int64) -> Bool {
    if let volts = supply.volts(at: time) {
      if volts >= options.chargingVoltage { return true }
      // Within 0.2 V below the limit, it is unknown whether the battery is being charged.
      if volts < options.chargingVoltage - 0.2 { return false }
    }
    if lastSpeed == nil, lastEngineSpeed == nil { return true }
    guard hasTrip else { return false }
    return lastEngineSpeed.map { $0.rpm > 0 || isElectrified } ?? true
  }
}
