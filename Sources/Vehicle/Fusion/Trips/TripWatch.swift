/// Detects the start and end of one vehicle's trips from its engine speed, vehicle speed, voltage and position. It does
/// no I/O, reads no clock and allocates no memory.
///
///     watch.engineSpeed(850, at: time)
///     watch.speed(42, at: time)
///     while let change = watch.decide(at: time) { … }
///
/// - A running engine or motion starts a trip. The trip is reported when its distance reaches
///   ``TripOptions/leastDistance``.
/// - A trip ends when the engine has been off and the vehicle stationary for ``TripOptions/stopTime``. The trip's end
///   is the moment at which this time began. A trip also ends when the vehicle has not moved for
///   ``TripOptions/idleTime`` although the engine runs. A shorter stop, a start-stop system, a tunnel, a lost adapter
///   or a short power cut does not divide a trip.
/// - If the wheels turn although the engine, which ran before, is off, the vehicle is being towed. This does not apply
///   if the vehicle may drive electrically or its battery is being charged.
/// - If the position changes while the vehicle speed or the voltage shows that the vehicle is parked, the vehicle is
///   being transported, which does not count as motion. If there are only positions and no data of the vehicle, a
///   changing position always counts as motion.
/// - A high voltage alone does not start a trip, because a charger causes it, too. However, if the last engine speed
///   was above 0, a high voltage delays the end of a trip by at most ``TripOptions/idleTime``.
///
/// After each event, and at ``deadline``, call ``decide(at:)`` until it returns `nil`.
public struct TripWatch: ~Copyable {
  let options: TripOptions
  /// The current trip, which may still be too short to be reported; valid only if ``hasTrip``. It is not an optional,
  /// because every reading would then copy it.
  var trip = Trip(start: 0)
  var hasTrip = false
  /// A trip that has ended, but whose end is not reported yet; valid only if ``hasEnded``.
  var ended = Trip(start: 0)
  var hasEnded = false
  /// End of the last trip. The next trip does not start before it.
  var lastEnd: Int64 = .min
  /// The state of the trip at the time at which the vehicle stopped answering (``vehicleLost(at:)``). `nil` if no trip
  /// was in progress at that time, or if the vehicle answers.
  var checkpoint: Trip?
  /// Time at which the vehicle stopped answering (``vehicleLost(at:)``); `nil` if the vehicle answers, or if there was
  /// no vehicle yet.
  var lostAt: Int64?

  // The vehicle.
  var engine = Run()
  var stand = Run()
  var lastEngineSpeed: (rpm: Double, time: Int64)?
  /// Last time at which the engine ran; `nil` if it has not run.
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
  /// Whether the last trip ended because the engine idled too long. If `true`, a running engine alone does not start a
  /// trip until the engine has stopped once.
  var isSpent = false
  /// Time at which a trip of the previous session was continued. It is unknown whether the vehicle reported a speed
  /// before this time.
  var resumedAt: Int64 = .min

  /// Creates a watch for a vehicle without history.
  public init(_ options: TripOptions = TripOptions()) {
    self.options = options
    fuelKind = options.fuel
    isElectrified = options.mayDriveElectrically
  }

  /// Whether the start of a trip was reported and the trip is not over.
  public var isUnderWay: Bool { hasTrip && trip.isReported }

  /// Time at which ``decide(at:)`` may return a change although no event has occurred; `.max` for never.
  public var deadline: Int64 {
    if hasEnded { return .min }
    guard hasTrip else { return .max }
    return min(
      Self.after(max(trip.end, trip.lastHint), options.stopTime), Self.after(trip.lastMotion, options.idleTime))
  }

  /// Returns the sum of a time and a duration; `.max` if it overflows.
  static func after(_ time: Int64, _ pause: Int64) -> Int64 {
    let (sum, isOverflow) = time.addingReportingOverflow(pause)
    return isOverflow ? .max : sum
  }

  /// Returns the next change to report; `nil` if there is none.
  public mutating func decide(at now: Int64) -> TripChange? {
    expire(at: now)
    if hasEnded {
      // If the trip became long enough only at its end, its start is reported first.
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

  /// Ends the current trip with its last known state. Call this until it returns `nil`.
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

  /// Handles a sign of driving: a running engine or motion. It starts a trip or continues one.
  ///
  /// - Parameter since: time at which the new trip begins, if this starts one.
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

  /// Ends the trip if the vehicle has been stationary with its engine off for ``TripOptions/stopTime``, or if it has
  /// not moved for ``TripOptions/idleTime``.
  mutating func expire(at now: Int64) {
    guard hasTrip else { return }
    let idleEnd = Self.after(trip.lastMotion, options.idleTime)
    let stopEnd = Self.after(max(trip.end, trip.lastHint), options.stopTime)
    guard now >= min(idleEnd, stopEnd) else { return }
    if now < stopEnd { isSpent = true }
    trip.end = min(trip.end, idleEnd)
    close(trip)
  }

  /// Ends a trip. Its end is reported if its start was reported, or if the trip is long enough.
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

  /// Whether the vehicle has reported no speed, or its last speed is so old that positions are used instead.
  func isSpeedAbsent(at time: Int64) -> Bool {
    guard let lastSpeed else { return true }
    return time - lastSpeed.time > options.longestGap
  }
}
