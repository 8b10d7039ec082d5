import FleetDomain
import FleetWork
import Telemetry

extension FleetView {
  /// Adds to a report of costs the distance that the odometer readings of its vehicles show in addition to telemetry.
  ///
  /// For each vehicle, odometer readings are read only if the odometer has counted more than the telemetry of the same
  /// days. A report by driver has only the distance of telemetry, because an odometer does not show who drove.
  ///
  /// - Parameters:
  ///   - fleets: the vehicles of the report, with the fleet of each.
  func addOdometerDistances(
    _ fleets: [String: UUIDv7?], within dates: ClosedRange<CalendarDate>, to table: inout ReportTable
  ) throws(ThingError) {
    guard !table.isByDriver else { return }
    for (vehicle, fleet) in fleets.sorted(by: { $0.key < $1.key }) {
      let zone = try zone(ofFleet: fleet)
      let start = Timestamp(nanoseconds: zone.start(of: dates.lowerBound.adding(days: -1)) * 1_000_000)
      let end = Timestamp(nanoseconds: zone.start(of: dates.upperBound.next) * 1_000_000 - 1_000_000)
      guard let first = try point(of: .odometer, vehicle: vehicle, since: start), first.at <= end,
        let last = try point(of: .odometer, vehicle: vehicle, until: end), last.at >= first.at,
        last.lifetime > first.lifetime
      else { continue }
      var telemetry: [CalendarDate: Double] = [:]
      for (_, day) in try days(of: [vehicle], from: dates.lowerBound, through: dates.upperBound) {
        telemetry[day.date] = day.distance
      }
      let read = zone.day(of: first.at)...zone.day(of: last.at)
      guard telemetry.filter({ read.contains($0.key) }).values.reduce(0, +) < last.lifetime - first.lifetime else {
        continue
      }
      let readings = try odometerReadings(of: vehicle, on: dates, in: zone)
      let subject = ReportTable.Subject(vehicle: vehicle, fleet: fleet, driver: nil)
      for period in table.periods(in: dates) {
        let inPeriod = telemetry.filter { period.contains($0.key) }
        let driven = DrivenDistance(on: period, telemetry: inPeriod, readings: readings)
        guard driven.days.odometer > 0, let kilometers = driven.kilometers else { continue }
        table.addOdometerDistance(
          kilometers - inPeriod.values.reduce(0, +), on: period.lowerBound, of: subject)
      }
    }
  }
}
