import FleetDomain
import Telemetry

/// A thing that belongs to one vehicle or to a whole fleet, and that has no driver.
public protocol VehicleThing: Kind {
  /// The id of the vehicle that the thing is about; `nil` if the thing is about a fleet.
  var vehicleID: String? { get }
  /// The fleet that the thing is about; `nil` if the thing is about one vehicle.
  var fleetID: UUIDv7? { get }
}

extension VehicleThing {
  public var fleetID: UUIDv7? { nil }

  /// The key of the field that contains the vehicle.
  public static var vehicleKey: String { "vehicleId" }
  /// The key of the field that contains the fleet. A kind that is never about a fleet has no such field.
  public static var fleetKey: String { "fleetId" }
}
