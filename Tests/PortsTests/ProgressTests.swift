import Ports
import Testing

@Suite struct ProgressTests {
  private static let interval: Int64 = 10_000_000_000

  @Test func a_thread_that_is_back_in_time_is_not_stuck() {
    let progress = Progress(interval: Self.interval)
    let before = BootClock.now
    let end = progress.report(until: .max)
    #expect(end >= before + Self.interval)
    #expect(!progress.isStuck(at: end))
    #expect(!progress.isStuck(at: end + Self.interval))
  }

  @Test func a_thread_that_does_not_come_back_is_stuck_one_interval_later() {
    let progress = Progress(interval: Self.interval)
    let end = progress.report(until: .max)
    #expect(progress.isStuck(at: end + Self.interval + 1))
    _ = progress.report(until: .max)
    #expect(!progress.isStuck(at: end + Self.interval))
  }

  @Test func a_monitored_thread_waits_at_most_until_its_next_work() {
    let progress = Progress(interval: Self.interval)
    let due = BootClock.now + 1_000_000
    #expect(progress.report(until: due) == due)
    #expect(progress.isStuck(at: due + Self.interval + 1))
  }

  @Test func a_long_operation_is_not_a_missed_deadline() {
    let progress = Progress(interval: Self.interval)
    let before = BootClock.now
    progress.reportOperation(taking: 60_000_000_000)
    #expect(!progress.isStuck(at: before + 60_000_000_000))
  }

  /// An idle loop also repeats, so that its monitor sees that it is not stuck.
  @Test func a_monitored_loop_reports_progress_without_events() async throws {
    let progress = Progress(interval: 20_000_000)
    let quiet = Progress(interval: 20_000_000)
    let wakeUp = try WakeUp()
    var end: Int64 = 0
    for _ in 0..<3 {
      end = progress.report(until: .max)
      #expect(!wakeUp.wait(until: end))
    }
    #expect(!progress.isStuck(at: end))
    #expect(quiet.isStuck(at: end))
  }

  @Test func a_thread_whose_work_is_due_now_is_not_late() {
    let progress = Progress(interval: 5_000_000_000)
    #expect(progress.report(until: .min) == .min)
    #expect(!progress.isStuck(at: BootClock.now))
  }

  @Test func a_past_wait_ends_at_once() throws {
    let wakeUp = try WakeUp()
    let start = ContinuousClock.now
    for _ in 0..<1_000 { #expect(!wakeUp.wait(until: .min)) }
    // Each wait would have taken a second or more.
    #expect(ContinuousClock.now - start < .seconds(500))
  }
}
