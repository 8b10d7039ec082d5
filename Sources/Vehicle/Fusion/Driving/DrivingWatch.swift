/// Detects driving events of one vehicle: harsh braking and acceleration, overspeed, idling and low voltage. It does no
/// I/O, reads no clock and allocates no memory.
///
///     watch.speed(62, at: time)
///     while let event = watch.next() { … }
///
/// Each event is reported once. A harsh manoeuvre is reported when it is over, and any other event when its condition
/// has held for the required time. The same kind of event is reported again only after its condition has ended.
/// Overspeed ends when the speed was within the limit for ``DrivingOptions/overspeedTime``. Idling ends when the
/// vehicle moves or the engine stops. Low voltage ends when the voltage is at least 0.5 V above the limit.
public struct DrivingWatch: ~Copyable {
  let options: DrivingOptions
  private var harsh = HarshMotion()
  private var engine = Run()
  private var stand = Run()
  private var rpm = 0.0
  private var isIdlingTold = false
  private var lastSpeed: Int64?
  private var fenceLimit: Double?
  private var fenceLimitTime: Int64 = .min / 2
  // Overspeed.
  private var over = Run()
  private var overLimit = 0.0
  private var overPeak = 0.0
  private var isOverTold = false
  private var under = Run()
  // Voltage.
  private var supply = SupplyVoltage()
  private var low = Run()
  private var isLowTold = false
  /// Whether ``next()`` may have an event to return.
  private var hasChanges = false
  /// The harsh manoeuvre that ``next()`` has not returned yet; `nil` if there is none.
  private var harshEvent: DrivingEvent?
  /// The overspeed event that ``next()`` has not returned yet; `nil` if there is none.
  private var overspeedEvent: DrivingEvent?
  /// The idling event that ``next()`` has not returned yet; `nil` if there is none.
  private var idlingEvent: DrivingEvent?
  /// The low-voltage event that ``next()`` has not returned yet; `nil` if there is none.
  private var voltageEvent: DrivingEvent?

  /// Creates a watch for a vehicle without history.
  public init(_ options: DrivingOptions = DrivingOptions()) { self.options = options }

  /// Removes and returns the next event; `nil` if there is none.
  public mutating func next() -> DrivingEvent? {
    guard hasChanges else { return nil }
    if let event = harshEvent.take() { return event }
    if let event = overspeedEvent.take() { return event }
    if let event = idlingEvent.take() { return event }
    hasChanges = false
    return voltageEvent.take()
  }

  /// Sets the lowest speed limit of the geofences that contain the vehicle, km/h; `nil` if none has a limit.
  ///
  /// If the limit is not set again within ``DrivingOptions/longestGap``, it expires, because the vehicle's position is
  /// then unknown.
  public mutating func setFenceLimit(_ limit: Double?, at time: Int64) {
    fenceLimit = limit
    // Before the first event, `time` is `.min`. Calculations with it would overflow.
    fenceLimitTime = max(time, .min / 2)
  }

  /// Ends a harsh manoeuvre that is in progress, so that ``next()`` returns it. Call this if no further reading follows
  /// that could end it.
  public mutating func finish() {
    if let peak = harsh.finish() { record(peak) }
  }

  /// Handles a change of the vehicle: reports a harsh manoeuvre in progress, and discards the state of the previous
  /// vehicle.
  public mutating func vehicleChanged() {
    finish()
    engine.end()
    stand.end()
    isIdlingTold = false
    over.end()
    isOverTold = false
    supply = SupplyVoltage()
    low.end()
    isLowTold = false
  }

  // MARK: Readings

  /// Adds a vehicle speed (PID 0D), km/h.
  public mutating func speed(_ kmh: Double, at time: Int64) {
    guard kmh.isFinite, kmh >= 0 else { return }
    lastSpeed = time
    if let peak = harsh.speed(kmh, at: time, options) { record(peak) }
    stand.update(kmh == 0, at: time, longestGap: options.longestGap)
    weigh(kmh, at: time)
    recordIdling()
  }

  /// Adds a speed over ground from the GNSS receiver, km/h. It is used to detect overspeed if the vehicle reports no
  /// speed.
  public mutating func groundSpeed(_ kmh: Double, at time: Int64) {
    guard kmh.isFinite, kmh >= 0 else { return }
    if let lastSpeed, time - lastSpeed <= options.longestGap { return }
    weigh(kmh, at: time)
  }

  /// Adds an engine speed (PID 0C), rpm.
  public mutating func engineSpeed(_ rpm: Double, at time: Int64) {
    guard rpm.isFinite, rpm >= 0 else { return }
    engine.update(rpm > 0, at: time, longestGap: options.longestGap)
    self.rpm = rpm
    recordIdling()
  }

  /// Adds a voltage that the adapter has measured, V.
  public mutating func batteryVoltage(_ volts: Double, at time: Int64) {
    supply.adapter(volts, at: time)
    recordVoltage(at: time)
  }

  /// Adds the control module voltage (PID 42), V.
  public mutating func controlModuleVoltage(_ volts: Double, at time: Int64) {
    supply.controlModule(volts, at: time)
    recordVoltage(at: time)
  }

  // MARK: Evaluation

  private mutating func record(_ peak: HarshMotion.Peak) {
    let threshold = peak.acceleration < 0 ? options.harshBraking : options.harshAcceleration
    hasChanges = true
    harshEvent = .harsh(
      acceleration: peak.acceleration, threshold: threshold ?? 0, fromSpeed: peak.fromSpeed, toSpeed: peak.toSpeed,
      seconds: peak.seconds)
  }

  private mutating func weigh(_ kmh: Double, at time: Int64) {
    let fence = time - fenceLimitTime <= options.longestGap ? fenceLimit : nil
    let limit = min(options.speedLimit ?? .infinity, fence ?? .infinity)
    // If the limit changes, exceeding the new limit is a new event.
    if limit != overLimit {
      over.end()
      isOverTold = false
      overLimit = limit
    }
    over.update(kmh > limit, at: time, longestGap: options.longestGap)
    under.update(kmh <= limit, at: time, longestGap: options.longestGap)
    if let since = under.since, time - since >= options.overspeedTime { isOverTold = false }
    guard let since = over.since else { return }
    overPeak = since == time ? kmh : max(overPeak, kmh)
    guard !isOverTold, time - since >= options.overspeedTime else { return }
    isOverTold = true
    hasChanges = true
    overspeedEvent = .overspeed(speed: kmh, limit: limit, maxSpeed: overPeak, seconds: Double(time - since) / 1e9)
  }

  private mutating func recordIdling() {
    guard let both = engine.overlap(stand) else {
      if engine.since == nil || stand.since == nil { isIdlingTold = false }
      return
    }
    guard let limit = options.idlingTime, !isIdlingTold, both.end - both.start >= limit else { return }
    isIdlingTold = true
    hasChanges = true
    idlingEvent = .idling(
      seconds: Double(both.end - both.start) / 1e9, limit: Double(limit) / 1e9, rpm: rpm)
  }

  /// Low voltage is reported again only after the voltage was at least this much above the limit, V.
  private static let recovery = 0.5
  /// If the time between two readings of the voltage is longer than this, nothing is assumed about the time between
  /// them, ns. While the vehicle is asleep, the adapter's voltage is read only twice a minute.
  private static let voltageGap: Int64 = 120_000_000_000

  private mutating func recordVoltage(at time: Int64) {
    guard let limit = options.lowVoltage, let volts = supply.volts(at: time) else {
      low.end()
      return
    }
    if volts >= limit + Self.recovery { isLowTold = false }
    low.update(volts <= limit, at: time, longestGap: Self.voltageGap)
    guard let since = low.since, !isLowTold, time - since >= options.lowVoltageTime else { return }
    isLowTold = true
    hasChanges = true
    voltageEvent = .lowVoltage(voltage: volts, limit: limit, seconds: Double(time - since) / 1e9)
  }
}
