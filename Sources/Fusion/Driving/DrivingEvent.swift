import Telemetry

/// What a watch tells of the driving, with the figures that decided it. Speeds in km/h, voltages in V, times in s.
public enum DrivingEvent: Equatable, Sendable {
  /// The speed changed faster than the threshold (m/s², positive) from one reading to another, `seconds` apart. The
  /// acceleration is negative where it braked.
  case harsh(acceleration: Double, threshold: Double, fromSpeed: Double, toSpeed: Double, seconds: Double)
  /// Every reading of so many seconds was above the limit; `speed` is the newest.
  case overspeed(speed: Double, limit: Double, maxSpeed: Double, seconds: Double)
  /// The engine has run for so long while the vehicle stood.
  case idling(seconds: Double, limit: Double, rpm: Double)
  /// Every reading of so many seconds was at or below the limit; `voltage` is the newest, as of a 12 V system.
  case lowVoltage(voltage: Double, limit: Double, seconds: Double)

  /// The record of it.
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
