/// Limits of a trip, and properties of the vehicle that no ECU reports. Times are in ns.
public struct TripOptions: BitwiseCopyable, Equatable, Sendable {
  /// Time for which the engine must be off and the vehicle stationary before a trip ends; at least a minute. The end of
  /// the trip is the start of this time. Shorter stops do not end a trip.
  public var stopTime: Int64 = 180 * second
  /// Time without motion after which a trip ends although the engine runs. The next trip starts when the vehicle moves.
  public var idleTime: Int64 = 1_800 * second
  /// Minimum distance of a trip, km. It prevents trips of an engine that is only started, or of a car that is moved on
  /// its parking lot.
  public var leastDistance = 0.05
  /// Longest interval between readings. Longer intervals are not counted.
  public var longestGap: Int64 = 10 * second
  /// Voltage at which the battery is charged by an alternator or a converter, V. It is not charged if the voltage is
  /// more than 0.2 V lower. For a 12 V system; twice as much for systems above 18 V.
  public var chargingVoltage = 13.2
  /// Engine displacement, L; required by the speed-density method. `nil` if unknown.
  public var displacement: Double?
  /// Volumetric efficiency as a factor, required by the speed-density method: 0.8 to 0.9 for an engine without
  /// turbocharger. `nil` if unknown.
  public var volumetricEfficiency: Double?
  /// Number of cylinders; `nil` if unknown. PID A2 reports the fuel of one.
  public var cylinders: Int?
  /// The fuel; `nil` to use PID 51.
  public var fuel: FuelKind?
  /// Whether the vehicle may drive without its engine. PID 51 can report this as well.
  public var mayDriveElectrically = false
  /// Whether a trip in progress ends with the session. If `false`, the caller stores it, and the next session continues
  /// it.
  public var endsWithSession = true

  private static let second: Int64 = 1_000_000_000

  /// Creates the default options.
  public init() {}
}
