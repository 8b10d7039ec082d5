import Telemetry

/// A trip in the making. Times are ns of the owner's clock.
struct Trip: BitwiseCopyable, Equatable {
  /// The first running engine, or the first motion.
  var start: Int64
  /// The newest of either.
  var end: Int64
  /// The newest motion; before any, the start.
  var lastMotion: Int64
  /// The newest voltage that an engine or a converter must have made.
  var lastHint: Int64
  /// Far enough to be a trip, and told.
  var isTold = false

  /// Vehicle speed, km/h.
  var speed = RateIntegral()
  /// km by positions, where there was no vehicle speed.
  var groundDistance = 0.0
  /// The same since the last vehicle speed: it counts once that stays away. Metres, and the seconds that they cover.
  var pendingMetres = 0.0
  var pendingSeconds = 0.0
  /// There was time in which neither speed nor position said how far it went.
  var hasHole = false
  var startOdometer: Double?
  var endOdometer: Double?
  /// km/h
  var maxSpeed = 0.0

  /// ns with the engine running and the vehicle standing.
  var idle: Int64 = 0
  /// Until then ``idle`` has been counted.
  var idleCounted: Int64
  /// ns between readings that both said that the engine runs.
  var running: Int64 = 0
  var fuel = FuelMeter()

  init(start: Int64) {
    self.start = start
    end = start
    lastMotion = start
    lastHint = start
    idleCounted = start
  }

  /// km by speed and positions.
  ///
  /// - Parameter isSpeedAbsent: the way since the last vehicle speed counts.
  func integrated(isSpeedAbsent: Bool) -> Double {
    speed.total / 3_600 + groundDistance + (isSpeedAbsent ? pendingMetres / 1_000 : 0)
  }

  /// A vehicle speed came soon after the one before: the positions are not needed.
  mutating func dropPending() {
    pendingMetres = 0
    pendingSeconds = 0
  }

  /// No vehicle speed has come for some seconds: what the positions say of it is kept.
  mutating func commitPending(elapsed: Double, longestGap: Double) {
    groundDistance += pendingMetres / 1_000
    if elapsed - pendingSeconds > longestGap { hasHole = true }
    dropPending()
  }

  /// km/h
  mutating func reach(_ speed: Double) { maxSpeed = max(maxSpeed, speed) }

  mutating func readOdometer(_ km: Double) {
    guard km >= startOdometer ?? km else { return }
    startOdometer = startOdometer ?? km
    endOdometer = km
  }

  /// Counts the time in which the engine ran and the vehicle stood.
  mutating func countIdle(_ both: (start: Int64, end: Int64)) {
    let start = max(both.start, idleCounted, self.start)
    guard both.end > start else { return }
    idle += both.end - start
    idleCounted = both.end
  }
}

/// What is to be told of a trip. Times are ns of the owner's clock.
public struct TripReport: Equatable, Sendable {
  /// When the engine began to run, or the vehicle to move.
  public var start: Int64
  /// The last time that either was seen.
  public var end: Int64
  /// km
  public var distance: Double
  /// What ``distance`` was measured with.
  public var distanceSource: TripRecord.DistanceSource
  /// km (PID A6)
  public var startOdometer: Double?
  /// km (PID A6)
  public var endOdometer: Double?
  /// Litres, measured.
  public var fuelUsed: Double?
  /// Litres, worked out from the engine's air.
  public var fuelUsedEstimated: Double?
  /// s with the engine running and the vehicle standing.
  public var idleSeconds: Double
  /// km/h
  public var maxSpeed: Double

  /// By how much more km an odometer of 0.1 km must have counted to be believed over what was integrated with a hole.
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

/// What a watch tells of a trip.
public enum TripChange: Equatable, Sendable {
  /// It has gone far enough to be one.
  case start(TripReport)
  /// It is over.
  case end(TripReport)
}
