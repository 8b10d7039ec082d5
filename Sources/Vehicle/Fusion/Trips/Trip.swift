import Telemetry

/// A trip in progress. Times are ns of the caller's clock.
struct Trip: BitwiseCopyable, Equatable {
  /// Time at which the engine started to run, or the vehicle to move.
  var start: Int64
  /// Last time at which the engine ran or the vehicle moved.
  var end: Int64
  /// Last time at which the vehicle moved; initially the start.
  var lastMotion: Int64
  /// Last time at which the voltage showed that the battery was charged by an alternator or a converter.
  var lastHint: Int64
  /// Whether the start of the trip was reported, which happens once the trip is long enough.
  var isReported = false

  /// Integral of the vehicle speed, km/h × s.
  var speed = RateIntegral()
  /// Distance by positions while there was no vehicle speed, km.
  var groundDistance = 0.0
  /// Distance (m) and duration (s) by positions since the last vehicle speed. They are counted if no vehicle speed
  /// follows.
  var pendingMetres = 0.0
  var pendingSeconds = 0.0
  /// Whether the trip has a time without speed and position, so that part of its distance is unknown.
  var hasHole = false
  var startOdometer: Double?
  var endOdometer: Double?
  /// Maximum speed, km/h.
  var maxSpeed = 0.0

  /// Time with running engine and stationary vehicle, ns.
  var idle: Int64 = 0
  /// Time up to which ``idle`` is counted.
  var idleCounted: Int64
  /// Time between readings that both show a running engine, ns.
  var running: Int64 = 0
  var fuel = FuelMeter()

  init(start: Int64) {
    self.start = start
    end = start
    lastMotion = start
    lastHint = start
    idleCounted = start
  }

  /// Returns the distance by speed and positions, km.
  ///
  /// - Parameter isSpeedAbsent: whether to add the distance by positions since the last vehicle speed.
  func integrated(isSpeedAbsent: Bool) -> Double {
    speed.total / 3_600 + groundDistance + (isSpeedAbsent ? pendingMetres / 1_000 : 0)
  }

  /// Discards the positions since the last vehicle speed, because the next speed arrived in time.
  mutating func dropPending() {
    pendingMetres = 0
    pendingSeconds = 0
  }

  /// Counts the positions since the last vehicle speed, because no speed arrived in time.
  mutating func commitPending(elapsed: Double, longestGap: Double) {
    groundDistance += pendingMetres / 1_000
    if elapsed - pendingSeconds > longestGap { hasHole = true }
    dropPending()
  }

  /// Updates the maximum speed, km/h.
  mutating func reach(_ speed: Double) { maxSpeed = max(maxSpeed, speed) }

  /// Adds an odometer reading, km.
  mutating func readOdometer(_ km: Double) {
    guard km >= startOdometer ?? km else { return }
    startOdometer = startOdometer ?? km
    endOdometer = km
  }

  /// Counts the time with running engine and stationary vehicle.
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
  /// Method by which ``distance`` was measured.
  public var distanceSource: TripRecord.DistanceSource
  /// Odometer at the start (PID A6), km; `nil` if unknown.
  public var startOdometer: Double?
  /// Odometer at the end (PID A6), km; `nil` if unknown.
  public var endOdometer: Double?
  /// Measured fuel consumption, L; `nil` if unknown.
  public var fuelUsed: Double?
  /// Fuel consumption estimated from the engine's air, L; `nil` if unknown.
  public var fuelUsedEstimated: Double?
  /// Time with running engine and stationary vehicle, s.
  public var idleSeconds: Double
  /// Maximum speed, km/h.
  public var maxSpeed: Double

  /// If the integrated distance has a gap, the odometer's distance is used if it is greater by more than this, km. The
  /// odometer has a resolution of 0.1 km.
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

/// A change of a trip.
public enum TripChange: Equatable, Sendable {
  /// The trip is long enough to be reported.
  case start(TripReport)
  /// The trip is over.
  case end(TripReport)
}
