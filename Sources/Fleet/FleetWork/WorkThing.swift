import FleetDomain
import Telemetry

/// A thing of the fleet's work: it is about a vehicle, a driver, or both.
///
/// People may see it because of its vehicle's fleet, or because they are its driver.
public protocol WorkThing: Kind {
  /// The id of its vehicle; `nil` if it is about none.
  var vehicleID: String? { get }
  /// The id of its driver; `nil` if it is about none.
  var driverID: UUIDv7? { get set }
}

extension WorkThing {
  /// The keys of the fields.
  public static var vehicleKey: String { "vehicleId" }
  public static var driverKey: String { "driverId" }
}

extension FleetView {
  /// Returns the drivers who are a person: usually one.
  public func drivers(of person: UUIDv7) throws(ThingError) -> [Stored<Driver>] {
    try list(ThingQuery<Driver>(.oneOf(key: "personId", [person.json]), limit: 100)).items
  }

  /// Returns the vehicle of a reference.
  ///
  /// - Throws: `invalid` with the field `vehicleId` if there is none with this id.
  public func referenced(vehicle id: String) throws(ThingError) -> Stored<Vehicle> {
    guard let vehicle = try vehicle(named: id), vehicle.value.id == id else {
      throw .invalid(FieldErrors([FieldError("vehicleId", "no vehicle \(JSON.text(id).canonicalText)")]))
    }
    return vehicle
  }

  /// Returns the driver of a reference.
  ///
  /// - Throws: `invalid` with the field `driverId` if there is none with this id.
  public func referenced(driver id: UUIDv7) throws(ThingError) -> Stored<Driver> {
    guard let driver = try find(id, Driver.self) else {
      throw .invalid(FieldErrors([FieldError("driverId", "no such driver")]))
    }
    return driver
  }

  /// Checks that the vehicle and the driver of a thing exist.
  public func requireReferences<Value: WorkThing>(of value: Value) throws(ThingError) {
    if let id = value.vehicleID { _ = try referenced(vehicle: id) }
    if let id = value.driverID { _ = try referenced(driver: id) }
  }
}
