import FleetDomain
import Telemetry

extension MeterReading {
  /// The figures of a comparison of a reading with the previous one and with telemetry. All amounts are in km for
  /// odometers, and in h for hour meters.
  public struct Comparison: NestedValue {
    /// The value of the newest used reading before this one.
    public var previous = 0.0
    /// The time of the previous reading.
    public var previousAt = Timestamp(nanoseconds: 0)
    /// The reading minus the previous one; negative if the reading is lower.
    public var increase = 0.0
    /// The distance or time of the trips since the previous reading, from telemetry; `nil` if unknown.
    public var telemetry: Double?
    /// ``increase`` minus ``telemetry``; `nil` if ``telemetry`` is unknown.
    public var difference: Double?

    public init() {}

    public static let fields: [Field<Comparison>] = [
      Field("previous", \.previous).required(), Field("previousAt", \.previousAt).required(),
      Field("increase", \.increase).required(), Field("telemetry", \.telemetry), Field("difference", \.difference),
    ]
  }
}
