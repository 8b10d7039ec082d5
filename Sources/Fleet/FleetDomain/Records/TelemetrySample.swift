import Telemetry

/// The values of one telemetry record of a vehicle, with the time of the record.
public struct TelemetrySample: Equatable, Sendable {
  public let at: Timestamp
  public let values: TelemetryValues

  public init(at: Timestamp, _ values: TelemetryValues) { (self.at, self.values) = (at, values) }
}
