import FleetDomain
import FleetWork
import Telemetry

extension FleetView {
  /// The maximum number of meter readings that are read for one distance.
  private static var mostReadings: Int { 200_000 }

  /// Returns the distance that a vehicle drove. Reads odometer readings only if the telemetry of at least one day is
  /// missing.
  ///
  /// - Parameters:
  ///   - telemetry: the distance of each day whose telemetry contains a distance, km.
  ///   - zone: the time zone in which the vehicle's days begin.
  public func drivenDistance(
    of vehicle: String, on dates: ClosedRange<CalendarDate>, telemetry: [CalendarDate: Double], in zone: ZoneRules
  ) throws(ThingError) -> DrivenDistance {
    guard telemetry.count <= dates.upperBound.dayNumber - dates.lowerBound.dayNumber else {
      return DrivenDistance(on: dates, telemetry: telemetry, readings: [:])
    }
    let readings = try odometerReadings(of: vehicle, on: dates, in: zone)
    return DrivenDistance(on: dates, telemetry: telemetry, readings: readings)
  }

  /// Returns the used odometer readings of a vehicle on a range of days and on the day before it.
  func odometerReadings(
    of vehicle: String, on dates: ClosedRange<CalendarDate>, in zone: ZoneRules
  ) throws(ThingError) -> [CalendarDate: DrivenDistance.Readings] {
    func time(_ date: CalendarDate) -> JSON { Timestamp(limiting: zone.start(of: date)).json }
    var query = ThingQuery<MeterReading>(
      .oneOf(key: "vehicleId", [.text(vehicle)]), .isSet(key: Meter.odometer.rawValue), .isSet(key: "lifetime"),
      .atLeast(key: "at", time(dates.lowerBound.adding(days: -1))), .below(key: "at", time(dates.upperBound.next)),
      order: [.init("at"), .init("lifetime")], limit: 1_000)
    var readings: [CalendarDate: DrivenDistance.Readings] = [:]
    var count = 0
    repeat {
      let page = try list(query)
      for reading in page.items.map(\.value) {
        guard let lifetime = reading.lifetime else { continue }
        readings[zone.day(of: reading.at), default: .init(first: lifetime, last: lifetime)].last = lifetime
      }
      query.cursor = page.next
      count += page.items.count
      guard count <= Self.mostReadings else {
        throw .rule(
          code: "tooManyEntries", message: "more than \(Self.mostReadings) meter readings; ask for fewer days")
      }
    } while query.cursor != nil
    return readings
  }
}
