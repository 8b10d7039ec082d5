import Simulator
import Testing

@testable import SimulatorTestKit

/// The times of bytes, in virtual time.
@Suite struct TimingTests {
  /// Whether two times in ms are equal within a tolerance.
  private func near(_ time: Duration, _ milliseconds: Double, within: Double = 0.02) -> Bool {
    abs(time / .milliseconds(1) - milliseconds) <= within
  }

  /// Without delays of bridge and adapter, only those of wire, bus and ECU remain.
  private static let bare = #"{"chunkTime": 0, "chunkSize": 1, "processing": 0}"#

  @Test func a_command_takes_the_time_of_its_bytes_both_ways() throws {
    var host = try SimulatedDialogue(#"{"adapter": \#(Self.bare)}"#)
    host.prepare("ATE0")
    // ATI and its CR, ELM327 v1.5, two CR, the prompt: 4 + 14 bytes of 10 bits.
    #expect(near(host.time("ATI"), 18 * 10 / 38.4))
  }

  @Test(arguments: [9600, 38400, 115_200, 500_000])
  func the_baud_rate_counts_for_every_byte(_ baud: Int) throws {
    var host = try SimulatedDialogue(
      #"{"adapter": {"baud": \#(baud), "chunkTime": 0, "chunkSize": 1, "processing": 0}}"#)
    host.prepare("ATE0")
    #expect(near(host.time("ATI"), 180_000 / Double(baud)))
  }

  @Test func an_ecu_answers_after_its_latency_and_the_adapter_then_waits() throws {
    var host = try SimulatedDialogue(Cars.idling("can11/500", ecus: Cars.engine("7E8"), adapter: Self.bare))
    host.prepare("ATE0", "ATSP6", "ATS0", "ATAT0", "ATST32", "010C")
    // 5 bytes, a frame and 10 ms; then 50 × 4.096 ms, in which the 9 bytes of the line are also sent; then CR and
    // prompt.
    let rest: Double = 7 * 10 / 38.4 + 0.24 + 10
    #expect(near(host.time("010C"), rest + 204.8))
    host.prepare("ATST10")
    #expect(near(host.time("010C"), rest + 65.536))
  }

  @Test func adaptive_timing_waits_less() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0", "ATSP6", "010C")
    let first = host.time("010C")
    #expect(first < .milliseconds(60))
    host.prepare("ATAT2", "010C")
    let second = host.time("010C")
    #expect(second < first - .milliseconds(5))
    // If there is no answer, it waits its whole time at the next request.
    host.prepare("0146")
    #expect(host.time("0146") > .milliseconds(200))
  }

  @Test func a_count_of_answers_ends_the_waiting_at_once() throws {
    var host = try SimulatedDialogue(Cars.idling("can11/500", ecus: Cars.engine("7E8"), adapter: Self.bare))
    host.prepare("ATE0", "ATSP6", "ATS0", "ATAT0", "010C")
    // 6 bytes, a frame, 10 ms, 11 bytes.
    let expected: Double = 17 * 10 / 38.4 + 0.24 + 10
    #expect(near(host.time("010C1"), expected))
  }

  @Test func latency_is_the_scenarios() throws {
    func host(_ more: String) throws -> SimulatedDialogue {
      try SimulatedDialogue(
        Cars.idling("can11/500", ecus: Cars.engine("7E8"), more: more, adapter: #"{"baud": 500000}"#))
    }
    var slow = try host(#""latency": 25, "frameGap": 4,"#)
    var fast = try host("")
    slow.prepare("ATE0", "ATSP6", "010C")
    fast.prepare("ATE0", "ATSP6", "010C")
    #expect(near(slow.time("010C1") - fast.time("010C1"), 15, within: 1.1))
    // Three frames, with 3 ms more between each two.
    #expect(near(slow.time("09023") - fast.time("09023"), 15 + 6, within: 1.1))
  }

  @Test func a_k_line_waits_between_answer_and_request() throws {
    var host = try SimulatedDialogue(Cars.idling("kwpFast", ecus: Cars.engine("10"), adapter: Self.bare))
    host.prepare("ATE0", "ATSP5", "010C")
    host.prepare("010C1")
    // The pause of parameter 1D passes while the answer is printed and the next command is sent.
    let request: Double = 6 * 0.962 + 5 * 5
    let answer: Double = 25 + 8 * 0.962 + 11 * 10 / 38.4
    let expected = 14.5 * 4.096 - 11 * 10 / 38.4 + request + answer
    #expect(near(host.time("010C1"), expected, within: 0.2))
  }

  @Test func a_clone_asks_at_once_and_an_ecu_that_is_asked_within_P3min_does_not_hear() throws {
    var host = try SimulatedDialogue(Cars.idling("kwpFast", ecus: Cars.engine("10"), adapter: #"{"kind": "clone"}"#))
    // The clone's wait for more ECUs, 25 × 4.096 ms, is longer than the pause.
    host.prepare("ATE0", "ATSP5", "ATST19")
    #expect(host.request("010C").contains("41 0C"))
    #expect(host.request("010C").contains("41 0C"))
    host.prepare("ATST08", "010C")
    #expect(host.request("010C") == "NO DATA\r>")
    host.wait(.milliseconds(60))
    #expect(host.request("010C").contains("41 0C"))
  }

  @Test func a_usb_bridge_sends_pieces() throws {
    let car = Cars.idling(
      "can11/500", ecus: Cars.engine("7E8"), adapter: #"{"baud": 115200, "chunkTime": 16, "chunkSize": 62}"#)
    var host = try SimulatedDialogue(car)
    host.prepare("ATE0", "ATSP6", "ATH1")
    let before = host.pieces.count
    _ = host.request("0902")
    let pieces = host.pieces[before...]
    // 90 bytes at 0.087 ms: the timer ends the first piece, because the frames are 1 ms apart.
    #expect(pieces.allSatisfy { $0.bytes.count <= 62 })
    #expect(pieces.count == 3)
    var bare = try SimulatedDialogue(
      #"{"adapter": {"baud": 2000000, "chunkTime": 16, "chunkSize": 4}}"#)
    _ = bare.request("ATI")
    #expect(bare.pieces.map(\.bytes.count) == [4, 4, 4, 4, 2])
  }

  @Test func a_link_that_is_too_slow_fills_the_buffer() throws {
    let ecu = Cars.engine("7E8", more: #""replies": {"22F1AA": "\#(String(repeating: "62", count: 1200))"}"#)
    var host = try SimulatedDialogue(Cars.idling("can11/500", ecus: ecu, adapter: #"{"baud": 9600}"#))
    host.prepare("ATE0", "ATSP6", "ATH1", "ATSH7E0")
    let reply = host.request("22F1AA")
    #expect(reply.hasSuffix("BUFFER FULL\r\r>"))
    // The line before it is truncated.
    #expect(reply.split(separator: "\r").dropLast(2).last?.utf8.count == 14)
    var fast = try SimulatedDialogue(Cars.idling("can11/500", ecus: ecu, adapter: #"{"baud": 500000}"#))
    fast.prepare("ATE0", "ATSP6", "ATH1", "ATSH7E0")
    #expect(fast.request("22F1AA").split(separator: "\r").count == 1 + 171 + 1)
  }

  @Test func the_same_calls_give_the_same_bytes_at_the_same_times() throws {
    func run() throws -> [String] {
      var host = try SimulatedDialogue("{}", faults: "nul=0.05,flip=0.02,truncate=0.1,promptLost=0.05")
      for _ in 0..<20 {
        for command in ["ATZ", "0100", "010C", "0902"] { _ = host.request(command, within: .seconds(2)) }
      }
      return host.pieces.map { "\($0.time) \($0.bytes)" }
    }
    #expect(try run() == run())
  }
}
