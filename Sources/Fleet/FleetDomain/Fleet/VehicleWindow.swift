import Telemetry

/// A vehicle and a period of time, for example the time for which it is assigned to a driver.
public struct VehicleWindow: Equatable, Sendable {
  /// The vehicle's id.
  public let vehicle: String
  public let from: Timestamp
  /// The end of the period, which is not part of it; `nil` if it is not known yet.
  public let to: Timestamp?

  public init(_ vehicle: String, from: Timestamp, to: Timestamp?) {
    self.vehicle = vehicle
    self.from = from
    self.to = to
  }

  /// Whether a part of the time between two times is in the period. The end of the period counts, too.
  public func overlaps(from start: Timestamp, through end: Timestamp) -> Bool {
    from <= end && to.map { start <= $0 } ?? true
  }

  public func contains(_ time: Timestamp) -> Bool { from <= time && to.map { time < $0 } ?? true }
}
