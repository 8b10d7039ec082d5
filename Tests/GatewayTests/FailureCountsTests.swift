import Testing

@testable import Gateway
@testable import GatewayRecords

@Suite struct FailureCountsTests {
  private let second: Int64 = 1_000_000_000

  @Test func the_first_failure_is_logged_at_once_and_others_once_a_minute() {
    var counts = FailureCounts()
    #expect(counts.count(.wire(.canError), at: 0) == .wire(.canError))
    #expect(counts.nextReport == .max)
    for moment in 1...30 { #expect(counts.count(.wire(.canError), at: Int64(moment) * second) == nil) }
    #expect(counts.nextReport == 60 * second)
    #expect(counts.due(at: 59 * second) == nil)
    let due = counts.due(at: 60 * second)
    #expect(due?.0 == .wire(.canError) && due?.1 == 30 && due?.2 == 60 * second)
    #expect(counts.due(at: 60 * second) == nil && counts.nextReport == .max)
  }

  @Test func after_a_quiet_minute_the_next_failure_is_logged_at_once() {
    var counts = FailureCounts()
    _ = counts.count(.promptLost, at: 0)
    #expect(counts.count(.promptLost, at: 61 * second) == .promptLost)
  }

  @Test func failures_are_counted_by_kind() {
    var counts = FailureCounts()
    #expect(counts.count(.wire(.stopped), at: 0) != nil)
    #expect(counts.count(.promptLost, at: 0) != nil)
    for _ in 0..<3 { _ = counts.count(.wire(.stopped), at: second) }
    for _ in 0..<2 { _ = counts.count(.promptLost, at: second) }
    var told: [String: UInt64] = [:]
    while let (kind, count, _) = counts.due(at: 61 * second) { told["\(kind)"] = count }
    #expect(told == ["stopped": 3, "promptLost": 2])
  }

  @Test func only_link_errors_are_counted() {
    var counts = FailureCounts()
    #expect(counts.count(.wire(.noData), at: 0) == nil)
    #expect(counts.count(.wire(.unknownCommand), at: 0) == nil)
    #expect(counts.nextReport == .max)
  }
}
