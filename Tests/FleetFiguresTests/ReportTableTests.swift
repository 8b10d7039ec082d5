import FleetDomain
import FleetFigures
import FleetWork
import Telemetry
import Testing

@Suite struct ReportTableTests {
  private static func day(
    _ text: String, distance: Double? = nil, on: Int64 = 0, idle: Int64 = 0, fuel: Double? = nil, trips: Int = 0,
    events: Int = 0
  ) -> VehicleDay {
    let time = Timestamp(nanoseconds: 0)
    var day = VehicleDay(date: CalendarDate(text)!, firstTime: time, lastTime: time)
    (day.distance, day.fuelUsed, day.trips, day.drivingEvents) = (distance, fuel, trips, events)
    (day.engineOn, day.idle, day.moving) = (on * 1_000, idle * 1_000, (on - idle) * 1_000)
    return day
  }

  private static func rows(
    _ topic: Report.Topic, by grouping: Report.Grouping, _ days: [(String, VehicleDay)]
  ) -> [[String: JSON]] {
    var table = ReportTable(topic, by: grouping)
    for (vehicle, day) in days { table.add(day, of: .init(vehicle: vehicle, fleet: nil, driver: nil)) }
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
      let rows = Self.rows(.trips, by: .week, [("V", Self.day(date))])
      #expect(rows.map { $0["group"] } == [.text(week)], "\(date)")
    }
  }

  @Test func figures_are_added_in_each_group() {
    let days = [
      ("A", Self.day("2026-05-30", distance: 100, on: 3_600, idle: 900, fuel: 7, trips: 2)),
      ("B", Self.day("2026-05-31", distance: 50, on: 1_800, trips: 1)),
      ("A", Self.day("2026-06-01", on: 0)),
    ]
    let months = Self.rows(.utilization, by: .month, days)
    #expect(months.map { $0["group"] } == [.text("2026-05"), .text("2026-06")])
    #expect(months[0]["vehicles"] == .integer(2) && months[0]["usedDays"] == .integer(2))
    #expect(months[0]["distance"]?.numberValue == 150 && months[0]["engineOnSeconds"]?.numberValue == 5_400)
    #expect(months[0]["idleShare"]?.numberValue == 0.167)
    // What is not known is absent.
    #expect(months[1]["distance"] == nil && months[1]["idleShare"] == nil)
    let vehicles = Self.rows(.trips, by: .vehicle, days)
    #expect(vehicles.map { $0["group"] } == [.text("A"), .text("B")])
    #expect(vehicles[0]["trips"] == .integer(2) && vehicles[0]["distancePerTrip"]?.numberValue == 50)
    // Only days with known fuel count for the consumption.
    let fuel = Self.rows(.fuel, by: .month, days)
    #expect(fuel[0]["litresPer100km"]?.numberValue == 7 && fuel[0]["distance"]?.numberValue == 150)
  }

  @Test func drivers_are_scored_only_over_enough_distance() {
    func row(_ distance: Double, events: Int, on: Int64, idle: Int64) -> [String: JSON] {
      Self.rows(
        .drivers, by: .vehicle, [("V", Self.day("2026-05-04", distance: distance, on: on, idle: idle, events: events))])[
          0]
    }
    // 100 − 4 × (6 × 100 / 200) − 20 × 0.25 = 83.
    #expect(row(200, events: 6, on: 3_600, idle: 900)["score"] == .integer(83))
    #expect(row(100, events: 0, on: 3_600, idle: 0)["score"] == .integer(100))
    #expect(row(100, events: 99, on: 3_600, idle: 0)["score"] == .integer(0))
    let short = row(99.9, events: 0, on: 3_600, idle: 0)
    #expect(short["score"] == nil && short["note"] == .text("not enough distance"))
  }

  @Test func csv_quotes_and_disarms_cells() {
    let rows: [JSON] = [
      .object(["group": .text("=A1,\"x\""), "distance": .number(1.5)]),
      .object(["group": .text("B"), "trips": .integer(-3), "total": .array([.integer(1)])]),
    ]
    #expect(
      String(decoding: ReportTable.csv(rows), as: UTF8.self)
        == "group,distance,total,trips\r\n\"'=A1,\"\"x\"\"\",1.5,,\r\nB,,[1],-3\r\n")
    #expect(String(decoding: ReportTable.csv([]), as: UTF8.self) == "group\r\n")
  }
}
