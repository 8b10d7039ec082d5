import Simulator
import Testing

@testable import SimulatorTestKit

/// Answers of the adapter itself.
@Suite struct AdapterCommandTests {
  @Test func the_simulated_adapter_identifies_itself() throws {
    var host = try SimulatedDialogue()
    host.prepare("ATE0")
    #expect(host.request("ATI") == "ELM327 v1.5\r\r>")
    #expect(host.request("AT@1") == "OBDII to RS232 Interpreter\r\r>")
    #expect(host.request("AT@2") == "?\r\r>")
    #expect(host.request("STI") == "?\r\r>")
    #expect(host.request("AT@3VAN001") == "OK\r\r>")
    #expect(host.request("AT@2") == "VAN001\r\r>")
  }

  @Test func an_stn_chip_knows_its_own_commands() throws {
    var host = try SimulatedDialogue(#"{"adapter": {"kind": "stn"}}"#)
    host.prepare("ATE0")
    #expect(host.request("ATI") == "ELM327 v1.4b\r\r>")
    #expect(host.request("STI") == "STN1110 v4.2.0\r\r>")
    #expect(host.request("STDI") == "OBDLink SX r2.0\r\r>")
    #expect(host.request("STXYZ") == "?\r\r>")
  }

  @Test func a_simulated_clone_has_fewer_commands_and_other_line_ends() throws {
    var host = try SimulatedDialogue(Cars.idling("can11/500", ecus: Cars.engine("7E8"), adapter: #"{"kind": "clone"}"#))
    #expect(host.request("ATZ") == "ATZ\r\r\rELM327 v2.1\r>")
    host.prepare("ATE0", "ATSP6")
    #expect(host.request("ATAT1") == "?\r>")
    #expect(host.request("ATCEA12") == "?\r>")
    #expect(host.request("010C1") == "?\r>")
    #expect(host.request("010C0D0405") == "?\r>")
    #expect(host.request("010C") == "41 0C 1A F8 \r>")
  }

  @Test func case_and_spaces_do_not_matter_and_an_empty_line_repeats() throws {
    var host = try SimulatedDialogue(Cars.can11)
    #expect(host.request("at e0") == "at e0\rOK\r\r>")
    host.prepare("atsp6")
    #expect(host.request("01 0c") == "41 0C 1A F8 \r\r>")
    #expect(host.request("") == "41 0C 1A F8 \r\r>")
    #expect(host.request("\u{0}0\u{0}10D") == "41 0D 7B \r\r>")
  }

  @Test(arguments: ["ATXYZ", "AT", "01G0", "1", "hello", "ATSPB", "ATSH12", "ATST123", "0123456789ABCDEF01", "ATBRD00"])
  func an_unknown_command_is_answered_with_a_question_mark(_ command: String) throws {
    var host = try SimulatedDialogue()
    host.prepare("ATE0")
    #expect(host.request(command) == "?\r\r>")
  }

  @Test(
    arguments: [
      "ATM0", "ATAL", "ATNL", "ATCAF1", "ATCFC1", "ATAT2", "ATST64", "ATSP6", "ATSPA6", "ATSP00", "ATTP3", "ATPC",
      "ATSHDB33F1",
      "ATCP18", "ATCRA7E8", "ATCRA", "ATCF7E8", "ATCM7F8", "ATCEA", "ATSW00", "ATIB10", "ATKW0", "ATBRT0F", "ATD",
    ])
  func known_commands_are_answered_with_ok(_ command: String) throws {
    var host = try SimulatedDialogue()
    host.prepare("ATE0")
    // ATD turns the echo on again, but only for later commands.
    #expect(host.request(command) == "OK\r\r>")
  }

  @Test func programmable_parameters_have_the_defaults_of_the_data_sheet() throws {
    var host = try SimulatedDialogue()
    host.prepare("ATE0")
    let list = host.request("ATPPS")
    #expect(list.split(separator: "\r").count == 13)
    #expect(list.hasPrefix("00:FF F 01:FF F 02:FF F 03:32 F\r"))
    #expect(list.contains("\r1C:03 F 1D:0F F 1E:4A F 1F:FF F\r"))
    var clone = try SimulatedDialogue(#"{"adapter": {"kind": "clone"}}"#)
    clone.prepare("ATE0")
    #expect(clone.request("ATPPS") == "?\r>")
  }

  @Test func a_reset_loses_every_setting() throws {
    for reset in ["ATZ", "ATWS", "ATD"] {
      var host = try SimulatedDialogue(Cars.can11)
      host.prepare("ATE0", "ATH1", "ATS0", "ATL1", "ATSP6", "010C", reset)
      #expect(host.request("ATDPN") == "ATDPN\rA0\r\r>", "\(reset)")
      #expect(host.request("010C") == "010C\rSEARCHING...\r41 0C 1A F8 \r\r>", "\(reset)")
    }
  }

  @Test func the_simulated_adapter_ignores_input_during_a_reset() throws {
    var host = try SimulatedDialogue()
    host.write("ATZ\r")
    host.wait(.milliseconds(400))
    host.write("ATI\r")
    #expect(host.wait(.seconds(2)) == "\r\rELM327 v1.5\r\r>")
    #expect(host.pieces.first?.bytes == Array("ATZ\r".utf8))
  }

  @Test func protocol_numbers_and_names() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0")
    #expect(host.request("ATDPN") == "A0\r\r>")
    #expect(host.request("ATDP") == "AUTO\r\r>")
    host.prepare("ATSP3")
    #expect(host.request("ATDPN") == "3\r\r>")
    #expect(host.request("ATDP") == "ISO 9141-2\r\r>")
    host.prepare("ATSPA8")
    #expect(host.request("ATDPN") == "A8\r\r>")
    host.prepare("0100")
    #expect(host.request("ATDPN") == "A6\r\r>")
  }

  @Test func voltage_follows_the_drive() throws {
    let drive =
      #""drive": {"phases": [{"phase": "ignition", "seconds": 10}, {"phase": "crank", "seconds": 10}, "#
      + #"{"phase": "idle", "seconds": 10}]}"#
    var host = try SimulatedDialogue(#"{"cars": [{"noise": 0, \#(drive)}]}"#)
    host.prepare("ATE0")
    #expect(host.request("ATRV") == "12.4V\r\r>")
    host.wait(.seconds(10))
    #expect(host.request("ATRV") == "9.8V\r\r>")
    host.wait(.seconds(10))
    #expect(host.request("ATRV") == "14.1V\r\r>")
  }

  @Test func an_unfinished_command_times_out() throws {
    var host = try SimulatedDialogue()
    host.write("ATE")
    #expect(host.wait(.seconds(19)) == "ATE")
    #expect(host.wait(.seconds(2)) == "?\r\r>")
  }

  @Test func low_power_ends_with_the_next_character() throws {
    var host = try SimulatedDialogue()
    host.prepare("ATE0")
    #expect(host.request("ATLP") == "OK\r\r>")
    host.wait(.seconds(1))
    host.write("A")
    #expect(host.wait(.seconds(1)) == "\r\rELM327 v1.5\r\r>")
  }

  @Test func a_baud_change_that_the_host_follows_stays() throws {
    var host = try SimulatedDialogue()
    host.prepare("ATE0")
    host.write("ATBRD23\r")
    #expect(host.wait(.milliseconds(70)) == "OK\r")
    #expect(host.wait(.milliseconds(30)) == "ELM327 v1.5\r")
    #expect(host.baud == 4_000_000 / 0x23)
    #expect(host.request("") == "OK\r\r>")
    host.wait(.seconds(1))
    #expect(host.baud == 4_000_000 / 0x23)
  }

  @Test func a_warm_start_keeps_the_speed_and_a_reset_takes_it_back() throws {
    var host = try SimulatedDialogue()
    host.prepare("ATE0")
    host.write("ATBRD23\r")
    host.wait(.milliseconds(100))
    #expect(host.request("") == "OK\r\r>")
    #expect(host.request("ATWS").hasSuffix("ELM327 v1.5\r\r>"))
    #expect(host.baud == 4_000_000 / 0x23)
    #expect(host.request("ATZ").hasSuffix("ELM327 v1.5\r\r>"))
    #expect(host.baud == 38_400)
  }

  @Test func a_baud_change_that_nobody_confirms_is_taken_back() throws {
    var host = try SimulatedDialogue(#"{"adapter": {"kind": "stn"}}"#)
    host.prepare("ATE0")
    host.write("STBR500000\r")
    host.wait(.milliseconds(30))
    #expect(host.baud == 500_000)
    #expect(host.wait(.milliseconds(300)).hasSuffix("\r>"))
    #expect(host.baud == 38_400)
    #expect(host.request("ATI") == "ELM327 v1.4b\r\r>")
  }

  @Test func at_the_wrong_baud_rate_nothing_is_readable() throws {
    var host = try SimulatedDialogue(#"{"adapter": {"strictBaud": true, "baud": 115200}}"#)
    host.adapter.hostBaud = 38_400
    #expect(host.request("ATZ", within: .seconds(3)).utf8.allSatisfy { $0 >= 0x80 })
    host.adapter.hostBaud = 115_200
    host.wait(.seconds(30))
    #expect(host.request("ATI").hasSuffix("ELM327 v1.5\r\r>"))
  }

  @Test func a_character_while_the_bus_is_busy_stops_it() throws {
    var host = try SimulatedDialogue(Cars.can11)
    host.prepare("ATE0", "ATSP6", "ATAT0")
    host.write("0146\r")
    #expect(host.wait(.milliseconds(50)) == "")
    // The character is lost, and so are all characters before the prompt.
    host.write("0")
    #expect(host.wait(.milliseconds(100)) == "STOPPED\r\r>")
    #expect(host.request("010C") == "41 0C 1A F8 \r\r>")
  }

  @Test func a_search_is_stopped_in_its_line() throws {
    var host = try SimulatedDialogue(#"{"cars": [{"bus": "iso9141"}]}"#)
    host.prepare("ATE0", "ATSP0")
    host.write("0100\r")
    #expect(host.wait(.milliseconds(300)) == "SEARCHING...")
    host.write("\r")
    #expect(host.wait(.milliseconds(100)) == "STOPPED\r\r>")
    #expect(host.request("ATDPN") == "A0\r\r>")
  }

  @Test func monitoring_lasts_until_a_character_comes() throws {
    var host = try SimulatedDialogue()
    host.prepare("ATE0")
    host.write("ATMA\r")
    #expect(host.wait(.seconds(60)) == "")
    host.write(" ")
    #expect(host.wait(.seconds(1)) == "STOPPED\r\r>")
  }

  @Test func characters_received_during_a_short_command_are_executed_after_it() throws {
    var host = try SimulatedDialogue(#"{"adapter": {"processing": 50}}"#)
    host.prepare("ATE0")
    host.write("ATI\rATRV\r")
    #expect(host.wait(.seconds(1)).hasPrefix("ELM327 v1.5\r\r>"))
    #expect(host.pieces.map(\.bytes).joined().count { $0 == UInt8(ascii: ">") } == 3)
  }
}
