import OBDWire
import Testing

/// The dialogue with the adapter itself, and commands with their echoes.
struct LineMachineTests {
  @Test(arguments: ["ATZ", "ATWS", "ATI", "ATD", "AT Z", "atz"])
  func banner_answers_the_commands_that_ask_for_it(command: String) {
    #expect(ReplyRecorder.of("\r\rELM327 v1.5\r\r>", to: command).results == ["adapter identity ELM327 v1.5"])
  }

  @Test func answers_of_the_adapter_are_told_apart_by_their_questions() {
    #expect(ReplyRecorder.of("OK\r\r>", to: "ATE0").results == ["adapter other OK"])
    #expect(ReplyRecorder.of("A6\r\r>", to: "ATDPN").results == ["adapter protocolNumber A6"])
    #expect(
      ReplyRecorder.of("AUTO, ISO 15765-4 (CAN 11/500)\r\r>", to: "ATDP").results
        == ["adapter protocolName AUTO, ISO 15765-4 (CAN 11/500)"])
    #expect(
      ReplyRecorder.of("OBDII to RS232 Interpreter\r\r>", to: "AT@1").results == [
        "adapter description OBDII to RS232 Interpreter"
      ])
    #expect(ReplyRecorder.of("STN1110 v4.2.0\r\r>", to: "STI").results == ["adapter identity STN1110 v4.2.0"])
    #expect(ReplyRecorder.of("?\r\r>", to: "AT@3").results == ["error unknownCommand - at 0"])
  }

  @Test func echo_and_answer_in_one_line_are_told_apart() {
    #expect(ReplyRecorder.of("ATE0OK\r\r>", to: "ATE0").results == ["adapter other OK"])
    #expect(ReplyRecorder.of("AT@2?\r\r>", to: "AT@2").results == ["error unknownCommand - at 4"])
    #expect(ReplyRecorder.of("ATRV12.6V\r\r>", to: "ATRV").results == ["reading - 0000 batteryVoltage 12.6"])
  }

  @Test(arguments: [("12.6V", 12.6), ("14.1V", 14.1), ("0.0V", 0), ("11.45V", 11.45), ("12.6", 12.6), ("8.25 V", 8.25)])
  func voltage_is_read_with_and_without_its_unit(text: String, volts: Double) {
    let found = ReplyRecorder.of(text + "\r\r>", to: "ATRV")
    #expect(found.results == ["reading - 0000 batteryVoltage \(ReplyRecorder.number(volts))"])
  }

  @Test(arguments: ["12V", "1..2V", "V", "12.6.1V", "-1.2V"])
  func text_that_is_not_a_voltage_gives_no_voltage(text: String) {
    #expect(ReplyRecorder.of(text + "\r\r>", to: "ATRV").readings.isEmpty)
  }

  @Test func adapter_command_in_an_echo_is_one_without_spaces_and_in_lower_case_too() {
    for echo in ["AT RV", "atrv", "ATRV"] {
      #expect(ReplyRecorder.of(echo + "\r12.6V\r\r>").results == ["reading - 0000 batteryVoltage 12.6"])
    }
  }

  @Test func hexadecimal_answer_to_the_adapters_own_question_is_no_data() {
    #expect(ReplyRecorder.of("41 0C 1A F8\r\r>", to: "ATPPS").readings.isEmpty)
    #expect(ReplyRecorder.of("A6\r\r>", to: "ATDPN").messages.isEmpty)
  }

  @Test func each_byte_on_a_line_of_its_own_is_one_answer() {
    let found = ReplyRecorder.of("83\rF1\r1A\r41\r0D\r00\rDC\r\r>", to: "010D")
    #expect(found.results == ["reading 1A 010D speed 0"])
  }

  @Test func bytes_on_lines_of_their_own_do_not_shadow_the_line_behind_them() {
    let found = ReplyRecorder.of("41\r0D\r32\r7E8 04 41 0C 1A F8 \r" + String(repeating: "\r", count: 60) + ">")
    #expect(found.results == ["reading - 010D speed 50", "reading 7E8 010C rpm 1726"])
  }

  @Test func command_with_receiver_and_options_is_read_as_its_command() {
    let found = ReplyRecorder.of("7E804410C1AF8\r\r>", to: "7E0.7E8.010C|f=2009-")
    #expect(found.results == ["reading 7E8 010C rpm 1726"])
    let echoed = ReplyRecorder.of("> 7E0.7E8.010C\r7E804410C1AF8\r>DB33.010D\r18DAF11003410D32\r")
    #expect(echoed.readings == ["7E8 010C rpm 1726", "18DAF110 010D speed 50"])
  }

  @Test func answer_to_another_question_is_unexpected_and_gives_no_reading() {
    // The answers are to another PID or service, or reject another service.
    #expect(ReplyRecorder.of("7E8 03 41 0D 32\r\r>", to: "010C").results == ["error unexpected 7E8 at 10"])
    #expect(ReplyRecorder.of("7E8 04 62 01 23 5F\r\r>", to: "010C").results == ["error unexpected 7E8 at 7"])
    #expect(ReplyRecorder.of("7E8 03 7F 22 31\r\r>", to: "010C").results == ["error unexpected 7E8 at 10"])
    #expect(ReplyRecorder.of("7E8 02 43 00\r\r>", to: "07").results == ["error unexpected 7E8 at 7"])
    #expect(ReplyRecorder.of("7E8 04 62 F4 0C 1A\r\r>", to: "22F40D").results == ["error unexpected 7E8 at 10"])
    #expect(ReplyRecorder.of("7E8 03 61 02 00\r\r>", to: "2101").results == ["error unexpected 7E8 at 10"])
  }

  @Test func count_of_answers_behind_a_command_is_no_part_of_it() {
    #expect(ReplyRecorder.of("7E8 04 41 0C 1A F8\r\r>", to: "010C1").results == ["reading 7E8 010C rpm 1726"])
    #expect(ReplyRecorder.of("7E8 02 43 00\r\r>", to: "031").results == ["codes 7E8 03 stored"])
  }
}
