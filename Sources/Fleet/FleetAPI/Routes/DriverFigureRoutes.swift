import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/drivers/{id}/figures`: the score, the journeys and the hours of one driver. Drivers may read their own.
struct DriverFigureRoutes {
  let storage: any FleetStorage
  /// The routes of drivers, which decide who may read a driver.
  let drivers: ThingRoutes<Driver>

  /// `shown`: the maximum number of days in the range. `usual`: the number of days without `from`.
  private static let days = (shown: 400, usual: 30)

  var routes: [Route] {
    let operation = Operation(
      id: "getDriverFigures",
      summary: "The score, distance, journeys and hours of a driver. Drivers may read their own figures.",
      parameters: [
        .query("from", "The first day, or a time in it.", Self.schema),
        .query("to", "The last day, or a time: the last day that begins before it.", Self.schema),
      ], results: [.init(.ok, "The figures.", .json("DriverFigures"))])
    return [
      Route(.get, "/api/drivers/{driverId}/figures", .may(.read, .journeys), operation, isFiltered: true) {
        [storage, drivers] call in
        let tenant = try call.tenant
        let (driver, zone) = try await storage.view(tenant: tenant) { view throws(ThingError) in
          let driver = try drivers.existing(call, view)
          return (driver, try view.zone(ofFleet: driver.value.fleetID))
        }
        let today = zone.day(of: WallClock.now)
        let last = try call.date("to", in: zone, isEnd: true) ?? today
        let first = try call.date("from", in: zone, isEnd: false) ?? last.adding(days: 1 - Self.days.usual)
        guard first <= last, last.dayNumber - first.dayNumber < Self.days.shown else {
          throw APIError.badRequest(
            "query: from, to: expected 1 to \(Self.days.shown) days, found \(first.text) to \(last.text)")
        }
        let figures = try await storage.view(tenant: tenant) { view throws(ThingError) in
          try view.figures(ofDriver: driver.id, on: first...last, in: zone, at: WallClock.now)
        }
        return Answer(json: figures.canonicalBytes)
      }
    ]
  }

  private static let schema = #"{"type":"string","examples":["2026-05-04","2026-05-04T00:00:00Z"]}"#
}
