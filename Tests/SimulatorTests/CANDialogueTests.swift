import Simulator
import Testing

@testable import SimulatorTestKit

/// The output on CAN, byte by byte. The dialogues follow recorded ones of real adapters.
@Suite struct CANDialogueTests {
  @Test func a_fresh_adapter_echoes_searches_and_prints_with_spaces() throws {
    var host = try SimulatedDialogue(Cars.can11)
    #expect(host.request("ATZ") == "ATZ\r\r\rELM327 v1.5\r\r>")
    #expect(host.request("ATE0") == "ATE0\rOK\r\r>")
    #expect(host.request("ATSP0") == "OK\r\r>")
    #expect(host.request("0100") == "SEARCHING...\r41 00 88 18 00 00 \r\r>")
    #expect(host.request("ATDPN") == "A6\r\r>")
    #expect(host.request("ATDP") == "AUTO, ISO 15765-4 (CAN 11/500)\r\r>")
    #expect(host.request("010C") == "41 0C 1A F8 \r\r>")
  }

  @Test func headers_spaces_and_the_length_code_follow_their_settings() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0", "ATSP6")
    #expect(host.request("ATH1") == "OK\r\r>")
    #expect(host.request("010C") == "7E8 04 41 0C 1A F8 \r\r>")
    host.prepare("ATD1")
    #expect(host.request("010C") == "7E8 8 04 41 0C 1A F8 \r\r>")
    host.prepare("ATS0")
    #expect(host.request("010C") == "7E8804410C1AF8\r\r>")
    host.prepare("ATD0")
    #expect(host.request("010C") == "7E804410C1AF8\r\r>")
    host.prepare("ATH0")
    #expect(host.request("010C") == "410C1AF8\r\r>")
    host.prepare("ATL1")
    #expect(host.request("010C") == "410C1AF8\r\n\r\n>")
  }

  @Test func without_formatting_frames_are_whole_and_the_host_writes_the_length() throws {
    var host = try SimulatedDialogue(Cars.idling("can11/500", ecus: Cars.engine("7E8"), more: #""padding": "AA","#))
    host.prepare("ATE0", "ATSP6", "ATH1", "ATCAF0")
    #expect(host.request("02010C") == "7E8 04 41 0C 1A F8 AA AA AA \r\r>")
    #expect(host.request("010C") == "NO DATA\r\r>")
  }

  @Test func a_vin_comes_in_three_frames() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0", "ATSP6", "ATH1")
    #expect(
      host.request("0902")
        == "7E8 10 14 49 02 01 31 44 34 \r7E8 21 47 50 30 30 52 35 35 \r7E8 22 42 31 32 33 34 35 36 \r\r>")
    host.prepare("ATH0")
    #expect(
      host.request("0902")
        == "014 \r0: 49 02 01 31 44 34 \r1: 47 50 30 30 52 35 35 \r2: 42 31 32 33 34 35 36 \r\r>")
    host.prepare("ATS0")
    #expect(host.request("0902") == "014\r0:490201314434\r1:47503030523535\r2:42313233343536\r\r>")
  }

  @Test func padding_behind_a_long_message_is_shown() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0", "ATSP6")
    #expect(
      host.request("0904")
        == "013 \r0: 49 04 01 33 37 38 \r1: 30 35 2D 52 42 42 2D \r2: 4A 35 33 30 00 00 00 \r\r>")
    #expect(host.request("0906") == "49 06 01 17 91 BC 82 \r\r>")
  }

  @Test func six_parameters_in_one_request_come_in_their_order() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0", "ATSP6", "ATH1")
    #expect(host.request("010D0C") == "7E8 06 41 0D 7B 0C 1A F8 \r\r>")
    #expect(host.request("010C0D0546") == "7E8 10 08 41 0C 1A F8 0D 7B \r7E8 21 05 7B 00 00 00 00 00 \r\r>")
    #expect(host.request("01000C") == "NO DATA\r\r>")
    #expect(host.request("0146") == "NO DATA\r\r>")
  }

  @Test func a_29_bit_bus_is_found_and_its_headers_have_four_bytes() throws {
    let car = Cars.idling("can29/500", ecus: Cars.engine("18DAF110"))
    var host = try SimulatedDialogue(car)
    host.prepare("ATE0", "ATSP0")
    #expect(host.request("010C") == "SEARCHING...\r41 0C 1A F8 \r\r>")
    #expect(host.request("ATDPN") == "A7\r\r>")
    host.prepare("ATH1")
    #expect(host.request("010C") == "18 DA F1 10 04 41 0C 1A F8 \r\r>")
    host.prepare("ATS0")
    #expect(
      host.request("0902")
        == "18DAF1101014490201314434\r18DAF1102147503030523535\r18DAF1102242313233343536\r\r>")
    host.prepare("ATCP18", "ATSHDA10F1")
    #expect(host.request("010C") == "18DAF11004410C1AF8\r\r>")
    host.prepare("ATSHDA11F1")
    #expect(host.request("010C") == "NO DATA\r\r>")
  }

  @Test func two_ecus_answer_one_request() throws {
    var host = try SimulatedDialogue(Cars.twoECUs)
    host.prepare("ATE0", "ATSP6", "ATH1")
    #expect(host.request("010D") == "7E8 03 41 0D 7B \r7E9 03 41 0D 7C \r\r>")
  }

  @Test func four_ecus_interleave_their_frames() throws {
    let ecus = ["7E8", "7E9", "7EA", "7EB"].map { Cars.engine($0) }.joined(separator: ", ")
    var host = try SimulatedDialogue(Cars.idling("can11/500", ecus: ecus, adapter: #"{"baud": 500000}"#))
    host.prepare("ATE0", "ATSP6", "ATH1", "ATS0")
    let lines = host.request("0904").split(separator: "\r").dropLast()
    #expect(
      lines.map { $0.prefix(5) } == [
        "7E810", "7E910", "7EA10", "7EB10", "7E821", "7E921", "7EA21", "7EB21", "7E822", "7E922", "7EA22", "7EB22",
      ])
  }

  @Test func one_ecu_is_asked_by_its_own_address() throws {
    var host = try SimulatedDialogue(Cars.twoECUs)
    host.prepare("ATE0", "ATSP6", "ATH1", "ATSH7E1")
    #expect(host.request("010D") == "7E9 03 41 0D 7C \r\r>")
    // If this PID is requested alone, the ECU reports that it does not support it.
    #expect(host.request("010C") == "7E9 03 7F 01 12 \r\r>")
    #expect(host.request("22F190") == "7E9 03 7F 22 31 \r\r>")
    #expect(host.request("3E00") == "7E9 03 7F 3E 11 \r\r>")
    host.prepare("ATSH7DF")
    #expect(host.request("010D") == "7E8 03 41 0D 7B \r7E9 03 41 0D 7C \r\r>")
  }

  @Test func a_receive_filter_hides_the_others() throws {
    var host = try SimulatedDialogue(Cars.twoECUs)
    host.prepare("ATE0", "ATSP6", "ATH1", "ATCRA7E9")
    #expect(host.request("010D") == "7E9 03 41 0D 7C \r\r>")
    host.prepare("ATCRA7EX")
    #expect(host.request("010D") == "7E8 03 41 0D 7B \r7E9 03 41 0D 7C \r\r>")
    host.prepare("ATCM7FF", "ATCF7E8")
    #expect(host.request("010D") == "7E8 03 41 0D 7B \r\r>")
    host.prepare("ATAR")
    #expect(host.request("010D") == "7E8 03 41 0D 7B \r7E9 03 41 0D 7C \r\r>")
  }

  @Test func without_flow_control_only_the_first_frame_arrives() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0", "ATSP6", "ATH1", "ATCFC0")
    #expect(host.request("0902") == "7E8 10 14 49 02 01 31 44 34 \r\r>")
    host.prepare("ATCFC1", "ATFCSH7E3", "ATFCSD300000", "ATFCSM1")
    #expect(host.request("0902") == "7E8 10 14 49 02 01 31 44 34 \r\r>")
    host.prepare("ATFCSH7E0")
    #expect(host.request("0902").contains("7E8 22 42 31 32 33 34 35 36 "))
    // The ECU sends one frame and then waits for another flow control.
    host.prepare("ATFCSD300100")
    #expect(host.request("0902") == "7E8 10 14 49 02 01 31 44 34 \r7E8 21 47 50 30 30 52 35 35 \r\r>")
  }

  @Test func flow_control_needs_its_data_before_its_mode() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0")
    #expect(host.request("ATFCSM1") == "?\r\r>")
    #expect(host.request("ATFCSD30000A") == "OK\r\r>")
    #expect(host.request("ATFCSM1") == "?\r\r>")
    #expect(host.request("ATFCSM2") == "OK\r\r>")
  }

  @Test func separation_time_slows_the_ecu_down() throws {
    var host = try SimulatedDialogue(
      Cars.idling("can11/500", ecus: Cars.engine("7E8"), adapter: #"{"baud": 500000}"#))
    host.prepare("ATE0", "ATSP6", "ATAT0", "ATFCSH7E0", "ATFCSD300000", "ATFCSM1", "0902")
    let fast = host.time("09023")
    host.prepare("ATFCSD300032")
    let slow = host.time("09023")
    #expect(slow - fast > .milliseconds(96) && slow - fast < .milliseconds(100))
  }

  @Test func extended_addresses_stand_in_front() throws {
    let ecu = """
      {"address": "612", "request": "6F1", "extended": "12", "replies": {"22402F": "62402F0142", "22F190": \
      "62F1903144344750303052353542313233343536"}}
      """
    var host = try SimulatedDialogue(Cars.idling("can11/500", ecus: ecu))
    host.prepare("ATE0", "ATSP6", "ATH1", "ATSH6F1", "ATCRA612")
    #expect(host.request("22402F") == "NO DATA\r\r>")
    host.prepare("ATCEA12", "ATFCSH6F1", "ATFCSD12300000", "ATFCSM1")
    #expect(host.request("22402F") == "612 F1 05 62 40 2F 01 42 \r\r>")
    #expect(
      host.request("22F190")
        == "612 F1 10 14 62 F1 90 31 44 \r612 F1 21 34 47 50 30 30 52 \r612 F1 22 35 35 42 31 32 33 \r"
        + "612 F1 23 34 35 36 00 00 00 \r\r>")
    host.prepare("ATH0")
    #expect(host.request("22402F") == "62 40 2F 01 42 \r\r>")
  }

  @Test func the_wrong_bus_is_silent() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0", "ATSP8")
    #expect(host.request("0100") == "NO DATA\r\r>")
    host.prepare("ATSP3")
    #expect(host.request("0100") == "BUS INIT: ...ERROR\r\r>")
    host.prepare("ATSPA6")
    #expect(host.request("0100") == "SEARCHING...\r41 00 88 18 00 00 \r\r>")
  }

  @Test func with_the_ignition_off_nothing_connects() throws {
    var host = try SimulatedDialogue(
      #"{"cars": [{"drive": {"phases": [{"phase": "off", "seconds": 60}, {"phase": "idle", "seconds": 9}]}}]}"#)
    host.prepare("ATE0", "ATSP0")
    #expect(host.request("0100") == "SEARCHING...\rUNABLE TO CONNECT\r\r>")
    #expect(host.request("ATRV") == "12.4V\r\r>")
    #expect(host.request("ATIGN") == "OFF\r\r>")
    host.wait(.seconds(60))
    #expect(host.request("0100").hasPrefix("SEARCHING...\r41 00 "))
    #expect(host.request("ATIGN") == "ON\r\r>")
  }

  @Test func a_truck_with_j1939_answers_no_request() throws {
    var host = try SimulatedDialogue(#"{"cars": [{"bus": "j1939", "battery": 24.8, "noise": 0}]}"#)
    host.prepare("ATE0", "ATSP0")
    #expect(host.request("0100") == "SEARCHING...\rUNABLE TO CONNECT\r\r>")
    host.prepare("ATSPA")
    #expect(host.request("0100") == "NO DATA\r\r>")
    #expect(host.request("ATDPN") == "A\r\r>")
    #expect(host.request("ATRV") == "28.2V\r\r>")
  }
}
