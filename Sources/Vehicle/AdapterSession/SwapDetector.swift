/// Values in one reply that show whether the vehicle was swapped. All of them except the engine speed change slowly in
/// every vehicle.
struct SlowValues: BitwiseCopyable {
  /// Coolant temperature (PID 05), °C; `nil` if not in the reply.
  var coolantTemperature: Double?
  /// Distance since the codes were cleared (PID 31), km; `nil` if not in the reply.
  var distanceSinceClear: Double?
  /// Odometer (PID A6), km; `nil` if not in the reply.
  var odometer: Double?
  /// Engine speed (PID 0C), rpm; `nil` if not in the reply. If it is above 0, the engine runs.
  var engineSpeed: Double?
}

/// Detects jumps of slowly changing values, and starts of the engine. After each of these, the VIN is read again,
/// because the vehicle may have been swapped.
struct SwapDetector: BitwiseCopyable {
  /// Two readings of a value are compared only if the time between them is at most this long, ns.
  private static let longestInterval: Int64 = 30_000_000_000
  /// Minimum time between two alarms, ns. An alarm is a reply after which the VIN is read again. Without this limit, an
  /// ECU that reports implausible values would cause too many.
  private static let shortestPause: Int64 = 10_000_000_000
  /// Smallest change of the temperature that counts as a jump, °C. An engine needs minutes for such a change.
  private static let temperatureJump = 20.0
  /// Smallest change of a distance that counts as a jump, km. No vehicle drives this far in 30 s.
  private static let distanceJump = 5.0

  private struct Last: BitwiseCopyable {
    var value = 0.0
    var time = Int64.min / 2
  }

  private var coolantTemperature = Last()
  private var distanceSinceClear = Last()
  private var odometer = Last()
  private var isRunning: Bool?
  private var alarmedAt = Int64.min / 2

  /// Compares the values of a reply with the previous ones.
  ///
  /// - Returns: whether the reply may come from another vehicle.
  mutating func hasJumped(_ values: SlowValues, at now: Int64) -> Bool {
    var hasJumped = Self.update(&coolantTemperature, values.coolantTemperature, jump: Self.temperatureJump, now)
    // A new distance of 0 is no jump: clearing the codes sets it to 0, and some ECUs restart at 0 after 65,535 km.
    let isCleared = values.distanceSinceClear == 0
    let distance = Self.update(&distanceSinceClear, values.distanceSinceClear, jump: Self.distanceJump, now)
    if distance, !isCleared { hasJumped = true }
    if Self.update(&odometer, values.odometer, jump: Self.distanceJump, now) { hasJumped = true }
    if let speed = values.engineSpeed {
      if speed > 0, isRunning == false { hasJumped = true }
      isRunning = speed > 0
    }
    guard hasJumped, now - alarmedAt >= Self.shortestPause else { return false }
    alarmedAt = now
    return true
  }

  /// Stores a value. Returns whether it differs from a recent one by at least `jump`.
  private static func update(_ last: inout Last, _ value: Double?, jump: Double, _ now: Int64) -> Bool {
    guard let value else { return false }
    defer { last = Last(value: value, time: now) }
    return now - last.time <= longestInterval && abs(value - last.value) >= jump
  }
}
