import FleetDomain
import Telemetry

/// The body of the command that snoozes a schedule.
public struct ServiceSnooze: NestedValue {
  /// The first day on which the service is reported again; `nil` for the default, which is in seven days.
  public var until: CalendarDate?
  /// The vehicle whose service is snoozed, if the schedule belongs to a fleet; otherwise `nil`.
  public var vehicle: String?

  public init() {}

  public static let fields: [Field<ServiceSnooze>] = [
    Field("until", \.until), Field("vehicleId", \.vehicle).refers(to: .vehicle),
  ]
}
