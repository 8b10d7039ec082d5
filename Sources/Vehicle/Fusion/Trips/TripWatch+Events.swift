extension TripWatch {
  /// Adds an engine speed (PID 0C), rpm.
  public mutating func engineSpeed(_ rpm: Double, at time: Int64) {
    guard rpm.isFinite, rpm >= 0 else { return }
    expire(at: time)
    let isRunning = rpm > 0
    if isRunning {
      sign(isMoving: false, since: time, at: time)
      if let last = lastEngineSpeed, last.rpm > 0, hasTrip, last.time >= trip.start {
        trip.running += time - last.time
      }
      lastRunning = time
    } else {
      isSpent = false
    }
    engine.update(isRunning, at: time, longestGap: options.longestGap)
    lastEngineSpeed = (rpm, time)
    countIdle()
    airSpeed(rpm, at: time)
  }

  /// Adds a vehicle speed (PID 0D), km/h.
  public mutating func speed(_ kmh: Double, at time: Int64) {
    guard kmh.isFinite, kmh >= 0 else { return }
    expire(at: time)
    let isDriven = isDriven(at: time)
    if kmh > 0, isDriven { sign(isMoving: true, since: time, at: time) }
    stand.update(kmh == 0, at: time, longestGap: options.longestGap)
    countIdle()
    defer { lastSpeed = (kmh, time) }
    guard hasTrip else { return }
    if isSpeedAbsent(at: time) {
      let since = max(trip.start, lastSpeed?.time ?? trip.start, resumedAt)
      trip.commitPending(elapsed: Double(time - since) / 1e9, longestGap: Double(options.longestGap) / 1e9)
    } else {
      trip.dropPending()
    }
    guard isDriven || kmh == 0 else {
      trip.speed.interrupt()
      return
    }
    trip.speed.add(kmh, at: time, longestGap: options.longestGap)
    trip.reach(kmh)
  }

  /// Adds a voltage that the adapter has measured, V.
  public mutating func batteryVoltage(_ volts: Double, at time: Int64) {
    expire(at: time)
    supply.adapter(volts, at: time)
    applyHint(at: time)
  }

  /// Adds the control module voltage (PID 42), V.
  public mutating func controlModuleVoltage(_ volts: Double, at time: Int64) {
    expire(at: time)
    supply.controlModule(volts, at: time)
    applyHint(at: time)
  }

  /// Adds an odometer reading (PID A6), km.
  public mutating func odometer(_ km: Double, at time: Int64) {
    // An ECU without an odometer reports FFFF FFFF.
    guard km.isFinite, km >= 0, km < 429_496_729 else { return }
    expire(at: time)
    odometer = (km, time)
    if hasTrip { trip.readOdometer(km) }
  }

  /// Adds a fuel type (PID 51).
  public mutating func fuelType(code: Double) {
    isElectrified = isElectrified || FuelKind.isElectrified(code: code)
    guard options.fuel == nil, let kind = FuelKind(code: code) else { return }
    if kind != .electricity || fuelKind == nil { fuelKind = kind }
    if hasTrip { trip.fuel.setFuel(kind) }
  }

  /// Adds the ignition type (PID 01).
  public mutating func ignition(isSpark: Bool) { hasSpark = isSpark }

  // MARK: Evaluation

  /// Whether turning wheels mean that the vehicle drives with its own power. If `false`, they mean that it is being
  /// towed.
  private func isDriven(at time: Int64) -> Bool {
    guard let lastEngineSpeed, lastEngineSpeed.rpm == 0, !isElectrified, fuelKind != .electricity else { return true }
    // If no engine was ever seen running, the vehicle perhaps has none.
    guard let lastRunning else { return true }
    if let volts = supply.volts(at: time), volts >= options.chargingVoltage { return true }
    // The engine may have stopped a moment ago while the vehicle still rolls.
    return time - lastRunning < options.stopTime
  }

  private mutating func applyHint(at time: Int64) {
    guard hasTrip, let lastEngineSpeed, lastEngineSpeed.rpm > 0 else { return }
    guard let volts = supply.volts(at: time), volts >= options.chargingVoltage else { return }
    trip.lastHint = time
  }

  private mutating func countIdle() {
    if hasTrip, let both = engine.overlap(stand) { trip.countIdle(both) }
  }
}
