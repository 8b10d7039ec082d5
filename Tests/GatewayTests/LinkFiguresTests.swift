import OBDWire
import Testing

@testable import GatewayLinks
@testable import GatewayStatus

@Suite struct LinkFiguresTests {
  private static func send(_ counts: inout LinkFigures.Counts) { counts.sent(Array("010C\r".utf8).span, at: 0) }

  @Test func outcomes_sum_up_to_the_replies_however_many_lines_of_one_fail() {
    var counts = LinkFigures.Counts()
    for _ in 0..<5 {
      Self.send(&counts)
      counts.replied()
    }
    Self.send(&counts)
    for kind in [WireError.Kind.canError, .malformed, .malformed] { counts.failed(kind) }
    counts.replied()
    Self.send(&counts)
    counts.failed(.noData)
    counts.replied()
    let outcomes = Dictionary(uniqueKeysWithValues: counts.repliesByOutcome)
    #expect(outcomes == ["ok": 5, "canError": 1, "noData": 1])
    #expect(outcomes.values.reduce(0, +) == counts.replies)
    #expect(counts.failures[Int(WireError.Kind.malformed.rawValue)] == 2)
  }

  @Test func a_failure_without_a_prompt_is_not_counted_for_the_next_command() {
    var counts = LinkFigures.Counts()
    Self.send(&counts)
    counts.failed(.truncated)
    Self.send(&counts)
    counts.replied()
    #expect(Dictionary(uniqueKeysWithValues: counts.repliesByOutcome) == ["ok": 1])
  }
}
