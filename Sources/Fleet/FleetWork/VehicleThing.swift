import FleetDomain
import Telemetry

/// A thing about a vehicle, or about all vehicles of a fleet, that has no driver.
public protocol VehicleThing: Kind {
  /// The id of its vehicle; `nil` if it is about a fleet.
  var vehicleID: String? { get }
  /// The fleet that it is about; `nil` if it is about one vehicle.
  var fleetID: UUIDv7? { get }
}

extension VehicleThing {
  public var fleetID: UUIDv7? { nil }

  /// The keys of the fields for vehicle and fleet. A kind that is never about a fleet has no field `fleetId`.
  public static var vehicleKey: String { "vehicleId" }
  public static var fleetKey: String { "fleetId" }
}
