import Testing

@testable import FleetBroker

/// Refused messages in the log, with a clock that the test sets.
@Suite struct RefusalLogTests {
  private static let second: Int64 = 1_000_000_000

  private let lines = LogLines()

  private func log() -> RefusalLog { RefusalLog(lines.logger, keptIn: "it is gone") }
  private func outcome(_ reason: String) -> MessageStore.Outcome {
    MessageStore.Outcome(refused: 1, records: 2, reason: reason)
  }

  @Test func the_first_refused_message_is_logged_at_once() {
    var log = log()
    log.report("fleet/VAN-001/trip", outcome("a"), at: 5)
    #expect(lines.all == [#"warning "fleet/VAN-001/trip": 1 of 2 records refused: a; it is gone"#])
    #expect(log.deadline == .max)
  }

  @Test func messages_within_a_second_are_logged_at_its_end_without_a_further_refusal() {
    var log = log()
    for reason in ["a", "b", "c", "d"] { log.report("t", outcome(reason), at: 5) }
    #expect(lines.all.count == 1)
    #expect(log.deadline == Self.second + 5)
    log.logPending(at: Self.second + 4)
    #expect(lines.all.count == 1)
    log.logPending(at: Self.second + 5)
    #expect(
      lines.all.dropFirst()
        == [#"warning "t": 1 of 2 records refused: d; it is gone; 2 more messages were refused just before it"#])
    #expect(log.deadline == .max)
    // After that line, too, no other is written for a second.
    log.report("t", outcome("e"), at: Self.second + 6)
    #expect(lines.all.count == 2 && log.deadline == 2 * Self.second + 5)
  }

  @Test func one_other_message_is_counted_in_the_singular() {
    var log = log()
    for reason in ["a", "b", "c"] { log.report("t", outcome(reason), at: 0) }
    log.logPending(at: Self.second)
    #expect(lines.all.last?.hasSuffix("; 1 more message was refused just before it") == true)
  }

  @Test func what_waits_at_the_end_is_logged_once() {
    var log = log()
    log.report("t", outcome("a"), at: 0)
    log.report("t", outcome("b"), at: 1)
    log.logPending(at: nil)
    log.logPending(at: nil)
    #expect(lines.all.map { $0.contains("refused: b") } == [false, true])
  }
}
