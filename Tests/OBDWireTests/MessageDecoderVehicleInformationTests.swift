import OBDWire
import Testing

/// Service 09.
struct MessageDecoderVehicleInformationTests {
  private func results(_ payload: String, _ command: String) -> [String] {
    ReplyRecorder.of(Frame.isoTP("7E8", payload).reply, to: command).results
  }
  private func digits(_ text: String, _ size: Int) -> String {
    let bytes = Array(text.utf8)
    return Frame.spaced(bytes + Array(repeating: 0, count: size - bytes.count), false)
  }

  @Test func vin_is_shown_with_every_character() {
    #expect(results("490201" + vinDigits, "0902") == ["text 7E8 0902 vin 0 1FTFW1ET5DFC10120"])
    // The VIN is not valid, but it is reported as the ECU sent it.
    #expect(results("490201" + digits("WDX-SIM0019212345", 17), "0902") == ["text 7E8 0902 vin 0 WDX-SIM0019212345"])
    #expect(results("490201000000" + vinDigits, "0902") == ["text 7E8 0902 vin 0 1FTFW1ET5DFC10120"])
  }

  @Test func two_calibrations_are_two_texts_without_their_filling() {
    #expect(
      results("490402" + digits("ABC-123", 16) + digits("DEF-456", 16), "0904") == [
        "text 7E8 0904 calibrationID 0 ABC-123", "text 7E8 0904 calibrationID 1 DEF-456",
      ])
  }

  @Test func verification_numbers_are_bytes() {
    #expect(
      results("4906021791BC8216E062BE", "0906") == [
        "text 7E8 0906 calibrationVerificationNumber 0 1791BC82",
        "text 7E8 0906 calibrationVerificationNumber 1 16E062BE",
      ])
  }

  @Test func fewer_items_than_announced_are_an_error() {
    let found = results("4906021791BC82", "0906")
    #expect(found.count == 2 && found[1].hasPrefix("error truncated 7E8"))
  }

  @Test func ecu_name_is_a_text() {
    #expect(
      results("490A01" + digits("ECM", 4) + digits("-EngineControl", 16), "090A").first?.hasPrefix(
        "text 7E8 090A ecuName 0 ECM") == true)
  }

  @Test func counters_of_in_use_performance_are_readings() {
    let found = results("490802" + "0102" + "0304" + "0506" + "0708", "0908")
    #expect(
      Array(found.prefix(3)) == [
        "reading 7E8 0908 obdMonitoringConditionsEncounteredCounts 258", "reading 7E8 0908 ignitionCycleCounter 772",
        "reading 7E8 0908 catalystMonitorCompletionCountsBank1 1286",
      ])
    let compression = results("490B02" + "0102" + "0304" + "0506" + "0708", "090B")
    #expect(compression.contains("reading 7E8 090B nmhcCatalystMonitorCompletionCounts 1286"))
  }

  @Test func supported_types_are_a_bitmap_on_both_kinds_of_bus() {
    #expect(results("490055400000", "0900") == ["supported 7E8 0900 55400000"])
    #expect(
      ReplyRecorder.of(Frame.sum("87F110490001" + "55400000") + "\r\r>", to: "0900").results == [
        "supported 10 0900 55400000"
      ])
  }

  @Test func calibrations_and_numbers_of_legacy_buses_are_put_together() {
    let id = digits("ABC-123", 16)
    let lines = (0..<4).map { index -> String in
      let part = id.dropFirst(8 * index).prefix(8)
      return Frame.sum("87F1104904" + ReplyRecorder.hex(UInt32(index + 1), 2) + part)
    }
    #expect(ReplyRecorder.of(lines.reply, to: "0904").results == ["text 10 0904 calibrationID 0 ABC-123"])
    #expect(
      ReplyRecorder.of(Frame.sum("87F1104906011791BC82") + "\r\r>", to: "0906").results == [
        "text 10 0906 calibrationVerificationNumber 0 1791BC82"
      ])
    let cut = ReplyRecorder.of(lines.dropLast().map { $0 }.reply, to: "0904")
    #expect(cut.values.isEmpty && cut.errors.count == 1)
  }

  @Test(
    arguments: [
      // A VIN, a calibration ID and an ECU name, each with one byte that is not a character.
      ("490201314654465731455435444643313031321B", "0902"),
      ("49020131465446573145543544464331303132FF", "0902"),
      ("49040141421B5B33316D000000000000000000", "0904"),
      ("49040141420043000000000000000000000000", "0904"),
      ("490401FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "0904"),
      ("490A0145434D002D456E67696E65436F6E74726F6C9B00", "090A"),
    ] as [(String, String)])
  func a_name_with_a_byte_that_is_no_character_is_malformed(payload: String, command: String) {
    let found = results(payload, command)
    #expect(found.count == 1 && found[0].hasPrefix("error malformed 7E8"), "\(found)")
  }

  @Test func one_damaged_calibration_does_not_take_the_other() {
    let found = results("490402" + digits("ABC-123", 16) + "07" + digits("EF-456", 15), "0904")
    #expect(found.count == 2 && found[0] == "text 7E8 0904 calibrationID 0 ABC-123", "\(found)")
    #expect(found.last?.hasPrefix("error malformed 7E8") == true)
  }

  @Test func number_of_messages_to_come_is_no_reading() {
    #expect(ReplyRecorder.of(Frame.sum("83F110490105") + "\r\r>", to: "0901").results.isEmpty)
  }
}
