import Telemetry

/// The sums of the figures of several days.
///
/// Of a day on which a vehicle was on a private journey, only the distance is counted, and only after the day has ended.
/// The day counts for no driver.
public struct DaySums: Equatable, Sendable {
  /// The property by which days are grouped: all days of one sum have it in common.
  public enum Grouping: Sendable {
    case vehicle, fleet
    /// The driver to whom the vehicle was assigned from the day's first record to its last one.
    case driver
    case day
    /// The week, which begins on Monday.
    case week
    case month
  }

  /// The vehicle, if days are grouped by vehicle; otherwise `nil`.
  public var vehicle: String?
  /// The fleet, if days are grouped by fleet; otherwise `nil`.
  public var fleet: UUIDv7?
  public var driver: UUIDv7?
  /// The first day of this sum that has records.
  public var date: CalendarDate
  public var vehicles = 0
  /// The number of days with use, summed over all vehicles. On a day with use, the engine ran, the vehicle moved, a
  /// trip began or a distance was driven.
  public var usedDays = 0
  /// Time with a running engine, ms.
  public var engineOn: Int64 = 0
  /// Time in motion, ms.
  public var moving: Int64 = 0
  /// Time at rest with a running engine, ms.
  public var idle: Int64 = 0
  /// Time for which it is unknown whether the vehicle moved, idled or was parked, ms.
  public var unknown: Int64 = 0
  /// Distance, km; `nil` if no day has a distance.
  public var distance: Double?
  /// The part of ``distance`` that was driven on days with private journeys, km. No other sum includes these days.
  public var privateDistance = 0.0
  /// Fuel used, L; `nil` if it is known for no day.
  public var fuelUsed: Double?
  /// Distance of the days for which ``fuelUsed`` is known, km.
  public var fuelDistance = 0.0
  public var trips = 0
  /// Number of driving events for which the driver is responsible, on the days for which this number is known.
  public var driverEvents = 0
  /// Distance on the days that ``driverEvents`` includes, km.
  public var driverDistance = 0.0

  public init(date: CalendarDate) { self.date = date }

  /// Whether it is known when engines ran and vehicles moved. Otherwise ``engineOn``, ``moving`` and ``idle`` are 0
  /// although a vehicle may have been used.
  public var hasTimes: Bool {
    engineOn > 0 || moving > 0 || (unknown == 0 && trips == 0 && (distance ?? 0) == 0)
  }
}
