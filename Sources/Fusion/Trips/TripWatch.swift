/// Follows one vehicle and says when a trip begins and ends, by engine speed, speed, voltage and position. No I/O, no
/// clock; no call allocates.
///
///     watch.engineSpeed(850, at: time)
///     watch.speed(42, at: time)
///     while let change = watch.decide(at: time) { … }
///
/// - A running engine, or motion, begins what becomes a trip once it has led ``TripOptions/leastDistance`` far.
/// - It ends when neither was seen for ``TripOptions/stopTime``, at the last time that one was; or when the engine has
///   idled for ``TripOptions/idleTime``. So a stop, an engine that stops at the light, a tunnel, a lost adapter or a
///   power cut shorter than that splits nothing.
/// - Wheels that turn while an engine stands that ran before are motion only where the vehicle may drive electrically,
///   or its converter charges the battery: else it is towed. Positions that move while the vehicle has said that it stands, or its
///   voltage does, are no motion: it is carried. A receiver alone, without an adapter, is believed.
/// - Voltage alone begins nothing: a charger is not a trip. Where the engine ran when it was heard of last, a charging
///   voltage keeps the trip open, at most for ``TripOptions/idleTime``.
///
/// Call order: any event, then ``decide(at:)`` until it gives nil; also when ``deadline`` has come.
public struct TripWatch: ~Copyable {
  let options: TripOptions
  /// What is, or may become, a trip, where ``hasTrip``. Not an optional: every reading would copy it.
  var trip = Trip(start: 0)
  var hasTrip = false
  /// Over, and not told yet, where ``hasEnded``.
  var ended = Trip(start: 0)
  var hasEnded = false
  /// When the last trip was over: none begins before.
  var lastEnd: Int64 = .min
  /// The trip as it was when the vehicle was lost, until it is known again.
  var checkpoint: Trip?
  /// When the vehicle was lost.
  var lostAt: Int64?

  // The vehicle.
  var engine = Run()
  var stand = Run()
  var lastEngineSpeed: (rpm: Double, time: Int64)?
  /// The engine was last seen to run.
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
  /// The engine has idled a trip to its end: alone it begins none until it has stood.
  var isSpent = false
  /// When a former trip went on: what was before is no time without a speed.
  var resumedAt: Int64 = .min

  public init(_ options: TripOptions = TripOptions()) {
    self.options = options
    fuelKind = options.fuel
    isElectrified = options.mayDriveElectrically
  }

  /// A trip has been told and is not over.
  public var isUnderWay: Bool { hasTrip && trip.isTold }

  /// When ``decide(at:)`` may say something without an event; `.max`: never.
  public var deadline: Int64 {
    if hasEnded { return .min }
    guard hasTrip else { return .max }
    return min(
      Self.after(max(trip.end, trip.lastHint), options.stopTime), Self.after(trip.lastMotion, options.idleTime))
  }

  static func after(_ time: Int64, _ pause: Int64) -> Int64 {
    let (sum, isOverflow) = time.addingReportingOverflow(pause)
    return isOverflow ? .max : sum
  }

  /// What is to be told now; nil: nothing more.
  public mutating func decide(at now: Int64) -> TripChange? {
    expire(at: now)
    if hasEnded {
      // The way that made it one was known only when it was over.
      guard ended.isTold else {
        ended.isTold = true
        return .start(report(ended, isSpeedAbsent: true))
      }
      hasEnded = false
      return .end(report(ended, isSpeedAbsent: true))
    }
    guard hasTrip, !trip.isTold else { return nil }
    let isSpeedAbsent = isSpeedAbsent(at: now)
    guard trip.integrated(isSpeedAbsent: isSpeedAbsent) >= options.leastDistance else { return nil }
    trip.isTold = true
    return .start(report(trip, isSpeedAbsent: isSpeedAbsent))
  }

  /// Closes what is under way with its last known state.
  public mutating func finish(at now: Int64) -> TripChange? {
    if let change = decide(at: now) { return change }
    guard hasTrip else { return nil }
    close(trip)
    return decide(at: now)
  }

  func report(_ trip: Trip, isSpeedAbsent: Bool) -> TripReport {
    TripReport(trip, isSpeedAbsent: isSpeedAbsent, hasSpark: hasSpark)
  }

  // MARK: Begin and end

  /// The engine runs or the vehicle moves.
  ///
  /// - Parameter since: when that began, where it is a new trip.
  mutating func sign(isMoving: Bool, since: Int64, at time: Int64) {
    if isMoving { isSpent = false }
    if !hasTrip {
      guard !isSpent else { return }
      var new = Trip(start: max(since, lastEnd))
      if let odometer, since - odometer.time <= Self.odometerAge {
        (new.startOdometer, new.endOdometer) = (odometer.km, odometer.km)
      }
      new.fuel.burns(fuelKind)
      trip = new
      hasTrip = true
    }
    trip.end = time
    if isMoving { trip.lastMotion = time }
  }

  private static let odometerAge: Int64 = 60_000_000_000

  /// Ends the trip whose time has come.
  mutating func expire(at now: Int64) {
    guard hasTrip else { return }
    let idleEnd = Self.after(trip.lastMotion, options.idleTime)
    let stopEnd = Self.after(max(trip.end, trip.lastHint), options.stopTime)
    guard now >= min(idleEnd, stopEnd) else { return }
    if now < stopEnd { isSpent = true }
    trip.end = min(trip.end, idleEnd)
    close(trip)
  }

  mutating func close(_ trip: Trip) {
    var trip = trip
    if !isSpeedAbsent(at: trip.end) { trip.dropPending() }
    if trip.isTold || trip.integrated(isSpeedAbsent: true) >= options.leastDistance {
      ended = trip
      hasEnded = true
    }
    hasTrip = false
    checkpoint = nil
    lastEnd = max(lastEnd, trip.end)
  }

  /// No vehicle speed came for so long that the positions count.
  func isSpeedAbsent(at time: Int64) -> Bool {
    guard let lastSpeed else { return true }
    return time - lastSpeed.time > options.longestGap
  }
}
