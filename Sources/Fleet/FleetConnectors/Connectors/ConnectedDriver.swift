import FleetDomain
import Telemetry

/// The link between a driver whom a connector reports and the driver of the fleet who is the same person. If several
/// connectors report the same driver, there is one link for each connector.
public struct ConnectedDriver: Kind {
  public var connectorID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  /// The driver's ID in the other program.
  public var sourceID = ""
  public var driver = UUIDv7(milliseconds: 0, first: 0, rest: 0)

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "connectedDriver", many: "connected-drivers")
  public static let fields: [Field<ConnectedDriver>] = [
    Field("connectorId", \.connectorID).settable(by: .server).filterable(as: "connector"),
    Field("sourceId", \.sourceID).settable(by: .server).filterable().sortable(),
    Field("driverId", \.driver).settable(by: .server).filterable(as: "driver").sortable(),
  ]
}

/// A period with one duty status of a driver (hours of service), as another program has logged it. Only the connector
/// changes it.
public struct DutyPeriod: Kind {
  public enum Status: String, FieldChoice, Sendable {
    case offDuty
    /// Rest in the sleeper berth of the vehicle.
    case sleeperBerth
    case driving
    /// On duty, but not driving.
    case onDuty
    /// Movement within a yard.
    case yardMove
    /// Private use of the vehicle while off duty.
    case personalConveyance
    /// Waiting at a well site.
    case waitingTime

    /// Whether this status counts as off duty.
    var isOff: Bool { [.offDuty, .sleeperBerth, .personalConveyance].contains(self) }
  }

  public var connectorID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var driver = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var status = Status.offDuty
  public var from = Timestamp(nanoseconds: 0)
  /// The end of the period; `nil` while it lasts.
  public var to: Timestamp?
  /// The vehicle that the driver used; `nil` if it is unknown.
  public var vehicle: String?

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "dutyPeriod", many: "duty-periods")
  public static let fields: [Field<DutyPeriod>] = [
    Field("connectorId", \.connectorID).settable(by: .server).filterable(as: "connector"),
    Field("driverId", \.driver).settable(by: .server).filterable(as: "driver"),
    Field("status", \.status).settable(by: .server).filterable(),
    Field("from", \.from).settable(by: .server).sortable(),
    Field("to", \.to).settable(by: .server).sortable(),
    Field("vehicleId", \.vehicle).settable(by: .server).filterable(as: "vehicle"),
  ]
}
