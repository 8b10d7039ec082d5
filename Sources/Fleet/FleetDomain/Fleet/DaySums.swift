import Telemetry

/// The sums of the figures of days.
public struct DaySums: Equatable, Sendable {
  /// What the days of a sum have in common.
  public enum Grouping: Sendable {
    case vehicle, fleet
    /// The driver to whom the vehicle was assigned for the whole time of its records.
    case driver
    case day
    /// From Monday.
    case week
    case month
  }

  /// Only if days are grouped by it, as also ``fleet`` and ``driver``.
  public var vehicle: String?
  public var fleet: UUIDv7?
  public var driver: UUIDv7?
  /// The first day with records.
  public var date: CalendarDate
  public var vehicles = 0
  /// The number of days on which an engine ran or a vehicle moved.
  public var usedDays = 0
  /// ms.
  public var engineOn: Int64 = 0
  public var moving: Int64 = 0
  public var idle: Int64 = 0
  public var unknown: Int64 = 0
  /// km; `nil` if no day has a distance.
  public var distance: Double?
  /// L; `nil` if no day has fuel.
  public var fuelUsed: Double?
  /// km of the days whose fuel is known.
  public var fuelDistance = 0.0
  public var trips = 0
  /// The number of driving events for which the driver is responsible, on days of which it is known.
  public var driverEvents = 0
  /// km of the days of which ``driverEvents`` are known.
  public var driverDistance = 0.0

  public init(date: CalendarDate) { self.date = date }
}
