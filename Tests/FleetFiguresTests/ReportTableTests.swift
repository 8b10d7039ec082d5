import FleetDomain
import FleetFigures
import FleetWork
import Foundation
import Telemetry
import Testing

@Suite struct ReportTableTests {
  private static func zone(_ name: String) throws -> ZoneRules {
    let data = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))
    return try #require(ZoneRules(tzif: Array(data)))
  }

  private static func sums(_ date: String, _ vehicle: String = "V", _ set: (inout DaySums) -> Void = { _ in })
    -> DaySums
  {
    var sums = DaySums(date: CalendarDate(date)!)
    sums.vehicle = vehicle
    set(&sums)
    return sums
  }

  private static func rows(
    _ topic: Report.Topic, by grouping: Report.Grouping, _ all: [DaySums]
  ) -> [[String: JSON]] {
    var table = ReportTable(topic, by: grouping)
    for sums in all { table.add(sums) }
    return table.rows.map { row in if case .object(let members) = row { members } else { [:] } }
  }

  @Test func weeks_are_those_of_iso_8601() {
    // From the examples of the standard, and the last week of a long year.
    let weeks = [
      "2005-01-01": "2004-W53", "2005-01-02": "2004-W53", "2005-12-31": "2005-W52", "2007-01-01": "2007-W01",
      "2008-12-28": "2008-W52", "2008-12-29": "2009-W01", "2009-12-31": "2009-W53", "2010-01-03": "2009-W53",
      "2026-05-04": "2026-W19", "2026-05-03": "2026-W18",
    ]
    for (date, week) in weeks {
      let rows = Self.rows(.trips, by: .week, [Self.sums(date)])
      #expect(rows.map { $0["group"] } == [.text(week)], "\(date)")
    }
  }

  @Test func what_is_not_known_is_absent() {
    let rows = Self.rows(
      .utilization, by: .vehicle,
      [
        Self.sums("2026-05-30", "A") {
          ($0.distance, $0.engineOn, $0.idle, $0.usedDays, $0.vehicles) = (150, 5_400_000, 900_000, 2, 1)
        }, Self.sums("2026-06-01", "B"),
      ])
    #expect(rows.map { $0["group"] } == [.text("A"), .text("B")])
    #expect(rows[0]["distance"]?.numberValue == 150 && rows[0]["engineOnSeconds"]?.numberValue == 5_400)
    #expect(rows[0]["idleShare"]?.numberValue == 0.167 && rows[0]["usedDays"] == .integer(2))
    #expect(rows[1]["distance"] == nil && rows[1]["idleShare"] == nil)
  }

  @Test func only_days_with_known_fuel_count_for_the_consumption() {
    let rows = Self.rows(
      .fuel, by: .month,
      [Self.sums("2026-05-30") { ($0.distance, $0.fuelUsed, $0.fuelDistance) = (150, 7, 100) }])
    #expect(rows[0]["group"] == .text("2026-05"))
    #expect(rows[0]["litresPer100km"]?.numberValue == 7 && rows[0]["distance"]?.numberValue == 150)
  }

  @Test(arguments: [
    // 100 − 4 × (6 × 100 / 200) = 88.
    (6, 200.0, Int64?.some(88)), (0, 100, 100), (99, 100, 0), (0, 99.9, nil),
  ])
  func drivers_are_scored_only_over_enough_distance(_ events: Int, _ distance: Double, _ score: Int64?) {
    let row = Self.rows(
      .drivers, by: .vehicle,
      [
        Self.sums("2026-05-04") {
          ($0.distance, $0.driverDistance, $0.driverEvents) = (distance, distance, events)
          // Time at rest with a running engine is not the driver's doing.
          ($0.engineOn, $0.idle) = (3_600_000, 3_000_000)
        }
      ])[0]
    #expect(row["score"] == score.map { .integer($0) })
    #expect((row["note"] == .text("not enough distance")) == (score == nil))
  }

  @Test func days_without_known_events_do_not_count_for_the_score() {
    let row = Self.rows(
      .drivers, by: .vehicle, [Self.sums("2026-05-04") { ($0.distance, $0.driverDistance) = (500, 80) }])[0]
    #expect(row["score"] == nil && row["distance"]?.numberValue == 500)
  }

  @Test func time_in_the_workshop_belongs_to_its_days() throws {
    let vienna = try Self.zone("Europe/Vienna")
    let dates = CalendarDate("2026-03-28")!...CalendarDate("2026-03-30")!
    var table = ReportTable(.maintenance, by: .day)
    // From noon of the day before until the end of the day after; the clock goes forward on the 29th.
    let from = vienna.time(43_200, on: CalendarDate("2026-03-27")!).milliseconds
    let to = vienna.start(of: CalendarDate("2026-03-31")!)
    let subject = ReportTable.Subject(vehicle: "V", fleet: nil, driver: nil)
    table.addOutOfService(from: from, to: to, in: vienna, within: dates, of: subject)
    #expect(table.rows.map { $0["outOfServiceSeconds"]?.numberValue } == [86_400, 82_800, 86_400])
  }

  @Test func only_events_of_the_driver_count() throws {
    for (event, isOfDriver) in [
      ("harshBraking", true), ("harshAcceleration", true), ("overspeed", true), ("idling", false),
      ("lowVoltage", false), ("other", false),
    ] {
      #expect(DayEvent(time: 0, record: .object(["event": .text(event)])).isOfDriver == isOfDriver, "\(event)")
    }
    #expect(!DayEvent(time: 0, record: nil).isOfDriver)
  }
}
