import FleetDomain
import FleetFigures
import FleetWork
import Telemetry
import TestKit
import Testing

/// Inspections that journeys need, compared with a direct search.
@Suite struct MissingInspectionsTests {
  private static func time(_ minutes: Int) -> Timestamp { Timestamp(nanoseconds: Int64(minutes) * 60_000_000_000) }

  @Test(arguments: 1...20) func each_day_with_journeys_needs_a_report_of_the_first_start_and_one_of_the_last_end(
    seed: Int
  ) {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<50 {
      let reports = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        var report = Inspection()
        report.vehicle = "V\(Int.random(in: 1...2, using: &random))"
        report.occasion = [.preTrip, .postTrip, .annual][Int.random(in: 0...2, using: &random)]
        report.at = Self.time(Int.random(in: 0...(3 * 1_440), using: &random))
        return report
      }
      var inspections = MissingInspections()
      for report in reports.shuffled(using: &random) { inspections.add(report) }
      let journeys = (0..<20).map { _ in
        var journey = Journey()
        journey.vehicle = "V\(Int.random(in: 1...2, using: &random))"
        let start = Int.random(in: 0...(3 * 1_440), using: &random)
        let end = Bool.random(using: &random) ? start + Int.random(in: 0...900, using: &random) : nil
        (journey.startTime, journey.endTime) = (Self.time(start), end.map(Self.time))
        return journey
      }
      for journey in journeys { inspections.add(journey, in: ZoneRules.utc) }
      func minutes(_ time: Timestamp) -> Int { Int(time.milliseconds / 60_000) }
      var (required, missing) = (0, 0)
      // In UTC, a day has 1,440 minutes. The last journey ends on the fourth day.
      for (vehicle, day) in ["V1", "V2"].flatMap({ vehicle in (0...3).map { (vehicle, $0) } }) {
        func times(_ occasion: Inspection.Occasion) -> [Int] {
          reports.filter { $0.vehicle == vehicle && $0.occasion == occasion }.map { minutes($0.at) }
            .filter { $0 / 1_440 == day }
        }
        let own = journeys.filter { $0.vehicle == vehicle }
        let starts = own.compactMap(\.startTime).map(minutes).filter { $0 / 1_440 == day }
        let ends = own.compactMap(\.endTime).map(minutes).filter { $0 / 1_440 == day }
        if !starts.isEmpty {
          required += 1
          if !starts.allSatisfy({ start in times(.preTrip).contains { $0 <= start } }) { missing += 1 }
        }
        if !ends.isEmpty {
          required += 1
          if !ends.allSatisfy({ end in times(.postTrip).contains { $0 >= end } }) { missing += 1 }
        }
      }
      let found = inspections.requirements
      #expect(found.count == required && found.count(where: \.isMissing) == missing)
    }
  }
}
