import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// ``SimulatedAnswers`` finds the faults for which it exists.
@Suite struct SimulatedAnswersTests {
  /// Three poll cycles, then a reset of the adapter, and two more cycles. The engine speed increases in steps of 100.
  private static let log = """
    # obdgate-capture 1
    0.889096 > ATZ\\r
    0.944786 < \\r\\rELM327 v1.
    0.944786 < 5\\r\\r>
    1.014806 > 0100\\r
    1.153006 < SEARCHING...\\r7E8064100181A8000\\r\\r>
    \(turn(2.0, rpm: 1_000))
    2.100000 > 01050F2\\r
    2.110000 < 7E80541055A0F3C\\r\\r>
    \(turn(2.2, rpm: 1_100))
    \(turn(2.3, rpm: 1_200))
    3.000000 > ATZ\\r
    3.050000 < \\r\\rELM327 v1.5\\r\\r>
    \(turn(4.0, rpm: 2_000))
    \(turn(4.1, rpm: 2_100))
    """

  private static func turn(_ time: Double, rpm: Int) -> String {
    let digits = String(rpm * 4, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: 4 - digits.count) + digits
    return """
      \(time)00000 > 010C0D04112\\r
      \(time)10000 < 7E8100A410C\(padded)0D
      \(time)20000 < 32\\r7E82104B8117C000000\\r\\r>
      """
  }

  private static func record(_ seq: Int, _ more: String, type: String = "telemetry") throws -> KeptRecord {
    try KeptRecord(#"{"type":"\#(type)","id":"\#(seq)","epoch":"one","seq":\#(seq),\#(more)}"#)
  }

  private static func telemetry(_ seq: Int, rpm: Int, _ more: String = "") throws -> KeptRecord {
    try record(seq, #""rpm":\#(rpm),"speed":50,"engineLoad":72.156863\#(more)"#)
  }

  private static func gap() throws -> KeptRecord {
    try record(4, #""fromSeq":3,"toSeq":3,"reason":"powerLoss""#, type: "gap")
  }

  private func faults(_ records: [KeptRecord], _ cadence: SimulatedAnswers.Cadence = .cycle) throws -> [String] {
    try SimulatedAnswers(Self.log).faults(in: records, cadence)
  }

  @Test func records_that_say_what_the_car_answered_are_right() throws {
    let records = try [
      Self.telemetry(1, rpm: 1_000, #","coolantTemp":50,"intakeAirTemp":20"#),
      Self.telemetry(2, rpm: 1_100, #","coolantTemp":50"#), Self.gap(), Self.telemetry(5, rpm: 2_000),
      Self.telemetry(6, rpm: 2_100),
    ]
    #expect(try faults(records) == [])
    #expect(try faults(records.reversed()) == [])
  }

  @Test(arguments: [
    #""rpm":1050"#, #""rpm":1100,"speed":51"#, #""rpm":1100,"coolantTemp":49"#, #""rpm":1100,"throttlePosition":50"#,
    #""rpm":1000"#, #""rpm":1200"#,
  ]) func a_record_value_that_the_car_did_not_send_is_a_fault(_ second: String) throws {
    let records = try [
      Self.telemetry(1, rpm: 1_000), Self.record(2, second), Self.gap(), Self.telemetry(5, rpm: 2_000),
      Self.telemetry(6, rpm: 2_100),
    ]
    #expect(try faults(records).count == 1)
  }

  @Test func an_unreported_end_of_a_session_is_a_fault() throws {
    let behind = try [Self.telemetry(5, rpm: 2_000), Self.telemetry(6, rpm: 2_100)]
    #expect(try faults([Self.telemetry(1, rpm: 1_000)] + behind).count == 1)
    #expect(try faults([Self.telemetry(1, rpm: 1_000), Self.gap()] + behind) == [])
    // The daemon was stopped and did not read the last cycle.
    #expect(try faults([Self.telemetry(1, rpm: 1_000), Self.telemetry(2, rpm: 1_100)] + behind) == [])
    #expect(try faults([Self.telemetry(1, rpm: 1_000), Self.telemetry(2, rpm: 1_100)]).count == 1)
  }

  /// After ATZ and one round: the abandoned requests, with the identification request of the daemon, and two more
  /// rounds.
  private static func answers(givenUp lines: [String]) throws -> SimulatedAnswers {
    try SimulatedAnswers(
      (["0.889096 > ATZ\\r", turn(2.0, rpm: 1_000)] + lines
        + ["4.800000 < ELM327 v1.5\\r\\r>", turn(5.0, rpm: 1_200), turn(5.1, rpm: 1_300)]).joined(separator: "\n"))
  }

  private static let question = "4.790000 > ATI\\r"

  private static func lostPrompt() throws -> KeptRecord {
    try record(2, #""event":"error","reason":"promptLost","count":1"#, type: "adapter")
  }

  /// The abandoned request is before the new one, or is part of the answer to it.
  @Test(arguments: [1, 3]) func an_abandoned_cycle_may_be_missing_if_it_is_reported(_ place: Int) throws {
    var lines = Self.turn(2.2, rpm: 1_100).split(separator: "\n").map(String.init)
    lines.insert(Self.question, at: place)
    let answers = try Self.answers(givenUp: lines)
    let (first, told) = (try Self.telemetry(1, rpm: 1_000), try Self.lostPrompt())
    let (next, last) = (try Self.telemetry(4, rpm: 1_200), try Self.telemetry(5, rpm: 1_300))
    for cadence in [SimulatedAnswers.Cadence.cycle, .period] {
      #expect(try answers.faults(in: [first, told, next, last], cadence) == [])
      #expect(try answers.faults(in: [first, told, Self.telemetry(3, rpm: 1_100), next, last], cadence) == [])
      #expect(try answers.faults(in: [first, next, last], cadence).count == 1, "nothing says so")
    }
    #expect(try answers.faults(in: [first, told, last], .cycle).count == 1, "the next one is missing, too")
  }

  @Test(arguments: [(50, 0), (51, 0), (49, 1)])
  func after_an_abandoned_value_the_previous_one_remains(_ coolant: Int, _ faults: Int) throws {
    let answers = try Self.answers(givenUp: [
      "2.100000 > 01050F2\\r", "2.110000 < 7E80541055A0F3C\\r\\r>", "2.200000 > 01050F2\\r", Self.question,
      "4.795000 < 7E80541055B0F3C\\r\\r>",
    ])
    let next = try Self.telemetry(3, rpm: 1_200, #","coolantTemp":\#(coolant)"#)
    let records = try [Self.telemetry(1, rpm: 1_000), Self.lostPrompt(), next, Self.telemetry(4, rpm: 1_300)]
    #expect(try answers.faults(in: records, .cycle).count == faults)
  }

  @Test func with_a_period_a_record_may_repeat_or_skip_cycles() throws {
    let behind = try [Self.gap(), Self.telemetry(5, rpm: 2_000), Self.telemetry(6, rpm: 2_100)]
    let left = try [Self.telemetry(1, rpm: 1_000), Self.telemetry(2, rpm: 1_200)] + behind
    #expect(try faults(left, .period) == [])
    #expect(try faults(left).count == 1)
    let repeated = try [Self.telemetry(1, rpm: 1_000), Self.telemetry(2, rpm: 1_000)] + behind
    #expect(try faults(repeated, .period) == [])
    let back = try [Self.telemetry(1, rpm: 1_100), Self.telemetry(2, rpm: 1_000)] + behind
    #expect(try faults(back, .period).count == 1)
  }
}
