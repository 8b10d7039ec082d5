import FleetDomain
import Telemetry

/// A stored mark: an event has reported that the vehicle is silent. The mark has the same ID as the vehicle. It is
/// removed when the vehicle sends a record again.
public struct SilentVehicle: Kind {
  public var vehicle = ""
  /// The time of the vehicle's last record before the event.
  public var since = Timestamp(nanoseconds: 0)

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "silentVehicle", many: "silent-vehicles")
  public static let fields: [Field<SilentVehicle>] = [
    Field("vehicleId", \.vehicle).settable(by: .server), Field("since", \.since).settable(by: .server),
  ]
}
