import FleetDomain
import Telemetry

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
