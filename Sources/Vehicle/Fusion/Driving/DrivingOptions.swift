/// Thresholds of driving events. Times are in ns.
///
/// Definitions of harsh driving differ between manufacturers and vehicles. For cars, published thresholds are 2.5 to
/// 5.4 m/s² for braking (7 mph per second, 3.1 m/s², is common) and 2 to 4.4 m/s² for acceleration. For vans and
/// trucks, they are lower. The default values are in the middle of the range for cars.
public struct DrivingOptions: BitwiseCopyable, Equatable, Sendable {
  /// Minimum deceleration that counts as harsh braking, m/s²; `nil` to report no harsh braking.
  public var harshBraking: Double? = 3.5
  /// Minimum acceleration that counts as harsh, m/s²; `nil` to report no harsh acceleration.
  public var harshAcceleration: Double? = 3.0
  /// Speed limit, km/h; `nil` to use only the limits of geofences. If a geofence also has a speed limit, the lower
  /// limit applies.
  public var speedLimit: Double?
  /// Time for which the speed limit must be exceeded before the event is reported.
  public var overspeedTime: Int64 = 10 * second
  /// Time for which the engine must run while the vehicle is stationary, before idling is reported; `nil` to report no
  /// idling.
  public var idlingTime: Int64? = 300 * second
  /// Voltage of a nearly empty 12 V battery, V; `nil` to report no low voltage. A measured voltage above 18 V is of a
  /// 24 V system, and is halved before it is compared.
  public var lowVoltage: Double? = 11.8
  /// Time for which the voltage must stay at or below ``lowVoltage`` before the event is reported. Cranking lowers the
  /// voltage only for seconds.
  public var lowVoltageTime: Int64 = 60 * second
  /// If the time between two readings is longer than this, nothing is assumed about the time between them.
  public var longestGap: Int64 = 10 * second

  private static let second: Int64 = 1_000_000_000

  /// Creates the default options.
  public init() {}
}
