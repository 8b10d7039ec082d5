import Telemetry

/// What a vehicle reported at a time.
public struct TelemetrySample: Equatable, Sendable {
  public let at: Timestamp
  public let values: TelemetryValues

  public init(at: Timestamp, _ values: TelemetryValues) { (self.at, self.values) = (at, values) }
}
