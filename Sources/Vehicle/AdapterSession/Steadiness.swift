/// Values of one reply that change slowly in any vehicle.
struct SteadyValues: BitwiseCopyable {
  /// PID 05, °C.
  var coolantTemperature: Double?
  /// PID 31, km.
  var distanceSinceClear: Double?
  /// PID A6, km.
  var odometer: Double?
  /// PID 0C, rpm; above 0 the engine runs.
  var engineSpeed: Double?
}

/// Notices that the values of two vehicles follow one another, and that a trip begins: then the VIN is asked again.
struct Steadiness: BitwiseCopyable {
  /// Readings further apart are not compared, ns.
  private static let longestPause: Int64 = 30_000_000_000
  /// Between two alarms, ns: some ECUs count what they like.
  private static let shortestPause: Int64 = 10_000_000_000
  /// °C; an engine takes minutes for it.
  private static let leastTemperatureJump = 20.0
  /// km; 30 s at any speed of a vehicle are less.
  private static let leastDistanceJump = 5.0

  private struct Last: BitwiseCopyable {
    var value = 0.0
    var time = Int64.min / 2
  }

  private var coolantTemperature = Last()
  private var distanceSinceClear = Last()
  private var odometer = Last()
  private var isRunning: Bool?
  private var alarmedAt = Int64.min / 2

  /// Compares a reply with what was read before.
  ///
  /// - Returns: whether it may be another vehicle's.
  mutating func hasJumped(_ values: SteadyValues, at now: Int64) -> Bool {
    var hasJumped = Self.note(values.coolantTemperature, in: &coolantTemperature, least: Self.leastTemperatureJump, now)
    // Codes that are cleared set it to 0, and an ECU that stops at 65,535 km begins again.
    let isCleared = values.distanceSinceClear == 0
    let distance = Self.note(values.distanceSinceClear, in: &distanceSinceClear, least: Self.leastDistanceJump, now)
    if distance, !isCleared { hasJumped = true }
    if Self.note(values.odometer, in: &odometer, least: Self.leastDistanceJump, now) { hasJumped = true }
    if let speed = values.engineSpeed {
      // An engine that starts begins a trip.
      if speed > 0, isRunning == false { hasJumped = true }
      isRunning = speed > 0
    }
    guard hasJumped, now - alarmedAt >= Self.shortestPause else { return false }
    alarmedAt = now
    return true
  }

  private static func note(_ value: Double?, in last: inout Last, least: Double, _ now: Int64) -> Bool {
    guard let value else { return false }
    defer { last = Last(value: value, time: now) }
    return now - last.time <= longestPause && abs(value - last.value) >= least
  }
}
