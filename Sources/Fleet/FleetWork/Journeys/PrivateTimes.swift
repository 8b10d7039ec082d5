import FleetDomain
import Telemetry

/// The times at which a vehicle was on private journeys. Only the driver of such a journey sees its track.
public struct PrivateTimes: Sendable {
  /// Sorted by time, without overlaps. A span whose end is `nil` has not ended.
  private var spans: [(from: Timestamp, to: Timestamp?)] = []

  /// - Parameter windows: the times of the journeys, in any order; they may overlap.
  public init(_ windows: [VehicleWindow]) {
    for window in windows.sorted(by: { $0.from < $1.from }) {
      guard let last = spans.last, last.to.map({ window.from <= $0 }) ?? true else {
        spans.append((window.from, window.to))
        continue
      }
      guard let end = last.to else { continue }
      spans[spans.count - 1].to = window.to.map { max($0, end) }
    }
  }

  public func contains(_ time: Timestamp) -> Bool {
    // Find the last span that begins at the time or before it.
    var (low, high) = (0, spans.count)
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].from <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 && (spans[low - 1].to.map { time < $0 } ?? true)
  }
}

extension FleetView {
  /// Returns the ids of the vehicles that are on private journeys now.
  ///
  /// - Parameter drivers: the records of the caller as a driver, whose journeys are left out.
  public func vehiclesOnPrivateJourneys(except drivers: [UUIDv7]) throws(ThingError) -> Set<String> {
    let query = ThingQuery<Journey>(
      .oneOf(key: "status", Journey.Status.underway.map(\.json)),
      .oneOf(key: "purpose", [Journey.Purpose.personal.json]))
    var vehicles: Set<String> = []
    for values in try self.values(["vehicleId", "driverId"], query) {
      guard let vehicle = values[0].textValue, !drivers.contains(where: { $0.json == values[1] }) else { continue }
      vehicles.insert(vehicle)
    }
    return vehicles
  }
}
