import FleetDomain
import FleetFigures
import HTTPTypes
import Telemetry

/// `/api/vehicles/{id}/days`: the figures of a vehicle's days.
struct DayRoutes {
  let storage: any FleetStorage
  let updater: DayUpdater

  /// `shown`: the maximum number of days in an answer. `computed`: the maximum number of days whose figures one request
  /// computes.
  static let most = (shown: 400, computed: 40)

  var routes: [Route] {
    let (storage, updater) = (storage, updater)
    let operation = Operation(
      id: "listDays",
      summary:
        "What a vehicle did on each day with records. Days are those of the time zone of the vehicle's fleet, or of UTC.",
      parameters: [
        .query(
          "from", "The first day, for example 2026-05-04, or a time in it. Without it: 30 days before the last day.",
          Self.schema),
        .query("to", "The last day, or a time: the last day that begins before it. Without it: today.", Self.schema),
      ],
      results: [.init(.ok, "The days, the oldest first.", .json("DayList"))])
    return [
      Route(.get, "/api/vehicles/{vehicleId}/days", .may(.read, .records), operation, isFiltered: true) { call in
        let name = try call.name("vehicle")
        let selection = try await call.selection(storage)
        let vehicle = try await call.vehicle(named: name, in: selection, storage)
        let tenant = try call.tenant
        let zone = storage.zone(try await storage.staleDays(of: vehicle.value.id, tenant: tenant)?.zone)
        let dates = try Self.dates(call, in: zone)
        let state = try await updater.update(
          vehicle.value.id, tenant: tenant, within: dates, most: Self.most.computed)
        let caller = try call.caller
        let (days, hidden) = try await storage.view(tenant: tenant) { view throws(ThingError) in
          let days = try view.days(of: [vehicle.value.id], from: dates.lowerBound, through: dates.upperBound)
            .map(\.day)
          return (
            days,
            try caller.hiddenTimes(
              of: [vehicle.value.id], from: Timestamp(limiting: zone.start(of: dates.lowerBound)),
              to: Timestamp(limiting: zone.start(of: dates.upperBound.next)), view)
          )
        }
        let fleet = vehicle.value.fleetID
        let shown = days.filter { day in
          if selection.contains(vehicle.value.id, of: fleet, at: nil) { return true }
          // A person who may see only a part of a day must not receive the figures of the whole day.
          return selection.windows.contains {
            $0.vehicle == vehicle.value.id && $0.contains(day.firstTime) && $0.contains(day.lastTime)
          }
        }
        let today = zone.day(of: WallClock.now)
        let data = shown.map { day in
          guard hidden.overlaps(day.date, of: vehicle.value.id, in: zone) else { return day.json(in: zone) }
          return day.json(in: zone, withPrivateTimeAndEnd: day.date < today)
        }
        var answer: [String: JSON] = ["data": .array(data), "timeZone": .text(state.zone)]
        if !state.stale.isEmpty { answer["pending"] = .array(state.stale.map(\.json)) }
        return Answer(json: Array(JSON.object(answer).canonicalText.utf8))
      }
    ]
  }

  private static let schema = #"{"type":"string","examples":["2026-05-04","2026-05-04T00:00:00Z"]}"#

  /// Returns the days that the query parameters `from` and `to` select.
  private static func dates(_ call: Call, in zone: ZoneRules) throws(APIError) -> ClosedRange<CalendarDate> {
    let last = try call.date("to", in: zone, isEnd: true) ?? zone.day(of: WallClock.now)
    let first = try call.date("from", in: zone, isEnd: false) ?? CalendarDate(dayNumber: last.dayNumber - 30)
    guard first <= last, last.dayNumber - first.dayNumber < most.shown else {
      throw .badRequest("query: from, to: expected 1 to \(most.shown) days, found \(first.text) to \(last.text)")
    }
    return first...last
  }
}

extension Call {
  /// Returns the day in a query parameter; `nil` if the parameter is absent. If the parameter contains a time, returns
  /// the day that contains this time.
  ///
  /// - Parameter isEnd: whether the parameter is the end of a range. An end that is a time does not belong to the
  ///   range. Therefore, if this time is the start of a day, the previous day is returned.
  func date(_ name: String, in zone: ZoneRules, isEnd: Bool) throws(APIError) -> CalendarDate? {
    if let date = query[name].flatMap({ CalendarDate($0) }) { return date }
    guard let time = try time(name) else { return nil }
    return zone.day(of: isEnd ? time.adding(nanoseconds: -1) : time)
  }
}

extension VehicleDay {
  private func seconds(_ milliseconds: Int64) -> JSON { (Double(milliseconds) / 1_000).json }
  private func rounded(_ number: Double) -> JSON { ((number * 1_000).rounded() / 1_000).json }

  /// Returns the figures as a JSON object for clients from whom a part of the day is hidden. The figures contain this
  /// part, so only the distance is shown. Before the end of the day, it would show when the vehicle was driven.
  ///
  /// - Parameters:
  ///   - zone: the time zone of the day.
  ///   - hasEnded: whether the day has ended.
  func json(in zone: ZoneRules, withPrivateTimeAndEnd hasEnded: Bool) -> JSON {
    var members: [String: JSON] = ["date": date.json, "hasPrivateTime": .bool(true)]
    if hasEnded {
      members["distance"] = distance.map(rounded)
      if isEstimated(in: zone) { members["estimated"] = .bool(true) }
    }
    return .object(members)
  }

  /// Returns the figures as a JSON object for clients.
  ///
  /// - Parameter zone: the time zone of the day.
  func json(in zone: ZoneRules) -> JSON {
    var members: [String: JSON] = [
      "date": date.json, "unknownSeconds": seconds(unknown), "trips": .integer(Int64(trips)),
      "drivingEvents": .integer(Int64(drivingEvents)), "firstTime": firstTime.json, "lastTime": lastTime.json,
    ]
    if hasTimes {
      members["engineOnSeconds"] = seconds(engineOn)
      members["movingSeconds"] = seconds(moving)
      members["idleSeconds"] = seconds(idle)
    }
    members["distance"] = distance.map(rounded)
    members["fuelUsed"] = fuelUsed.map(rounded)
    if isEstimated(in: zone) { members["estimated"] = .bool(true) }
    return .object(members)
  }
}
