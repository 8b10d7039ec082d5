/// What of the driving is told, and from where on. Times are ns.
///
/// What the field calls harsh differs by maker and vehicle: published thresholds for cars lie between 2.5 and 5.4 m/s² for
/// braking (7 mph in a second, 3.1, is a usual one) and between 2 and 4.4 m/s² for acceleration; vans and trucks have
/// lower ones. The defaults are in the middle for a car.
public struct DrivingOptions: BitwiseCopyable, Equatable, Sendable {
  /// m/s²; nil: braking is not told.
  public var harshBraking: Double? = 3.5
  /// m/s²; nil: acceleration is not told.
  public var harshAcceleration: Double? = 3.0
  /// km/h; nil: only the fences' limits count. Where both hold, the lower one does.
  public var speedLimit: Double?
  /// The limit must be exceeded for so long.
  public var overspeedTime: Int64 = 10 * second
  /// The engine must run for so long while the vehicle stands; nil: idling is not told.
  public var idlingTime: Int64? = 300 * second
  /// V of a 12 V system (above 18 V it counts double): at or below it the battery is nearly empty; nil: it is not told.
  public var lowVoltage: Double? = 11.8
  /// So long it must hold: cranking pulls any battery down for seconds.
  public var lowVoltageTime: Int64 = 60 * second
  /// Readings further apart say nothing of the time between.
  public var longestGap: Int64 = 10 * second

  private static let second: Int64 = 1_000_000_000

  /// The defaults.
  public init() {}
}
