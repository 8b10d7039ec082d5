/// When a trip begins and ends, and what of the vehicle no ECU says. Times are ns.
public struct TripOptions: BitwiseCopyable, Equatable, Sendable {
  /// So long without a running engine and without motion ends a trip, at the last moment that had one of them. A shorter
  /// stop does not split it. A minute and more.
  public var stopTime: Int64 = 180 * second
  /// So long may the engine run on while the vehicle stands: it idles. Then the trip ends; the next one begins when the
  /// vehicle moves.
  public var idleTime: Int64 = 1_800 * second
  /// km that must be driven before it is a trip: an engine that is only started, or a car that is moved in its yard, is
  /// none.
  public var leastDistance = 0.05
  /// Readings further apart say nothing of the time between: it is neither integrated nor counted.
  public var longestGap: Int64 = 10 * second
  /// From this voltage on the battery is charged, by an alternator or a converter; 0.2 V below, it rests. V of a 12 V
  /// system; above 18 V it counts double.
  public var chargingVoltage = 13.2
  /// Swept volume, litres: what speed-density needs.
  public var displacement: Double?
  /// The share of its swept volume that the engine takes in, as a factor: what speed-density needs. 0.8 to 0.9 for an
  /// engine without a turbocharger.
  public var volumetricEfficiency: Double?
  /// How many; PID A2 counts the fuel of one.
  public var cylinders: Int?
  /// What it burns; nil: as PID 51 says.
  public var fuel: FuelKind?
  /// Whether it may drive with its engine still; PID 51 says so, too.
  public var mayDriveElectrically = false
  /// Whether a trip that is under way when the session ends is closed with its last known state. False: its memory is
  /// kept by the owner, and the next session goes on with it.
  public var endsWithSession = true

  private static let second: Int64 = 1_000_000_000

  /// The defaults.
  public init() {}
}
