import FleetDomain
import Telemetry

/// A thing that is about a vehicle, a driver, or both, such as an assignment or an expense.
///
/// People may see it if their scope includes the vehicle's fleet, or if they are the driver themselves.
public protocol WorkThing: Kind {
  /// The id of the vehicle; `nil` if the thing is not about a vehicle.
  var vehicleID: String? { get }
  /// The id of the driver; `nil` if the thing is not about a driver.
  var driverID: UUIDv7? { get set }
  /// The time at which the thing happened, from the field `at`; `nil` if the thing has no such time. It must not be in
  /// the future.
  var statedTime: Timestamp? { get }
}

extension WorkThing {
  public var statedTime: Timestamp? { nil }

  /// The key under which the vehicle is stored in the thing.
  public static var vehicleKey: String { "vehicleId" }
  /// The key under which the driver is stored in the thing.
  public static var driverKey: String { "driverId" }
}

extension FleetView {
  /// Returns the drivers that are linked to a person's account: usually one.
  public func drivers(of person: UUIDv7) throws(ThingError) -> [Stored<Driver>] {
    try list(ThingQuery<Driver>(.oneOf(key: "personId", [person.json]), limit: 100)).items
  }

  /// Returns the vehicle to which a thing refers by the vehicle's ID.
  ///
  /// - Throws: `invalid` with the field `vehicleId` if no vehicle has this id.
  public func referenced(vehicle id: String) throws(ThingError) -> Stored<Vehicle> {
    guard let vehicle = try vehicle(named: id), vehicle.value.id == id else {
      throw .invalid(FieldErrors([FieldError("vehicleId", "no vehicle \(JSON.text(id).canonicalText)")]))
    }
    return vehicle
  }

  /// Returns the driver to whom a thing refers by the driver's ID.
  ///
  /// - Throws: `invalid` with the field `driverId` if no driver has this id.
  public func referenced(driver id: UUIDv7) throws(ThingError) -> Stored<Driver> {
    guard let driver = try find(id, Driver.self) else {
      throw .invalid(FieldErrors([FieldError("driverId", "no such driver")]))
    }
    return driver
  }
}
