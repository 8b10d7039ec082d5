import FleetDomain
import Telemetry

/// The times at which a vehicle was on private journeys, whose track is shown to nobody but their driver.
public struct PrivateTimes: Sendable {
  /// In the order of time, without overlaps. An end of `nil` is the end of time.
  private var spans: [(from: Timestamp, to: Timestamp?)] = []

  /// - Parameter windows: in any order; they may overlap.
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
    // The last span that begins before or at the time.
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
  /// - Parameter drivers: the drivers who are the caller; their own journeys are left out.
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
