import Telemetry

/// The sums of the figures of several days.
public struct DaySums: Equatable, Sendable {
  /// The property that all days of a sum have in common.
  public enum Grouping: Sendable {
    case vehicle, fleet
    /// The driver to whom the vehicle was assigned for the whole time of its records.
    case driver
    case day
    /// The week, which begins on Monday.
    case week
    case month
  }

  /// The vehicle, if days are grouped by vehicle; otherwise `nil`. The same applies to ``fleet`` and ``driver``.
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
  /// Distance, km; `nil` if no day has a distance.
  public var distance: Double?
  /// Fuel used, L; `nil` if it is known for no day.
  public var fuelUsed: Double?
  /// Distance of the days whose fuel is known, km.
  public var fuelDistance = 0.0
  public var trips = 0
  /// The number of driving events for which the driver is responsible. Days for which it is unknown are not counted.
  public var driverEvents = 0
  /// Distance of the days whose number of ``driverEvents`` is known, km.
  public var driverDistance = 0.0

  public init(date: CalendarDate) { self.date = date }
}
