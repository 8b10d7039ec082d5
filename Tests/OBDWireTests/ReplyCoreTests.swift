import OBDWire
import Testing

/// The form of lines: with and without headers and spaces, on every bus.
struct ReplyCoreTests {
  @Test(arguments: [
    "7E8 04 41 0C 1A F8", "7E804410C1AF8", "7E8 04410C1AF8", "7E8 4 410C1AF8".replacing("4 ", with: "04"),
    "7E8 8 04 41 0C 1A F8 00 00 00", "7E8804410C1AF8000000", "7E8 5 04 41 0C 1A F8", "7E8504410C1AF8",
    "7E8 04 41 0C 1A F8 55 55 55", "7E8 04 41 0C 1A F8 AA AA AA", "7E8 04 41 0C 1A F8 CC CC CC",
    "7E8 04 41 0C 1A F8 FF FF FF",
  ])
  func can_frame_with_11_bits_is_read_in_every_spelling(line: String) {
    for bus in [BusProtocol.auto, .can11] {
      #expect(ReplyRecorder.of(line + "\r\r>", to: "010C", bus: bus).results == ["reading 7E8 010C rpm 1726"], "\(bus)")
      #expect(
        ReplyRecorder.of(line + "\r\r>", to: "010C", bus: bus, headers: .on).results == ["reading 7E8 010C rpm 1726"])
    }
  }

  @Test(arguments: [
    "18 DA F1 10 04 41 0C 1A F8", "18DAF11004410C1AF8", "18DAF110 04 41 0C 1A F8",
    "18 DA F1 10 8 04 41 0C 1A F8 00 00 00",
    "18DAF110804410C1AF8000000", "18DAF110 8 04 41 0C 1A F8 AA AA AA", "18 DA F1 10 04 41 0C 1A F8 55 55 55",
  ])
  func can_frame_with_29_bits_is_read_in_every_spelling(line: String) {
    for bus in [BusProtocol.auto, .can29] {
      let found = ReplyRecorder.of(line + "\r\r>", to: "010C", bus: bus)
      #expect(found.results == ["reading 18DAF110 010C rpm 1726"], "\(bus)")
    }
  }

  @Test(arguments: ["41 0C 1A F8", "410C1AF8", "41 0C 1A F8 ", "410c1af8"])
  func data_alone_has_no_sender(line: String) {
    for bus in [BusProtocol.auto, .can11, .can29, .kwp, .iso9141, .j1850vpw, .j1850pwm] {
      #expect(ReplyRecorder.of(line + "\r\r>", to: "010C", bus: bus).results == ["reading - 010C rpm 1726"], "\(bus)")
    }
  }

  @Test func protocol_control_byte_in_front_of_data_alone_is_read() {
    // ATCAF0, ATH0
    #expect(ReplyRecorder.of("04 41 0C 1A F8 00 00 00\r\r>", to: "02010C").messages == ["- 410C1AF8"])
    let found = ReplyRecorder.of(
      "10 14 49 02 01 31 46 54\r21 46 57 31 45 54 35 44\r22 46 43 31 30 31 32 30\r\r>", to: "0902")
    #expect(found.results == ["text - 0902 vin 0 1FTFW1ET5DFC10120"])
  }

  @Test func request_with_its_own_protocol_control_byte_is_understood_behind_ATCAF0() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    found.read("OK\r>", to: "ATCAF0", by: &reader)
    found.read("7E8 04 41 0C 1A F8 00 00 00\r>", to: "02010C", by: &reader)
    found.read("OK\r>", to: "ATCAF1", by: &reader)
    found.read("7E8 04 41 0C 1A F8\r>", to: "010C", by: &reader)
    #expect(found.readings == ["7E8 010C rpm 1726", "7E8 010C rpm 1726"])
  }

  @Test func length_code_that_does_not_count_its_bytes_is_refused() {
    #expect(ReplyRecorder.of("7E8 8 04 41 0C 1A F8\r\r>").results == ["error truncated 7E8 at 20"])
    #expect(ReplyRecorder.of("7E8 4 04 41 0C 1A F8\r\r>").results == ["error malformed 7E8 at 18"])
  }

  @Test func a_stated_line_form_overrides_detection() {
    // With headers on, data alone is malformed; with headers off, an identifier is.
    #expect(ReplyRecorder.of("41 0C 1A F8\r\r>", headers: .on).results == ["error malformed - at 0"])
    #expect(ReplyRecorder.of("7E8 04 41 0C 1A F8\r\r>", headers: .off).results == ["error malformed - at 4"])
    #expect(ReplyRecorder.of("18 DA F1 10 04 41 0C 1A F8\r\r>", bus: .can11, headers: .on).readings.isEmpty)
    #expect(ReplyRecorder.of("014\r0: 49 02 01 31 44 34\r\r>", headers: .on).values.isEmpty)
    #expect(
      ReplyRecorder.of(Frame.crc("486B10410532") + "\r\r>", bus: .iso9141, headers: .on).results == [
        "error checksum 10 at 18"
      ])
    #expect(
      ReplyRecorder.of(Frame.sum("486B10410532") + "\r\r>", bus: .j1850vpw, headers: .on).results == [
        "error checksum 10 at 18"
      ])
  }

  @Test func nine_senders_in_a_reply_are_one_too_many() {
    let lines = (0..<9).map { "18 DA F1 \(ReplyRecorder.hex(UInt32($0 + 0x10), 2)) 03 41 0D 32" }
    let found = ReplyRecorder.of(lines.reply, to: "010D")
    #expect(found.readings.count == 8)
    #expect(found.errors == ["malformed 18DAF118 at 0"])
  }

  @Test func senders_of_an_earlier_reply_do_not_count() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    for base in [UInt32(0x10), 0x20, 0x30] {
      found.read(
        (0..<8).map { "18 DA F1 \(ReplyRecorder.hex(base + UInt32($0), 2)) 03 41 0D 32" }.reply, to: "010D", by: &reader
      )
    }
    #expect(found.readings.count == 24 && found.errors.isEmpty)
  }

  @Test func identical_duplicates_are_one_message_and_different_ones_are_two() {
    let twice = ReplyRecorder.of("7E8 04 41 0C 1A F8 \r7E8 04 41 0C 1A F8 \r\r>", to: "010C")
    #expect(twice.events == ["> 010C", "message 7E8 410C1AF8", "reading 7E8 010C rpm 1726", "end"])
    let two = ReplyRecorder.of("7E8 04 41 0C 1A F8 \r7E8 04 41 0C 1A FC \r\r>", to: "010C")
    #expect(two.readings == ["7E8 010C rpm 1726", "7E8 010C rpm 1727"])
    let senders = ReplyRecorder.of("7E8 03 41 0D 32 \r7E9 03 41 0D 32 \r\r>", to: "010D")
    #expect(senders.readings == ["7E8 010D speed 50", "7E9 010D speed 50"])
  }

  @Test func same_answer_in_the_next_reply_is_a_new_one() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    for _ in 0..<2 { found.read("7E8 03 41 0D 32 \r\r>", to: "010D", by: &reader) }
    #expect(found.readings.count == 2)
  }

  @Test func several_ecus_answer_in_one_reply() {
    let found = ReplyRecorder.of("7E8 06 41 00 BE 3F A8 13 \r7E9 06 41 00 98 18 80 11 \r\r>", to: "0100")
    #expect(found.results == ["supported 7E8 0100 BE3FA813", "supported 7E9 0100 98188011"])
  }

  // MARK: Negative answers

  @Test func refusal_is_an_error_with_its_service_and_code() {
    #expect(ReplyRecorder.of("7E8 03 7F 01 12 \r\r>", to: "010C").results == ["error negativeResponse 7E8 01 12"])
    #expect(ReplyRecorder.of("7F 01 21\r\r>", to: "010C").results == ["error negativeResponse - 01 21"])
    #expect(
      ReplyRecorder.of(Frame.sum("83F1107F0111") + "\r\r>", to: "0100").results == ["error negativeResponse 10 01 11"])
  }

  @Test func response_pending_waits_for_the_answer() {
    let found = ReplyRecorder.of("7E8 03 7F 22 78 \r7E8 03 7F 22 78 \r7E8 05 62 F4 0C 1A F8 \r\r>", to: "22F40C")
    #expect(found.results == ["reading 7E8 22F40C rpm 1726"])
    let multiple = ReplyRecorder.of((["7E8 03 7F 09 78"] + Frame.isoTP("7E8", "490201" + vinDigits)).reply, to: "0902")
    #expect(multiple.results == ["text 7E8 0902 vin 0 1FTFW1ET5DFC10120"])
  }

  @Test func response_pending_alone_is_an_error_at_the_prompt() {
    let found = ReplyRecorder.of("7E8 03 7F 22 78 \r\r>", to: "22F40C")
    #expect(found.results == ["error negativeResponse 7E8 22 78"])
    #expect(found.events.suffix(2) == ["error negativeResponse 7E8 22 78", "end"])
  }

  @Test func response_pending_of_one_ecu_is_not_answered_by_another() {
    let found = ReplyRecorder.of("7E8 03 7F 01 78 \r7E9 03 41 0D 32 \r\r>", to: "010D")
    #expect(found.results == ["reading 7E9 010D speed 50", "error negativeResponse 7E8 01 78"])
  }
}

/// 1FTFW1ET5DFC10120
let vinDigits = "3146544657314554354446433130313230"
