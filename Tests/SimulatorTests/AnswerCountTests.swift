import Simulator
import Testing

@testable import SimulatorTestKit

/// The digit after a request: the number of frames to wait for.
@Suite struct AnswerCountTests {
  @Test func the_answer_count_counts_frames_of_all_ecus() throws {
    var host = try SimulatedDialogue(Cars.twoECUs)
    host.prepare("ATE0", "ATSP6", "ATH1")
    #expect(host.request("010D2") == "7E8 03 41 0D 7B \r7E9 03 41 0D 7C \r\r>")
    #expect(host.request("09023") == host.request("0902"))
  }

  @Test func a_too_low_answer_count_truncates_a_long_message() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0", "ATSP6")
    #expect(host.request("09021") == "014 \r0: 49 02 01 31 44 34 \r\r>")
  }

  @Test func a_too_high_answer_count_only_waits() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0", "ATSP6", "ATAT0")
    #expect(host.request("010C5") == "41 0C 1A F8 \r\r>")
    #expect(host.time("010C5") > .milliseconds(200))
  }

  @Test func answers_beyond_the_count_arrive_with_the_next_answer() throws {
    let ecus = Cars.engine("7E8") + #", {"address": "7E9", "pids": [], "latency": 40, "values": {"0D": "7C"}}"#
    var host = try SimulatedDialogue(Cars.idling("can11/500", ecus: ecus))
    host.prepare("ATE0", "ATSP6", "ATH1")
    #expect(host.request("010D1") == "7E8 03 41 0D 7B \r\r>")
    #expect(host.request("010C1") == "7E8 04 41 0C 1A F8 \r\r>")
    #expect(host.request("010C") == "7E9 03 41 0D 7C \r7E8 04 41 0C 1A F8 \r\r>")
  }

  @Test func an_ecu_on_a_k_line_misses_requests_while_it_sends() throws {
    let ecus =
      #"{"address": "10", "pids": [], "values": {"0D": "7B", "0C": "1AF8"}}, "#
      + #"{"address": "18", "pids": [], "latency": 150, "values": {"0D": "7C", "0C": "1AF8"}}"#
    var host = try SimulatedDialogue(Cars.idling("kwpFast", ecus: ecus))
    host.prepare("ATE0", "ATSP5", "010D")
    #expect(host.request("010D1") == "41 0D 7B \r\r>")
    #expect(host.request("010C") == "41 0C 1A F8 \r41 0D 7C \r\r>")
    // A moment later, both ECUs answer.
    #expect(host.request("010C") == "41 0C 1A F8 \r41 0C 1A F8 \r\r>")
  }
}
