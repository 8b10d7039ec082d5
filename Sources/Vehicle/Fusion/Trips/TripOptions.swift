/// The limits that define when a trip starts and ends, and properties of the vehicle that no ECU reports. Times are in
/// ns.
public struct TripOptions: BitwiseCopyable, Equatable, Sendable {
  /// Time for which the engine must be off and the vehicle stationary before a trip ends; at least a minute. The trip's
  /// end is the moment at which this time began. A shorter stop does not end a trip.
  public var stopTime: Int64 = 180 * second
  /// A trip also ends after this time without motion, even if the engine runs. The next trip then starts when the
  /// vehicle moves.
  public var idleTime: Int64 = 1_800 * second
  /// Minimum distance of a trip, km. A shorter trip is not reported, for example if the engine is only started, or the
  /// car is only moved in its parking lot.
  public var leastDistance = 0.05
  /// If the time between two readings is longer than this, neither this time nor the distance in it is counted.
  public var longestGap: Int64 = 10 * second
  /// If the voltage is at least this high, an alternator or a DC-DC converter is charging the battery, V. If the
  /// voltage is lower by more than 0.2 V, the battery is not being charged. The value is for a 12 V system. A measured
  /// voltage above 18 V is of a 24 V system, and is halved before it is compared.
  public var chargingVoltage = 13.2
  /// Engine displacement, L; `nil` if unknown. It is needed to estimate the air flow from pressure, temperature and
  /// engine speed.
  public var displacement: Double?
  /// Volumetric efficiency as a factor; `nil` if unknown. It is needed for the same estimate as ``displacement``.
  /// Engines without a turbocharger have 0.8 to 0.9.
  public var volumetricEfficiency: Double?
  /// Number of cylinders; `nil` if unknown. It is needed to use PID A2, which reports the fuel of a single cylinder.
  public var cylinders: Int?
  /// The kind of fuel; `nil` to use the fuel that PID 51 reports.
  public var fuel: FuelKind?
  /// Whether the vehicle may drive with its engine off. PID 51 can report this, too.
  public var mayDriveElectrically = false
  /// Whether a trip in progress ends when the session ends. If `false`, the caller stores the trip, and the next
  /// session continues it.
  public var endsWithSession = true

  private static let second: Int64 = 1_000_000_000

  /// Creates the default options.
  public init() {}
}
