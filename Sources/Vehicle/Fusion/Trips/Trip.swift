import Telemetry

/// A trip in progress. Times are ns of the caller's clock.
struct Trip: BitwiseCopyable, Equatable {
  /// Time at which the engine started to run, or the vehicle to move.
  var start: Int64
  /// Last time at which the engine ran or the vehicle moved.
  var end: Int64
  /// Last time at which the vehicle moved; initially the start.
  var lastMotion: Int64
  /// Last time at which the voltage showed that an alternator or a converter was charging the battery.
  var lastHint: Int64
  /// Whether the start of the trip was reported. It is reported when the trip is long enough.
  var isReported = false

  /// Integral of the vehicle speed, km/h × s.
  var speed = RateIntegral()
  /// Distance measured by positions while there was no vehicle speed, km.
  var groundDistance = 0.0
  /// Distance (m) and duration (s) measured by positions since the last vehicle speed. They are counted if no vehicle
  /// speed follows in time.
  var pendingMetres = 0.0
  var pendingSeconds = 0.0
  /// Whether the trip contains a time without speed and position. A part of its distance is then unknown.
  var hasHole = false
  var startOdometer: Double?
  var endOdometer: Double?
  /// Maximum speed, km/h.
  var maxSpeed = 0.0

  /// Time in which the engine ran and the vehicle was stationary, ns.
  var idle: Int64 = 0
  /// Time until which ``idle`` has been counted.
  var idleCounted: Int64
  /// Time for which the engine ran, ns: the sum of all intervals at whose ends the engine ran.
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
  /// - Parameter isSpeedAbsent: whether to add the distance by positions since the last vehicle speed.
  func integrated(isSpeedAbsent: Bool) -> Double {
    speed.total / 3_600 + groundDistance + (isSpeedAbsent ? pendingMetres / 1_000 : 0)
  }

  /// Discards the distance measured by positions since the last vehicle speed, because the next speed has arrived in
  /// time.
  mutating func dropPending() {
    pendingMetres = 0
    pendingSeconds = 0
  }

  /// Counts the distance measured by positions since the last vehicle speed, because no speed arrived in time.
  mutating func commitPending(elapsed: Double, longestGap: Double) {
    groundDistance += pendingMetres / 1_000
    if elapsed - pendingSeconds > longestGap { hasHole = true }
    dropPending()
  }

  /// Updates the maximum speed, km/h.
  mutating func reach(_ speed: Double) { maxSpeed = max(maxSpeed, speed) }

  /// Stores an odometer reading, km.
  mutating func readOdometer(_ km: Double) {
    guard km >= startOdometer ?? km else { return }
    startOdometer = startOdometer ?? km
    endOdometer = km
  }

  /// Counts a time in which the engine ran and the vehicle was stationary. Parts that were counted before are left out.
  mutating func countIdle(_ both: (start: Int64, end: Int64)) {
    let start = max(both.start, idleCounted, self.start)
    guard both.end > start else { return }
    idle += both.end - start
    idleCounted = both.end
  }
}

/// The data of a trip for a record. Times are ns of the caller's clock.
public struct TripReport: Equatable, Sendable {
  /// Time at which the engine started to run, or the vehicle to move.
  public var start: Int64
  /// Last time at which the engine ran or the vehicle moved.
  public var end: Int64
  /// Distance, km.
  public var distance: Double
  /// The method by which ``distance`` was measured.
  public var distanceSource: TripRecord.DistanceSource
  /// Odometer at the start (PID A6), km; `nil` if unknown.
  public var startOdometer: Double?
  /// Odometer at the end (PID A6), km; `nil` if unknown.
  public var endOdometer: Double?
  /// Measured fuel consumption, L; `nil` if unknown.
  public var fuelUsed: Double?
  /// Fuel consumption estimated from the engine's air, L; `nil` if unknown.
  public var fuelUsedEstimated: Double?
  /// Time in which the engine ran and the vehicle was stationary, s.
  public var idleSeconds: Double
  /// Maximum speed, km/h.
  public var maxSpeed: Double

  /// If a part of the measured distance is unknown, the odometer's distance is used instead, but only if it is greater
  /// by at least this value, km. The odometer's resolution is 0.1 km.
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
