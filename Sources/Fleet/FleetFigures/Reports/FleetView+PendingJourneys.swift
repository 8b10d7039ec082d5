import FleetDomain
import FleetWork
import Telemetry

extension FleetView {
  /// Counts the journeys that began in a report's period and are not final: they have not ended, or need a review. A
  /// journey determines who drove, and which inspections are necessary.
  ///
  /// - Returns: 0 if the report does not depend on journeys.
  func pendingJourneys(of report: Report) throws(ThingError) -> Int64 {
    guard [.trips, .drivers, .compliance].contains(report.topic) else { return 0 }
    let zone = try zone(ofFleet: report.fleetID)
    func time(_ date: CalendarDate) -> JSON { Timestamp(limiting: zone.start(of: date)).json }
    var query = ThingQuery<Journey>(
      .atLeast(key: "startTime", time(report.from)), .below(key: "startTime", time(report.to.next)),
      .anyOf([
        [.oneOf(key: "status", [Journey.Status.inProgress, .paused].map(\.json))],
        [.oneOf(key: "needsReview", [.bool(true)])],
      ]))
    if let fleet = report.fleetID { query.conditions.append(.vehicleInFleets(key: "vehicleId", [fleet])) }
    return Int64(try values(["status"], query).count)
  }
}

extension Report.Pending {
  /// Creates the counts; `nil` if all of them are 0.
  init?(vehicles: Int64, days: Int64, journeys: Int64) {
    guard days > 0 || journeys > 0 else { return nil }
    self.init()
    (self.vehicles, self.days) = (vehicles, days)
    self.journeys = journeys > 0 ? journeys : nil
  }
}
