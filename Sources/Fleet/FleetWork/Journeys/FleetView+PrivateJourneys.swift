import FleetDomain
import Telemetry

/// A period in which a vehicle is on a private journey.
public struct PrivateTime: Equatable, Sendable {
  public let window: VehicleWindow
  /// The driver of the journey; `nil` if unknown.
  public let driver: UUIDv7?

  public init(window: VehicleWindow, driver: UUIDv7?) { (self.window, self.driver) = (window, driver) }
}

/// Queries for private journeys. The cost of a query depends only on the number of journeys that it returns, because
/// the databases have indexes for these queries: journeys that have ended are found by their end times. The states of
/// these journeys are not part of the query, so that no index of states is used.
enum PrivateJourneys {
  static let statuses = Set((Journey.Status.underway + [.completed]).map(\.json))

  /// Journeys that have begun and not ended.
  static var underway: ThingQuery<Journey> {
    ThingQuery(
      purpose, .oneOf(key: "endTime", [.null]), .oneOf(key: "status", Journey.Status.underway.map(\.json)))
  }

  /// Journeys with an end.
  ///
  /// - Parameter time: only journeys that ended at this time or later; `nil` for all.
  static func completed(since time: Timestamp?) -> ThingQuery<Journey> {
    ThingQuery(purpose, time.map { .atLeast(key: "endTime", $0.json) } ?? .isSet(key: "endTime"))
  }

  private static var purpose: ThingQuery<Journey>.Condition { .constant(key: "purpose", StaticText("private")) }
}

extension FleetView {
  /// Returns the ids of the vehicles that are on private journeys at `time`.
  ///
  /// - Parameter drivers: the caller's ids as a driver. Journeys of these drivers are left out.
  public func vehiclesOnPrivateJourneys(
    at time: Timestamp, except drivers: [UUIDv7]
  ) throws(ThingError) -> Set<String> {
    let times = try privateTimes(PrivateJourneys.underway)
    return Set(
      times.filter { found in
        found.window.contains(time) && !(found.driver.map { drivers.contains($0) } ?? false)
      }.map(\.window.vehicle))
  }

  /// Returns the periods of private journeys. Records of the vehicles in these periods are shown only to the driver of
  /// the journey.
  ///
  /// A journey that only its driver has declared is private only for the time for which the vehicle is assigned to the
  /// driver.
  ///
  /// - Parameters:
  ///   - vehicles: the ids of vehicles; `nil` for all.
  ///   - from: only journeys that end at this time or later; `nil` for no limit.
  ///   - to: only journeys that begin before this time; `nil` for no limit.
  public func privateTimes(
    of vehicles: Set<String>?, from: Timestamp? = nil, to: Timestamp? = nil
  ) throws(ThingError) -> [PrivateTime] {
    var (ended, underway) = (PrivateJourneys.completed(since: from), PrivateJourneys.underway)
    if let vehicles {
      if vehicles.isEmpty { return [] }
      // For more vehicles, it costs less to read the journeys of all vehicles and to filter them.
      if vehicles.count <= 200 {
        let condition = ThingQuery<Journey>.Condition.oneOf(
          key: "vehicleId", vehicles.sorted().map { .text($0) })
        ended.conditions.append(condition)
        underway.conditions.append(condition)
      }
    }
    if let to {
      ended.conditions.append(.below(key: "startTime", to.json))
      underway.conditions.append(.below(key: "startTime", to.json))
    }
    return try privateTimes(ended, underway).filter { vehicles?.contains($0.window.vehicle) ?? true }
  }

  /// Whether a vehicle was on a private journey at `time`. Its records of this time are hidden from other people.
  public func isPrivate(_ vehicle: String, at time: Timestamp) throws(ThingError) -> Bool {
    try isPrivate(vehicle, from: time, through: time)
  }

  /// Whether a vehicle was on a private journey at some time between two times.
  public func isPrivate(_ vehicle: String, from start: Timestamp, through end: Timestamp) throws(ThingError) -> Bool {
    let hidden = try hiddenTimes(of: [vehicle], from: start, to: end.adding(seconds: 1), except: [])
    return hidden.overlaps(from: start, through: end, of: vehicle)
  }

  private func privateTimes(_ queries: ThingQuery<Journey>...) throws(ThingError) -> [PrivateTime] {
    var times: [PrivateTime] = []
    var declared: [(driver: UUIDv7, window: VehicleWindow)] = []
    var rows: [[JSON]] = []
    for query in queries {
      rows += try values(["vehicleId", "startTime", "endTime", "driverId", "confirmed", "status"], query)
    }
    for values in rows {
      guard let vehicle = values[0].textValue, let start = try? Timestamp(json: values[1]),
        PrivateJourneys.statuses.contains(values[5])
      else { continue }
      let window = VehicleWindow(vehicle, from: start, to: try? Timestamp(json: values[2]))
      let driver = try? UUIDv7(json: values[3])
      if values[4] == .bool(true) {
        times.append(PrivateTime(window: window, driver: driver))
      } else if let driver {
        declared.append((driver, window))
      }
    }
    guard !declared.isEmpty else { return times }
    let assigned = try assignedTimes(of: Set(declared.map(\.driver)))
    for (driver, window) in declared {
      for other in assigned[driver]?[window.vehicle] ?? [] {
        if let part = window.intersection(other) { times.append(PrivateTime(window: part, driver: driver)) }
      }
    }
    return times
  }
}

extension VehicleWindow {
  /// Returns the period that both windows contain; `nil` if there is none. Both windows must be about the same vehicle.
  fileprivate func intersection(_ other: VehicleWindow) -> VehicleWindow? {
    let start = max(from, other.from)
    let end = [to, other.to].compactMap { $0 }.min()
    if let end, end <= start { return nil }
    return VehicleWindow(vehicle, from: start, to: end)
  }
}
