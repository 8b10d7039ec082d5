import Geofencing

extension TripWatch {
  /// Where the vehicle is.
  ///
  /// - Parameters:
  ///   - latitude: degrees, north positive.
  ///   - longitude: degrees, east positive.
  ///   - speed: over ground, km/h; nil where the receiver does not say.
  public mutating func fix(latitude: Double, longitude: Double, speed: Double?, at time: Int64) {
    let position = GeoPosition(latitude: latitude, longitude: longitude)
    guard position.isOnEarth else { return }
    expire(at: time)
    // What lies further apart belongs to different trips.
    if let lastFix, time - lastFix >= options.stopTime { ground = GroundMotion() }
    lastFix = time
    let step = ground.step(position, speed: speed, at: time, longestGap: options.longestGap)
    guard let since = step.movingSince else { return }
    let isAlone = isSpeedAbsent(at: time)
    guard !isAlone || isBelieved(at: time) else { return }
    if isAlone {
      sign(isMoving: true, since: since, at: time)
      if hasTrip, let speed = step.speed { trip.reach(speed) }
    }
    if hasTrip { trip.addGround(step) }
  }

  /// Positions that move, with no word from the vehicle, are its own motion.
  private func isBelieved(at time: Int64) -> Bool {
    if let volts = supply.volts(at: time) {
      if volts >= options.chargingVoltage { return true }
      // What a battery may have with and without a charge decides nothing.
      if volts < options.chargingVoltage - 0.2 { return false }
    }
    if lastSpeed == nil, lastEngineSpeed == nil { return true }
    guard hasTrip else { return false }
    return lastEngineSpeed.map { $0.rpm > 0 || isElectrified } ?? true
  }
}
