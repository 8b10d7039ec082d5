import Testing

@testable import GatewayOutput

@Suite struct RateLimitedCountTests {
  private let second: Int64 = 1_000_000_000

  @Test func a_disk_that_is_too_slow_for_an_hour_is_an_hours_lines_and_no_record_is_left_out() {
    var count = RateLimitedCount()
    var said: [UInt64] = []
    // There are ten events a second.
    for step in 0..<36_000 {
      let now = Int64(step) * second / 10
      if count.add(3, at: now) { said.append(3) }
      if let (sum, _) = count.popDue(at: now) { said.append(sum) }
    }
    if let (sum, _) = count.popDue(at: .max) { said.append(sum) }
    #expect(said.count <= 61)
    #expect(said.first == 3)
    #expect(said.reduce(0, +) == 108_000)
  }

  @Test func only_pending_counts_wake_the_logger_within_a_minute() {
    var count = RateLimitedCount()
    #expect(count.due == .max)
    let first = count.add(at: 5 * second)
    #expect(first && count.due == .max)
    let second = count.add(2, at: 6 * self.second)
    #expect(!second && count.due == 65 * self.second)
    let early = count.popDue(at: 64 * self.second)
    #expect(early == nil)
    let sum = count.popDue(at: 65 * self.second)
    #expect(sum?.count == 2 && count.due == .max)
  }

  @Test func after_a_quiet_minute_the_next_event_is_logged_at_once() {
    var count = RateLimitedCount()
    _ = count.add(at: 0)
    let next = count.add(at: 60 * second)
    #expect(next)
  }
}
