import Testing

@testable import Simulator
@testable import SimulatorTestKit

/// The output on the buses before CAN. The expected lines of codes are from a public dialogue with an independent bench
/// simulator. Their check bytes prove the sum and the CRC.
@Suite struct LegacyDialogueTests {
  /// Returns a car with six codes in one ECU and one code in another one.
  private static func twoECUs(_ bus: String) -> String {
    func codes(_ texts: [String]) -> String {
      texts.map { #"{"code": "\#($0)", "at": 0}"# }.joined(separator: ", ")
    }
    let first = codes(["P0100", "P0200", "P0300", "C0300", "B0200", "U0100"])
    let values = #""pids": ["01"], "values": {"0C": "1AF8"}"#
    return Cars.idling(
      bus,
      ecus: """
        {"address": "10", \(values), "troubleCodes": [\(first)], "calibrations": [{"id": "ABCDEFGH12345678", \
        "cvn": "01020304"}]},
        {"address": "18", "vin": false, "name": "TCM", \(values), "troubleCodes": [\(codes(["P0101"]))]}
        """)
  }

  @Test func kwp_has_its_length_in_front_and_a_sum_behind() throws {
    var host = try SimulatedDialogue(Self.twoECUs("kwpFast"))
    host.prepare("ATE0", "ATH1", "ATSP0", "0100")
    #expect(
      host.request("03")
        == "87 F1 10 43 01 00 02 00 03 00 D1 \r87 F1 10 43 43 00 82 00 C1 00 51 \r"
        + "87 F1 18 43 01 01 00 00 00 00 D5 \r\r>")
  }

  @Test func iso9141_has_a_sum() throws {
    var host = try SimulatedDialogue(Self.twoECUs("iso9141"))
    host.prepare("ATE0", "ATH1", "ATSP0", "0100")
    #expect(
      host.request("03")
        == "48 6B 10 43 01 00 02 00 03 00 0C \r48 6B 10 43 43 00 82 00 C1 00 8C \r"
        + "48 6B 18 43 01 01 00 00 00 00 10 \r\r>")
  }

  @Test func j1850_vpw_has_a_crc() throws {
    var host = try SimulatedDialogue(Self.twoECUs("j1850vpw"))
    host.prepare("ATE0", "ATH1", "ATSP0", "0100")
    #expect(
      host.request("03")
        == "48 6B 10 43 01 00 02 00 03 00 05 \r48 6B 10 43 43 00 82 00 C1 00 57 \r"
        + "48 6B 18 43 01 01 00 00 00 00 5E \r\r>")
  }

  @Test func j1850_pwm_has_its_own_header() throws {
    let ecus = """
      {"address": "10", "pids": [], "replies": {"0100": "4100B87B3010"}},
      {"address": "17", "pids": [], "replies": {"0100": "410080008003"}}
      """
    var host = try SimulatedDialogue(Cars.idling("j1850pwm", ecus: ecus))
    host.prepare("ATE0", "ATH1", "ATSP1")
    #expect(
      host.request("0100") == "41 6B 10 41 00 B8 7B 30 10 9E \r41 6B 17 41 00 80 00 80 03 C9 \r\r>")
  }

  @Test func without_headers_the_check_is_hidden_too() throws {
    var host = try SimulatedDialogue(Self.twoECUs("iso9141"))
    host.prepare("ATE0", "ATSP0", "0100")
    #expect(host.request("010C") == "41 0C 1A F8 \r41 0C 1A F8 \r\r>")
    host.prepare("ATS0")
    #expect(host.request("010C") == "410C1AF8\r410C1AF8\r\r>")
  }

  @Test func a_vin_comes_in_five_numbered_messages() throws {
    var host = try SimulatedDialogue(Self.twoECUs("kwpSlow"))
    host.prepare("ATE0", "ATSP0", "0100")
    #expect(
      host.request("0902")
        == "49 02 01 00 00 00 31 \r49 02 02 44 34 47 50 \r49 02 03 30 30 52 35 \r49 02 04 35 42 31 32 \r"
        + "49 02 05 33 34 35 36 \r\r>")
    #expect(host.request("0901") == "49 01 05 \r\r>")
    #expect(host.request("0904").split(separator: "\r").count == 5)
    #expect(host.request("0906") == "49 06 01 01 02 03 04 \r\r>")
  }

  @Test func no_codes_are_three_empty_ones() throws {
    var host = try SimulatedDialogue(Cars.idling("iso9141", ecus: Cars.engine("10")))
    host.prepare("ATE0", "ATSP0", "0100")
    #expect(host.request("03") == "43 00 00 00 00 00 00 \r\r>")
  }

  @Test func the_first_request_on_a_fixed_k_line_shows_its_init() throws {
    var slow = try SimulatedDialogue(Cars.idling("iso9141", ecus: Cars.engine("10")))
    slow.prepare("ATE0", "ATSP3")
    #expect(slow.request("010C") == "BUS INIT: ...OK\r41 0C 1A F8 \r\r>")
    #expect(slow.request("010C") == "41 0C 1A F8 \r\r>")
    var fast = try SimulatedDialogue(Cars.idling("kwpFast", ecus: Cars.engine("10")))
    fast.prepare("ATE0", "ATSP5")
    #expect(fast.request("010C") == "BUS INIT: OK\r41 0C 1A F8 \r\r>")
    fast.prepare("ATPC")
    #expect(fast.request("010C") == "BUS INIT: OK\r41 0C 1A F8 \r\r>")
  }

  @Test func a_k_line_without_wakeups_is_forgotten() throws {
    var host = try SimulatedDialogue(Cars.idling("kwpFast", ecus: Cars.engine("10")))
    host.prepare("ATE0", "ATSP5", "010C", "ATSW00")
    #expect(host.request("010C") == "41 0C 1A F8 \r\r>")
    host.wait(.seconds(6))
    #expect(host.request("010C") == "NO DATA\r\r>")
    #expect(host.request("010C") == "BUS INIT: OK\r41 0C 1A F8 \r\r>")
  }

  @Test func a_long_kwp_answer_has_its_length_behind_the_addresses() throws {
    let data = "6180" + String(repeating: "55", count: 70)
    let ecu = #"{"address": "10", "replies": {"2180": "\#(data)"}}"#
    var host = try SimulatedDialogue(Cars.idling("kwpFast", ecus: ecu))
    host.prepare("ATE0", "ATS0", "ATSP5", "010C")
    #expect(host.request("2180") == data + "\r\r>")
    host.prepare("ATH1")
    let sum = (0x80 + 0xF1 + 0x10 + 0x48 + 0x61 + 0x80 + 70 * 0x55) & 0xFF
    #expect(host.request("2180") == "80F11048" + data + String(sum, radix: 16, uppercase: true) + "\r\r>")
  }

  @Test func a_k_line_that_lost_its_power_is_initialised_again() throws {
    var host = try SimulatedDialogue(Cars.idling("kwpFast", ecus: Cars.engine("10")), faults: "ignitionOff@20s..30s")
    host.prepare("ATE0", "ATSP5", "010C")
    host.wait(.seconds(21) - host.now)
    #expect(host.request("010C") == "NO DATA\r\r>")
    #expect(host.request("010C") == "BUS INIT: ERROR\r\r>")
    host.wait(.seconds(31) - host.now)
    #expect(host.request("010C") == "BUS INIT: OK\r41 0C 1A F8 \r\r>")
  }

  @Test func a_request_to_an_address_is_answered_by_that_ecu_alone() throws {
    var host = try SimulatedDialogue(Self.twoECUs("kwpFast"))
    host.prepare("ATE0", "ATH1", "ATSP5", "010C", "ATSH8218F1")
    #expect(host.request("010C") == "84 F1 18 41 0C 1A F8 EC \r\r>")
    #expect(host.request("0199") == "83 F1 18 7F 01 12 1E \r\r>")
    var vpw = try SimulatedDialogue(Self.twoECUs("j1850vpw"))
    vpw.prepare("ATE0", "ATH1", "ATSP2", "ATSH6C10F1")
    #expect(vpw.request("010C").hasPrefix("4C F1 10 41 0C 1A F8 "))
  }

  @Test func two_parameters_at_once_are_no_request_here() throws {
    var host = try SimulatedDialogue(Self.twoECUs("kwpFast"))
    host.prepare("ATE0", "ATSP5", "010C")
    #expect(host.request("010C0D") == "NO DATA\r\r>")
  }

  @Test func monitor_tests_have_one_limit_a_message() throws {
    let tests = #""tests": [{"mid": "03", "tid": "06", "uasid": "0A", "value": 90, "min": 10, "max": 40000}]"#
    var host = try SimulatedDialogue(Cars.idling("kwpFast", ecus: Cars.engine("10", more: tests)))
    host.prepare("ATE0", "ATSP5", "010C")
    #expect(host.request("0600") == "46 00 FF 04 00 00 00 \r\r>")
    #expect(host.request("0606") == "46 06 03 00 5A 9C 40 \r46 06 83 00 5A 00 0A \r\r>")
    #expect(host.request("050101") == "45 01 01 5A \r\r>")
  }

  /// The CRC of J1850 over a whole frame with its check byte leaves C4.
  @Test func the_crc_of_a_whole_frame_leaves_its_residue() {
    let frame = LegacyFrame.answer([0x41, 0x0C, 0x1A, 0xF8], from: 0x10, on: .j1850vpw, isPhysical: false)
    var remainder = 0xFF
    for byte in frame {
      for bit in stride(from: 7, through: 0, by: -1) {
        let isSet = (remainder >> 7 ^ Int(byte) >> bit) & 1 == 1
        remainder = remainder << 1 & 0xFF ^ (isSet ? 0x1D : 0)
      }
    }
    #expect(remainder == 0xC4)
  }
}
