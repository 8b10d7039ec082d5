import FleetDomain
import Telemetry

/// The periods in which vehicles were on private journeys of other drivers. The requester must not learn what the
/// vehicles did in these periods.
///
/// Every route, export and message that shows something derived from records uses this type. Data of a hidden period
/// are left out, or only their day is shown.
public struct HiddenTimes: Equatable, Sendable {
  /// The hidden periods, in any order. They may overlap.
  public let windows: [VehicleWindow]
  private let ofVehicle: [String: [VehicleWindow]]

  public init(_ windows: [VehicleWindow]) {
    self.windows = windows
    ofVehicle = Dictionary(grouping: windows, by: \.vehicle)
  }

  /// Returns the hidden periods of a vehicle, in no order.
  public func windows(of vehicle: String) -> [VehicleWindow] { ofVehicle[vehicle] ?? [] }

  /// Returns the steps in which private journeys are read if the age of the records is not known. Each step is a time:
  /// only journeys that end at this time or later are read. The last step is `nil`: all journeys are read. Usually, the
  /// first step is sufficient.
  ///
  /// - Parameter time: the greatest time of the records.
  public static func steps(before time: Timestamp) -> [Timestamp?] {
    // Earlier times could not be subtracted from.
    guard time.nanoseconds >= 0 else { return [nil] }
    return [7, 112].map { time.adding(seconds: -$0 * 86_400) } + [nil]
  }

  public var isEmpty: Bool { windows.isEmpty }

  /// Whether a time of a vehicle is hidden. Both ends of a period count, because the end of a private trip is as
  /// private as the trip.
  public func contains(_ time: Timestamp, of vehicle: String) -> Bool {
    overlaps(from: time, through: time, of: vehicle)
  }

  /// Whether a part of the period from `start` to `end` is hidden for a vehicle.
  public func overlaps(from start: Timestamp, through end: Timestamp, of vehicle: String) -> Bool {
    windows(of: vehicle).contains { $0.overlaps(from: start, through: end) }
  }

  /// Whether a part of a vehicle's day is hidden.
  ///
  /// - Parameter zone: the time zone in which days begin.
  public func overlaps(_ day: CalendarDate, of vehicle: String, in zone: ZoneRules) -> Bool {
    overlaps(
      from: Timestamp(limiting: zone.start(of: day)),
      through: Timestamp(limiting: zone.start(of: day.next) - 1), of: vehicle)
  }

  /// Returns the days on which a part of a vehicle's time is hidden.
  ///
  /// - Parameter zone: the time zone in which days begin.
  public func days(
    of vehicle: String, within dates: ClosedRange<CalendarDate>, in zone: ZoneRules
  ) -> Set<CalendarDate> {
    var days: Set<CalendarDate> = []
    for window in windows(of: vehicle) {
      var day = max(zone.day(of: window.from), dates.lowerBound)
      let last = window.to.map { min(zone.day(of: $0), dates.upperBound) } ?? dates.upperBound
      while day <= last {
        days.insert(day)
        day = day.next
      }
    }
    return days
  }

  /// Returns a time as the requester may see it: the start of its day if the time is hidden.
  ///
  /// - Parameter zone: the time zone in which days begin.
  public func shown(_ time: Timestamp, of vehicle: String, in zone: ZoneRules) -> Timestamp {
    guard contains(time, of: vehicle) else { return time }
    return Timestamp(limiting: zone.start(of: zone.day(of: time)))
  }
}

extension FleetView {
  /// Returns the periods that are hidden from a requester, each for one vehicle.
  ///
  /// - Parameters:
  ///   - vehicles: the ids of vehicles; `nil` for all.
  ///   - from: only journeys that end at this time or later; `nil` for no limit.
  ///   - to: only journeys that begin before this time; `nil` for no limit.
  ///   - drivers: the requester's ids as a driver. Journeys of these drivers hide nothing.
  public func hiddenTimes(
    of vehicles: Set<String>?, from: Timestamp? = nil, to: Timestamp? = nil, except drivers: Set<UUIDv7>
  ) throws(ThingError) -> HiddenTimes {
    HiddenTimes(
      try privateTimes(of: vehicles, from: from, to: to).filter { time in
        !(time.driver.map(drivers.contains) ?? false)
      }.map(\.window))
  }

  /// Returns the private times of all vehicles on some days, in every time zone. Figures that do not depend on who reads
  /// them leave these times out.
  public func privateTimes(on dates: ClosedRange<CalendarDate>) throws(ThingError) -> HiddenTimes {
    func time(_ day: Int) -> Timestamp { Timestamp(limiting: Int64(day) * 86_400_000) }
    return try hiddenTimes(
      of: nil, from: time(dates.lowerBound.dayNumber - 1), to: time(dates.upperBound.dayNumber + 2), except: [])
  }
}
