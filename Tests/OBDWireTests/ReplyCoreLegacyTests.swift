import OBDWire
import Testing

/// ISO 9141-2, ISO 14230 (KWP) and SAE J1850 with headers, and their answers of several lines.
struct ReplyCoreLegacyTests {
  private let vinLines = ["0100000031", "0244344750", "0330305235", "0435423132", "0533343536"]
  private let vin = ["text 10 0902 vin 0 1D4GP00R55B123456"]

  @Test(arguments: [
    ("48 6B 10 41 0C 1A F8 22", BusProtocol.iso9141), ("486B10410C1AF822", .iso9141),
    ("84 F1 10 41 0C 1A F8 E4", .kwp), ("84F110410C1AF8E4", .kwp), ("80 F1 10 04 41 0C 1A F8 E4", .kwp),
    ("C4 F1 10 41 0C 1A F8 24", .kwp),
  ])
  func frame_of_a_k_line_is_read_where_its_sum_holds(line: String, bus: BusProtocol) {
    for stated in [BusProtocol.auto, bus] {
      #expect(
        ReplyRecorder.of(line + "\r\r>", to: "010C", bus: stated).results == ["reading 10 010C rpm 1726"], "\(stated)")
    }
  }

  @Test func frame_of_j1850_is_read_where_its_crc_holds() {
    for (header, bus) in [("486B10", BusProtocol.j1850vpw), ("416B10", .j1850pwm)] {
      let line = Frame.crc(header + "410C1AF8")
      for stated in [BusProtocol.auto, bus] {
        #expect(
          ReplyRecorder.of(line + "\r\r>", to: "010C", bus: stated).results == ["reading 10 010C rpm 1726"], "\(stated)"
        )
      }
    }
  }

  @Test func parameter_6B_alone_is_no_pwm_header() {
    #expect(ReplyRecorder.of("41 6B F0 3C 3C 3C 3C\r\r>", to: "016B").messages == ["- 416BF03C3C3C3C"])
  }

  @Test func every_changed_byte_of_a_frame_is_refused() {
    let frames: [(String, BusProtocol)] = [
      (Frame.sum("486B10410C1AF8"), .iso9141), (Frame.sum("84F110410C1AF8"), .kwp),
      (Frame.sum("80F11004410C1AF8"), .kwp), (Frame.crc("486B10410C1AF8"), .j1850vpw),
      (Frame.crc("416B10410C1AF8"), .j1850pwm),
    ]
    for (frame, bus) in frames {
      for changed in changes(of: frame) {
        let stated = ReplyRecorder.of(changed + "\r\r>", to: "010C", bus: bus, headers: .on)
        #expect(stated.messages.isEmpty && stated.values.isEmpty && !stated.errors.isEmpty, "\(changed) on \(bus)")
        // The reader knows the bus from an earlier valid frame, as in the dialogue of a real adapter.
        var reader = ReplyReader()
        var found = ReplyRecorder()
        found.read(frame + "\r\r>", to: "010C", by: &reader)
        found.read(changed + "\r\r>", to: "010C", by: &reader)
        #expect(found.readings.count == 1 && found.values.count == 1, "\(changed) after \(frame)")
      }
    }
  }

  /// Returns the frame with one byte changed, each byte in several ways.
  private func changes(of frame: String) -> [String] {
    let bytes = Frame.bytes(frame)
    return bytes.indices.flatMap { index in
      [UInt8(0x01), 0x02, 0x08, 0x09, 0x40, 0x80, 0xC2, 0xFF].map { mask in
        var changed = bytes
        changed[index] ^= mask
        return Frame.spaced(changed)
      }
    }
  }

  @Test func every_cut_of_a_frame_is_refused() {
    for frame in [Frame.sum("486B10410C1AF8"), Frame.sum("84F110410C1AF8"), Frame.crc("416B10410C1AF8")] {
      for length in 1..<frame.count - 1 {
        let found = ReplyRecorder.of(frame.prefix(length) + "\r\r>", to: "010C", headers: .on)
        #expect(found.values.isEmpty, "\(frame.prefix(length))")
      }
    }
  }

  @Test func short_answer_is_told_from_a_damaged_one() {
    #expect(
      ReplyRecorder.of("48 6B 10 41 0C 1A 2A\r\r>", to: "010C", bus: .iso9141, headers: .on).errors == [
        "truncated 10 at 18"
      ]
    )
    #expect(ReplyRecorder.of("48 6B 10 41 0C 1A F8 23\r\r>", to: "010C").errors == ["checksum 10 at 21"])
    #expect(ReplyRecorder.of("84 F1 10 41 0C 1A F8\r\r>", to: "010C").errors == ["truncated 10 at 20"])
    #expect(ReplyRecorder.of("80 F1 10 00 81\r\r>", to: "010C").errors == ["malformed 10 at 9"])
  }

  @Test func longer_kwp_frames_keep_their_length() {
    let data = String(repeating: "5A", count: 61)
    #expect(ReplyRecorder.of(Frame.sum("BFF1106101" + data) + "\r\r>", to: "2101").messages == ["10 6101" + data])
  }

  @Test func frames_of_two_ecus_in_one_line_are_cut_where_their_checks_hold() {
    let kwp = Frame.sum("86F1104100BE1FB811") + " " + Frame.sum("86F11841008000800" + "3")
    #expect(
      ReplyRecorder.of(kwp + "\r\r>", to: "0100").results == [
        "supported 10 0100 BE1FB811", "supported 18 0100 80008003",
      ])
    let iso = Frame.sum("486B104100BE1FB811") + " " + Frame.sum("486B18410080008003")
    #expect(
      ReplyRecorder.of(iso + "\r\r>", to: "0100").results == [
        "supported 10 0100 BE1FB811", "supported 18 0100 80008003",
      ])
  }

  @Test func damaged_second_frame_of_a_line_takes_the_first_back() {
    let kwp = Frame.sum("83F110410D32") + " 83 F1 18 41 0D 32 00"
    let found = ReplyRecorder.of(kwp + "\r\r>", to: "010D")
    #expect(found.messages.isEmpty && found.errors == ["checksum 18 at 39"])
  }

  // MARK: Answers of several lines

  @Test func vin_in_five_messages_is_put_together() {
    let lines = vinLines.map { Frame.sum("87F1104902" + $0) }
    #expect(ReplyRecorder.of(lines.reply, to: "0902").results == vin)
    let iso = vinLines.map { Frame.sum("486B104902" + $0) }
    #expect(ReplyRecorder.of(iso.reply, to: "0902").results == vin)
    let alone = vinLines.map { "4902" + $0 }
    #expect(ReplyRecorder.of(alone.reply, to: "0902").results == ["text - 0902 vin 0 1D4GP00R55B123456"])
  }

  @Test(arguments: 0..<5)
  func vin_that_lacks_a_line_is_refused(missing: Int) {
    var lines = vinLines.map { Frame.sum("87F1104902" + $0) }
    lines.remove(at: missing)
    let found = ReplyRecorder.of(lines.reply, to: "0902")
    #expect(found.values.isEmpty)
    #expect(found.errors.count == 1 && found.errors[0].hasPrefix(missing == 4 ? "truncated 10" : "sequence 10"))
  }

  @Test func vin_lines_out_of_order_are_refused_and_the_same_line_twice_is_one() {
    let lines = vinLines.map { Frame.sum("87F1104902" + $0) }
    #expect(ReplyRecorder.of([0, 2, 1, 3, 4].map { lines[$0] }.reply, to: "0902").values.isEmpty)
    #expect(ReplyRecorder.of([0, 0, 1, 2, 2, 3, 4].map { lines[$0] }.reply, to: "0902").results == vin)
  }

  @Test func vins_of_two_ecus_line_by_line_are_two() {
    let engine = vinLines.map { Frame.sum("87F1104902" + $0) }
    let other = vinLines.map { Frame.sum("87F1184902" + $0) }
    let found = ReplyRecorder.of(zip(engine, other).flatMap { [$0, $1] }.reply, to: "0902")
    #expect(found.results == vin + ["text 18 0902 vin 0 1D4GP00R55B123456"])
  }

  @Test func trouble_codes_of_several_lines_are_one_list_for_each_ecu() {
    let lines = [
      Frame.sum("87F11043010002000300"), Frame.sum("87F1104343008200C100"), Frame.sum("87F11843010100000000"),
    ]
    #expect(
      ReplyRecorder.of(lines.reply, to: "03").results == [
        "codes 10 03 stored P0100 P0200 P0300 C0300 B0200 U0100", "codes 18 03 stored P0101",
      ])
  }

  @Test func list_of_trouble_codes_that_lost_a_line_is_refused() {
    let lines = [Frame.sum("87F11043010002000300"), Frame.sum("87F1104343008200C100").dropLast(2) + "00"]
    let found = ReplyRecorder.of(lines.map { String($0) }.reply, to: "03")
    #expect(found.values.isEmpty)
    #expect(found.errors == ["checksum 10 at 30", "truncated 10 at 33"])
  }
}
