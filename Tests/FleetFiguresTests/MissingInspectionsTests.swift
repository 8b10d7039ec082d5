import FleetDomain
import FleetFigures
import FleetWork
import Telemetry
import TestKit
import Testing

/// Inspections that journeys need, compared with a direct search.
@Suite struct MissingInspectionsTests {
  private static func time(_ minutes: Int) -> Timestamp { Timestamp(nanoseconds: Int64(minutes) * 60_000_000_000) }

  @Test(arguments: 1...20) func each_journey_needs_a_report_of_its_start_and_of_its_end(seed: Int) {
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
      var (required, missing, slow) = (0, 0, (required: 0, missing: 0))
      for _ in 0..<20 {
        var journey = Journey()
        journey.vehicle = "V\(Int.random(in: 1...2, using: &random))"
        let start = Int.random(in: 0...(3 * 1_440), using: &random)
        let end = Bool.random(using: &random) ? start + Int.random(in: 0...900, using: &random) : nil
        (journey.startTime, journey.endTime) = (Self.time(start), end.map(Self.time))
        required += MissingInspections.required(of: journey)
        missing += inspections.missing(of: journey, in: ZoneRules.utc)
        // In UTC, a day has 1,440 minutes.
        func minutes(_ report: Inspection) -> Int { Int(report.at.milliseconds / 60_000) }
        let own = reports.filter { $0.vehicle == journey.vehicle }
        slow.required += end == nil ? 1 : 2
        if !own.contains(where: {
          $0.occasion == .preTrip && minutes($0) <= start && minutes($0) / 1_440 == start / 1_440
        }) {
          slow.missing += 1
        }
        if let end,
          !own.contains(where: {
            $0.occasion == .postTrip && minutes($0) >= end && minutes($0) / 1_440 == end / 1_440
          })
        {
          slow.missing += 1
        }
      }
      #expect(required == slow.required && missing == slow.missing)
    }
  }
}
