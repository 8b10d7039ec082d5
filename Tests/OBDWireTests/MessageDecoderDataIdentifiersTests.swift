import OBDWire
import Testing

/// Services 21 and 22: OBDonUDS, and signals that sets loaded at run time define.
struct MessageDecoderDataIdentifiersTests {
  private let signals = [
    SignalDefinition(service: 0x21, identifier: 0x01, bitOffset: 8, bitLength: 8, offset: -40),
    SignalDefinition(service: 0x22, identifier: 0x1956, bitOffset: 0, bitLength: 16, factor: 0.1),
    SignalDefinition(service: 0x22, identifier: 0x2000, bitOffset: 0, bitLength: 8, ecu: .can11(0x7E9)),
    SignalDefinition(service: 0x22, identifier: 0x2001, bitOffset: 0, bitLength: 8, nullAtOrAbove: 255),
    SignalDefinition(service: 0x22, identifier: 0x2002, bitOffset: 4, bitLength: 12, encoding: .signed),
  ]

  private func results(_ payload: String, _ command: String) -> [String] {
    ReplyRecorder.of(Frame.isoTP("7E8", payload).reply, to: command, loaded: signals).results
  }

  @Test func identifiers_F4xx_are_the_parameters_of_service_01() {
    #expect(results("62F40C1AF8", "22F40C") == ["reading 7E8 22F40C rpm 1726"])
    #expect(results("62F400BE3FA813", "22F400") == ["supported 7E8 22F400 BE3FA813"])
    #expect(
      results("62F40C1AF8F40D32", "22F40CF40D") == ["reading 7E8 22F40C rpm 1726", "reading 7E8 22F40D speed 50"])
    #expect(results("62F40C1A", "22F40C") == ["error truncated 7E8 at 19"])
  }

  @Test func identifiers_F8xx_are_the_types_of_service_09() {
    #expect(results("62F802" + vinDigits, "22F802") == ["text 7E8 22F802 vin 0 1FTFW1ET5DFC10120"])
    #expect(results("62F8061791BC82", "22F806") == ["text 7E8 22F806 calibrationVerificationNumber 0 1791BC82"])
    #expect(results("62F80055400000", "22F800") == ["supported 7E8 22F800 55400000"])
  }

  @Test func identifiers_F6xx_are_the_monitors_of_service_06() {
    #expect(
      results("62F601010A0BB00000FFFF", "22F601") == [
        "test 7E8 monitor 01 test 01 scaling 0A value 0.365024 limits 0 7.99527"
      ])
    #expect(results("62F600C0000001", "22F600") == ["supported 7E8 22F600 C0000001"])
    #expect(results("62F601010A0BB0", "22F601").first?.hasPrefix("error truncated") == true)
  }

  @Test func loaded_signals_are_read_by_their_bits() {
    #expect(results("6101007B", "2101") == ["reading 7E8 2101 loaded0 83"])
    #expect(results("62195603F7", "221956") == ["reading 7E8 221956 loaded1 101.5"])
    #expect(results("622002FFFE", "222002") == ["reading 7E8 222002 loaded4 -2"])
  }

  @Test func signal_of_another_receiver_or_without_a_value_is_absent() {
    #expect(results("62200012", "222000").isEmpty)
    #expect(
      ReplyRecorder.of("7E9 04 62 20 00 12\r\r>", to: "222000", loaded: signals).readings == ["7E9 222000 loaded2 18"])
    #expect(results("622001FF", "222001").isEmpty)
    #expect(results("622001FE", "222001") == ["reading 7E8 222001 loaded3 254"])
  }

  @Test func signal_that_reaches_behind_the_answer_is_absent() {
    #expect(results("62195603", "221956").isEmpty)
    #expect(results("6101", "2101").isEmpty)
  }

  @Test func identifier_that_nobody_defines_gives_its_message_alone() {
    let found = ReplyRecorder.of("7E8 05 62 40 4C 01 E2\r\r>", to: "22404C", loaded: signals)
    #expect(found.messages == ["7E8 62404C01E2"] && found.results.isEmpty)
  }

  @Test func several_identifiers_end_where_the_next_one_asked_for_begins() {
    #expect(
      results("62195603F72001072002F00E", "22195620012002") == [
        "reading 7E8 221956 loaded1 101.5", "reading 7E8 222001 loaded3 7", "reading 7E8 222002 loaded4 14",
      ])
  }

  @Test func identifier_that_the_ecu_lacks_is_left_out_of_its_answer() {
    #expect(
      results("62195603F72002F00E", "22195620012002") == [
        "reading 7E8 221956 loaded1 101.5", "reading 7E8 222002 loaded4 14",
      ])
  }

  @Test func end_that_could_be_at_two_places_is_refused() {
    // Unknown length of 3000, and 3001 twice.
    let found = results("623000AA3001BB300107", "2230003001")
    #expect(found.count == 1 && found[0].hasPrefix("error malformed 7E8"))
  }

  @Test func another_identifier_than_asked_for_is_unexpected() {
    #expect(results("62195603F7", "222001").first == "error unexpected 7E8 at 10")
    #expect(results("61", "2101") == ["error truncated 7E8 at 10"])
    #expect(results("6219", "221956") == ["error truncated 7E8 at 13"])
  }
}
