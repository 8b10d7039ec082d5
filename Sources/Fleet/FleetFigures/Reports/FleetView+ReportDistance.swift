import FleetDomain
import FleetWork
import Telemetry

extension FleetView {
  /// Adds to a report of costs the distance that the odometer readings of its vehicles show in addition to telemetry.
  ///
  /// For each vehicle, odometer readings are read only if the odometer has counted more than the telemetry of the same
  /// days. A report by driver has only the distance of telemetry, because an odometer does not show who drove.
  ///
  /// The distance of a day with a private journey is added only after the day has ended.
  ///
  /// - Parameters:
  ///   - fleets: the vehicles of the report, with the fleet of each.
  func addOdometerDistances(
    _ fleets: [String: UUIDv7?], within all: ClosedRange<CalendarDate>, at now: Timestamp, to table: inout ReportTable
  ) throws(ThingError) {
    guard !table.isByDriver else { return }
    let (yesterday, tomorrow) = (now.adding(seconds: -86_400), now.adding(seconds: 86_400))
    let hidden = try privateTimes(on: zone(nil).day(of: yesterday)...zone(nil).day(of: tomorrow))
    for (vehicle, fleet) in fleets.sorted(by: { $0.key < $1.key }) {
      let zone = try zone(ofFleet: fleet)
      let today = zone.day(of: now)
      let isTodayHidden = hidden.overlaps(today, of: vehicle, in: zone)
      let end = isTodayHidden ? min(all.upperBound, today.adding(days: -1)) : all.upperBound
      guard all.lowerBound <= end else { continue }
      let dates = all.lowerBound...end
      let start = Timestamp(limiting: zone.start(of: dates.lowerBound.adding(days: -1)))
      let until = Timestamp(limiting: zone.start(of: dates.upperBound.next) - 1)
      guard let first = try point(of: .odometer, vehicle: vehicle, since: start), first.at <= until,
        let last = try point(of: .odometer, vehicle: vehicle, until: until), last.at >= first.at,
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
