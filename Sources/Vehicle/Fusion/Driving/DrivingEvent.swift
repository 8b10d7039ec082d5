import Telemetry

/// A driving event, with the values that caused it. Speeds are in km/h, voltages in V, and times in s.
public enum DrivingEvent: Equatable, Sendable {
  /// Harsh braking or acceleration: the speed changed by more than the threshold allows between two readings that were
  /// `seconds` apart. `acceleration` is in m/s² and negative for braking; `threshold` is always positive.
  case harsh(acceleration: Double, threshold: Double, fromSpeed: Double, toSpeed: Double, seconds: Double)
  /// Overspeed: all speeds that were read in the last `seconds` were above the limit. `speed` is the newest of them.
  case overspeed(speed: Double, limit: Double, maxSpeed: Double, seconds: Double)
  /// Idling: the engine ran for `seconds` while the vehicle was stationary.
  case idling(seconds: Double, limit: Double, rpm: Double)
  /// Low voltage: all voltages that were read in the last `seconds` were at or below the limit. `voltage` is the newest
  /// of them, converted to a 12 V system.
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
