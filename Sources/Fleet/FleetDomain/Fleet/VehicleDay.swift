import Telemetry

/// The figures of a vehicle for one day.
public struct VehicleDay: Equatable, Sendable {
  public var date: CalendarDate
  /// Distance, km; `nil` if no record contains a distance.
  public var distance: Double?
  /// Time with a running engine, ms.
  public var engineOn: Int64 = 0
  /// Time in motion, ms.
  public var moving: Int64 = 0
  /// Time at rest with a running engine, ms.
  public var idle: Int64 = 0
  /// Time between the day's first and last record for which it is unknown whether the vehicle moved, idled or was
  /// parked, ms. If ``engineOn`` comes from counters, this is ``engineOn`` minus ``idle``, because it is unknown
  /// whether the machine moved in this time.
  public var unknown: Int64 = 0
  /// Fuel used, L; `nil` if unknown.
  public var fuelUsed: Double?
  /// Number of trips that began on this day.
  public var trips = 0
  /// Number of driving events on this day.
  public var drivingEvents = 0
  /// The number of driving events for which the driver is responsible; `nil` if unknown.
  public var driverEvents: Int?
  /// The time of the day's first record. If the day has no records, but a trip was in progress on it: the start of the
  /// trip or, if the trip began before the day, the beginning of the day. If figures are the increases of counters: the
  /// time of the reading on the day before with which the increases begin.
  public var firstTime: Timestamp
  /// The time of the day's last record. If the day has no records, but a trip was in progress on it: the end of the
  /// day.
  public var lastTime: Timestamp

  public init(date: CalendarDate, firstTime: Timestamp, lastTime: Timestamp) {
    self.date = date
    self.firstTime = firstTime
    self.lastTime = lastTime
  }

  /// Whether some figures are increases of counters: the last value on this day minus the last value on the day before.
  /// The time from a day's last value to midnight then counts for the next day, so these figures are estimates.
  ///
  /// - Parameter zone: the time zone of the day.
  public func isEstimated(in zone: ZoneRules) -> Bool { firstTime.milliseconds < zone.start(of: date) }

  /// Whether it is known when the engine ran and the vehicle moved. If not, ``engineOn``, ``moving`` and ``idle`` are
  /// 0, although the vehicle may have been used.
  public var hasTimes: Bool {
    engineOn > 0 || moving > 0 || (unknown == 0 && trips == 0 && (distance ?? 0) == 0)
  }
}

/// The days for which a vehicle's figures no longer agree with the vehicle's records.
public struct StaleDays: Equatable, Sendable {
  /// The id of the vehicle.
  public var vehicle: String
  /// A number that changes with every stored record of the vehicle.
  public var change: Int64
  /// The IANA name of the time zone of the vehicle's fleet or, without one, of the tenant; `nil` for UTC.
  public var zone: String?
  /// The name of the time zone for which the stored figures were computed; `nil` if none are stored, or for UTC.
  public var computedZone: String?
  /// The hours with records that were stored after the figures were computed. Each is a number of hours since 1970;
  /// ascending.
  public var hours: [Int64]
  /// The time before which retention has removed records; `nil` if it has removed none. Days before
  /// ``firstOpenDay(in:)`` keep their figures.
  public var sealedBefore: Timestamp?

  /// The figures of a day also depend on the records shortly before and after the day: up to this distance in time, ms.
  public static let margin: Int64 = 135_000
  /// Trips up to this duration are divided between the days on which they take place, ms.
  public static let longestTrip: Int64 = 31 * 86_400_000

  public init(vehicle: String, change: Int64, hours: [Int64]) {
    self.vehicle = vehicle
    self.change = change
    self.hours = hours
  }

  /// Returns the first day whose figures may be computed again, because none of the records for them was removed; `nil`
  /// if all days may be.
  public func firstOpenDay(in zone: ZoneRules) -> CalendarDate? {
    guard let sealedBefore else { return nil }
    var date = zone.day(of: sealedBefore)
    while zone.start(of: date) - Self.margin < sealedBefore.milliseconds { date = date.next }
    return date
  }
}

/// A tenant's vehicle, identified by its ID.
public struct VehicleName: Hashable, Sendable {
  public let tenant: TenantID
  /// The vehicle's id.
  public let vehicle: String

  public init(tenant: TenantID, vehicle: String) {
    self.tenant = tenant
    self.vehicle = vehicle
  }
}

/// Newly computed figures of some days of a vehicle.
public struct ComputedDays: Sendable {
  /// The stale days from which the figures were computed.
  public var stale: StaleDays
  /// The first and the last of ``StaleDays/hours`` whose records are included in the figures, as numbers of hours since
  /// 1970.
  public var hours: ClosedRange<Int64>
  /// The figures of each day; `nil` for a day without records.
  public var days: [(date: CalendarDate, figures: VehicleDay?)]

  public init(_ stale: StaleDays, hours: ClosedRange<Int64>, days: [(date: CalendarDate, figures: VehicleDay?)]) {
    self.stale = stale
    self.hours = hours
    self.days = days
  }
}

/// Hours in which a vehicle has records that the figures of its days do not include yet.
public struct StaleHours: Equatable, Sendable {
  public let vehicle: String
  /// The time zone of the vehicle's days; `nil` for UTC.
  public let zone: String?
  /// The first and the last hour with records that the figures do not include yet, as numbers of hours since 1970.
  public let hours: ClosedRange<Int64>

  public init(vehicle: String, zone: String?, hours: ClosedRange<Int64>) {
    (self.vehicle, self.zone, self.hours) = (vehicle, zone, hours)
  }
}
