import Telemetry

/// A driving event with the values that caused it. Speeds in km/h, voltages in V, times in s.
public enum DrivingEvent: Equatable, Sendable {
  /// The speed changed faster than the threshold between two readings `seconds` apart. `acceleration` is in m/s²,
  /// negative for braking; `threshold` is positive.
  case harsh(acceleration: Double, threshold: Double, fromSpeed: Double, toSpeed: Double, seconds: Double)
  /// All readings of the last `seconds` were above the limit; `speed` is the newest.
  case overspeed(speed: Double, limit: Double, maxSpeed: Double, seconds: Double)
  /// The engine ran for `seconds` while the vehicle was stationary.
  case idling(seconds: Double, limit: Double, rpm: Double)
  /// All readings of the last `seconds` were at or below the limit; `voltage` is the newest, converted to a 12 V
  /// system.
  case lowVoltage(voltage: Double, limit: Double, seconds: Double)

  /// The event as a record.
  public var record: DrivingRecord {
    switch self {
    case .harsh(let acceleration, let threshold, let fromSpeed, let toSpeed, let seconds):
      DrivingRecord(
        event: acceleration < 0 ? .harshBraking : .harshAcceleration,
        figures: [
          .init("acceleration", .number(acceleration)), .init("threshold", .number(threshold)),
          .init("fromSpeed", .number(fromSpeed)), .init("toSpeed", .number(toSpeed)),
          .init("seconds", .number(seconds)),
        ])
    case .overspeed(let speed, let limit, let maxSpeed, let seconds):
      DrivingRecord(
        event: .overspeed,
        figures: [
          .init("speed", .number(speed)), .init("limit", .number(limit)), .init("maxSpeed", .number(maxSpeed)),
          .init("seconds", .number(seconds)),
        ])
    case .idling(let seconds, let limit, let rpm):
      DrivingRecord(
        event: .idling,
        figures: [
          .init("seconds", .number(seconds)), .init("limit", .number(limit)), .init("rpm", .number(rpm)),
        ])
    case .lowVoltage(let voltage, let limit, let seconds):
      DrivingRecord(
        event: .lowVoltage,
        figures: [
          .init("voltage", .number(voltage)), .init("limit", .number(limit)), .init("seconds", .number(seconds)),
        ])
    }
  }
}
