/// Detects start and end of the trips of one vehicle by engine speed, vehicle speed, voltage and position. It does no
/// I/O, reads no clock and allocates nothing.
///
///     watch.engineSpeed(850, at: time)
///     watch.speed(42, at: time)
///     while let change = watch.decide(at: time) { … }
///
/// - A running engine or motion starts a trip. The trip is reported after ``TripOptions/leastDistance``.
/// - A trip ends when the engine was off and the vehicle stationary for ``TripOptions/stopTime``. The end of the trip
///   is the start of that time. A trip also ends when the engine has idled for ``TripOptions/idleTime``. A shorter
///   stop, a start-stop system, a tunnel, a lost adapter or a short power cut does not divide a trip.
/// - If the wheels turn while a previously running engine is off, the vehicle is towed, unless it may drive
///   electrically or its converter charges the battery.
/// - If the position changes while the vehicle speed or the voltage shows that the vehicle is parked, the vehicle is
///   transported, which is not motion. Positions of a receiver without an adapter always count as motion.
/// - A voltage alone starts no trip, because a charger raises it too. If the engine ran at its last reading, a charging
///   voltage prevents the end of the trip, for at most ``TripOptions/idleTime``.
///
/// Call order: any event, then ``decide(at:)`` until it returns `nil`. Call ``decide(at:)`` also at ``deadline``.
public struct TripWatch: ~Copyable {
  let options: TripOptions
  /// The current trip, or a possible one that is too short to be reported; valid if ``hasTrip``. It is not an optional,
  /// because every reading would then copy it.
  var trip = Trip(start: 0)
  var hasTrip = false
  /// A finished trip that was not reported; valid if ``hasEnded``.
  var ended = Trip(start: 0)
  var hasEnded = false
  /// End of the last trip; the next one does not start earlier.
  var lastEnd: Int64 = .min
  /// The trip at the time when the vehicle was lost; `nil` after the vehicle was identified again.
  var checkpoint: Trip?
  /// Time at which the vehicle was lost; `nil` if it is not.
  var lostAt: Int64?

  // The vehicle.
  var engine = Run()
  var stand = Run()
  var lastEngineSpeed: (rpm: Double, time: Int64)?
  /// Last time at which the engine ran.
  var lastRunning: Int64?
  var lastSpeed: (kmh: Double, time: Int64)?
  var isElectrified = false
  var hasSpark = false
  var fuelKind: FuelKind?
  var odometer: (km: Double, time: Int64)?
  var air = EngineAir()
  var supply = SupplyVoltage()
  var ground = GroundMotion()
  var lastFix: Int64?
  /// Whether a trip ended by idling. A running engine alone then starts no other trip until it has stopped.
  var isSpent = false
  /// Time at which an earlier trip was continued. A missing vehicle speed before that time is ignored.
  var resumedAt: Int64 = .min

  /// Creates a watch for a vehicle without history.
  public init(_ options: TripOptions = TripOptions()) {
    self.options = options
    fuelKind = options.fuel
    isElectrified = options.mayDriveElectrically
  }

  /// Whether a trip was reported and is not over.
  public var isUnderWay: Bool { hasTrip && trip.isReported }

  /// Time at which ``decide(at:)`` may have a result without an event; `.max` for never.
  public var deadline: Int64 {
    if hasEnded { return .min }
    guard hasTrip else { return .max }
    return min(
      Self.after(max(trip.end, trip.lastHint), options.stopTime), Self.after(trip.lastMotion, options.idleTime))
  }

  /// Adds a duration to a time, limited to `.max`.
  static func after(_ time: Int64, _ pause: Int64) -> Int64 {
    let (sum, isOverflow) = time.addingReportingOverflow(pause)
    return isOverflow ? .max : sum
  }

  /// Returns the next change to report; `nil` if there is none.
  public mutating func decide(at now: Int64) -> TripChange? {
    expire(at: now)
    if hasEnded {
      // If the distance became known only at the end, report the start first.
      guard ended.isReported else {
        ended.isReported = true
        return .start(report(ended, isSpeedAbsent: true))
      }
      hasEnded = false
      return .end(report(ended, isSpeedAbsent: true))
    }
    guard hasTrip, !trip.isReported else { return nil }
    let isSpeedAbsent = isSpeedAbsent(at: now)
    guard trip.integrated(isSpeedAbsent: isSpeedAbsent) >= options.leastDistance else { return nil }
    trip.isReported = true
    return .start(report(trip, isSpeedAbsent: isSpeedAbsent))
  }

  /// Ends the current trip with its last known state.
  public mutating func finish(at now: Int64) -> TripChange? {
    if let change = decide(at: now) { return change }
    guard hasTrip else { return nil }
    close(trip)
    return decide(at: now)
  }

  /// Makes the report of a trip.
  func report(_ trip: Trip, isSpeedAbsent: Bool) -> TripReport {
    TripReport(trip, isSpeedAbsent: isSpeedAbsent, hasSpark: hasSpark)
  }

  // MARK: Start and end

  /// Handles a running engine or motion.
  ///
  /// - Parameter since: its beginning, if it starts a new trip.
  mutating func sign(isMoving: Bool, since: Int64, at time: Int64) {
    if isMoving { isSpent = false }
    if !hasTrip {
      guard !isSpent else { return }
      var new = Trip(start: max(since, lastEnd))
      if let odometer, since - odometer.time <= Self.odometerAge {
        (new.startOdometer, new.endOdometer) = (odometer.km, odometer.km)
      }
      new.fuel.setFuel(fuelKind)
      trip = new
      hasTrip = true
    }
    trip.end = time
    if isMoving { trip.lastMotion = time }
  }

  private static let odometerAge: Int64 = 60_000_000_000

  /// Ends the trip if its time is over.
  mutating func expire(at now: Int64) {
    guard hasTrip else { return }
    let idleEnd = Self.after(trip.lastMotion, options.idleTime)
    let stopEnd = Self.after(max(trip.end, trip.lastHint), options.stopTime)
    guard now >= min(idleEnd, stopEnd) else { return }
    if now < stopEnd { isSpent = true }
    trip.end = min(trip.end, idleEnd)
    close(trip)
  }

  /// Ends a trip. It is reported if it is long enough or its start was reported.
  mutating func close(_ trip: Trip) {
    var trip = trip
    if !isSpeedAbsent(at: trip.end) { trip.dropPending() }
    if trip.isReported || trip.integrated(isSpeedAbsent: true) >= options.leastDistance {
      ended = trip
      hasEnded = true
    }
    hasTrip = false
    checkpoint = nil
    lastEnd = max(lastEnd, trip.end)
  }

  /// Whether there was no vehicle speed for so long that positions are used.
  func isSpeedAbsent(at time: Int64) -> Bool {
    guard let lastSpeed else { return true }
    return time - lastSpeed.time > options.longestGap
  }
}
