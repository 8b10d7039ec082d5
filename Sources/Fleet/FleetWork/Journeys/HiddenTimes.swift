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

  public var isEmpty: Bool { windows.isEmpty }

  /// Whether a time of a vehicle is hidden. Both ends of a period count, because the end of a private trip is as
  /// private as the trip.
  public func contains(_ time: Timestamp, of vehicle: String) -> Bool {
    overlaps(from: time, through: time, of: vehicle)
  }

  /// Whether a part of the period from `start` to `end` is hidden for a vehicle.
  public func overlaps(from start: Timestamp, through end: Timestamp, of vehicle: String) -> Bool {
    ofVehicle[vehicle]?.contains { window in
      window.from <= end && window.to.map { start <= $0 } ?? true
    } ?? false
  }

  /// Returns a time as the requester may see it: the start of its day if the time is hidden.
  ///
  /// - Parameter zone: the time zone in which days begin.
  public func shown(_ time: Timestamp, of vehicle: String, in zone: ZoneRules) -> Timestamp {
    guard contains(time, of: vehicle) else { return time }
    return Timestamp(nanoseconds: zone.start(of: zone.day(of: time)) * 1_000_000)
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
}
