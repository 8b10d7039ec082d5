import Telemetry

/// A trip in progress. Times are ns of the caller's clock.
struct Trip: BitwiseCopyable, Equatable {
  /// Time at which the engine started, or the vehicle began to move.
  var start: Int64
  /// Last time at which the engine ran or the vehicle moved.
  var end: Int64
  /// Last time at which the vehicle moved; the start of the trip if it has not moved yet.
  var lastMotion: Int64
  /// Last time at which the voltage showed that an alternator or a DC-DC converter was charging the battery. If it has
  /// not shown this yet, the start of the trip.
  var lastHint: Int64
  /// Whether the start of the trip was reported. It is reported when the distance of the trip is long enough.
  var isReported = false

  /// Integral of the vehicle speed over time, km/h × s.
  var speed = RateIntegral()
  /// Distance that was measured with positions while the vehicle reported no speed, km.
  var groundDistance = 0.0
  /// Distance that was measured with positions since the vehicle last reported a speed, m. It is counted only if the
  /// vehicle does not soon report a speed again.
  var pendingMetres = 0.0
  /// Time in which the distance ``pendingMetres`` was covered, s.
  var pendingSeconds = 0.0
  /// Whether there was a time during the trip without vehicle speed and without position. A part of the trip's distance
  /// is then unknown.
  var hasHole = false
  var startOdometer: Double?
  var endOdometer: Double?
  /// Maximum speed, km/h.
  var maxSpeed = 0.0

  /// Time during which the engine ran while the vehicle was stationary, ns.
  var idle: Int64 = 0
  /// Time up to which the idle time has been counted in ``idle``.
  var idleCounted: Int64
  /// Time during which the engine ran, ns: the sum of all intervals between successive readings of an engine speed
  /// above 0.
  var running: Int64 = 0
  var fuel = FuelMeter()

  init(start: Int64) {
    self.start = start
    end = start
    lastMotion = start
    lastHint = start
    idleCounted = start
  }

  /// Returns the distance measured by speed and positions, km.
  ///
  /// - Parameter isSpeedAbsent: whether to add the distance that was measured with positions since the vehicle last
  ///   reported a speed (``pendingMetres``).
  func integrated(isSpeedAbsent: Bool) -> Double {
    speed.total / 3_600 + groundDistance + (isSpeedAbsent ? pendingMetres / 1_000 : 0)
  }

  /// Discards the distance that was measured with positions (``pendingMetres``). Call this if the vehicle reports a
  /// speed again soon after the distance was covered.
  mutating func dropPending() {
    pendingMetres = 0
    pendingSeconds = 0
  }

  /// Adds the distance that was measured with positions (``pendingMetres``) to the trip. Call this if the vehicle has
  /// reported no speed for too long.
  mutating func commitPending(elapsed: Double, longestGap: Double) {
    groundDistance += pendingMetres / 1_000
    if elapsed - pendingSeconds > longestGap { hasHole = true }
    dropPending()
  }

  /// Raises the maximum speed to `speed`, km/h, if it is higher.
  mutating func reach(_ speed: Double) { maxSpeed = max(maxSpeed, speed) }

  /// Stores an odometer reading, km.
  mutating func readOdometer(_ km: Double) {
    guard km >= startOdometer ?? km else { return }
    startOdometer = startOdometer ?? km
    endOdometer = km
  }

  /// Adds to ``idle`` a period during which the engine ran while the vehicle was stationary. The part of the period
  /// that was counted before is left out.
  mutating func countIdle(_ both: (start: Int64, end: Int64)) {
    let start = max(both.start, idleCounted, self.start)
    guard both.end > start else { return }
    idle += both.end - start
    idleCounted = both.end
  }
}

/// The data of a trip that a record contains. Times are ns of the caller's clock.
public struct TripReport: Equatable, Sendable {
  /// Time at which the engine started, or the vehicle began to move.
  public var start: Int64
  /// Last time at which the engine ran or the vehicle moved.
  public var end: Int64
  /// Distance of the trip, km.
  public var distance: Double
  /// The method by which ``distance`` was measured.
  public var distanceSource: TripRecord.DistanceSource
  /// Odometer at the start (PID A6), km; `nil` if unknown.
  public var startOdometer: Double?
  /// Odometer at the end (PID A6), km; `nil` if unknown.
  public var endOdometer: Double?
  /// Fuel consumption according to the vehicle's fuel rates, L; `nil` if unknown.
  public var fuelUsed: Double?
  /// Fuel consumption estimated from the engine's air flow, L; `nil` if unknown.
  public var fuelUsedEstimated: Double?
  /// Time during which the engine ran while the vehicle was stationary, s.
  public var idleSeconds: Double
  /// Maximum speed, km/h.
  public var maxSpeed: Double

  /// If a part of the distance could not be measured, the odometer's distance is used instead, provided that it is
  /// longer than the measured distance by at least this value, km. The odometer's resolution is 0.1 km.
  private static let odometerSurplus = 0.2

  init(_ trip: Trip, isSpeedAbsent: Bool, hasSpark: Bool) {
    start = trip.start
    end = trip.end
    distance = trip.integrated(isSpeedAbsent: isSpeedAbsent)
    let hasGround = trip.groundDistance > 0 || isSpeedAbsent && trip.pendingMetres > 0
    distanceSource = !hasGround ? .speed : trip.speed.seconds > 0 ? .mixed : .gps
    startOdometer = trip.startOdometer
    endOdometer = trip.endOdometer
    if trip.hasHole, let startOdometer, let endOdometer, endOdometer - startOdometer >= distance + Self.odometerSurplus
    {
      distance = endOdometer - startOdometer
      distanceSource = .odometer
    }
    let running = Double(trip.running) / 1e9
    fuelUsed = trip.fuel.measured(running: running)
    fuelUsedEstimated = trip.fuel.estimated(running: running, hasSpark: hasSpark)
    idleSeconds = Double(trip.idle) / 1e9
    maxSpeed = trip.maxSpeed
  }
}

/// The start or the end of a trip.
public enum TripChange: Equatable, Sendable {
  /// A trip has become long enough to be reported.
  case start(TripReport)
  /// A trip has ended.
  case end(TripReport)
}
