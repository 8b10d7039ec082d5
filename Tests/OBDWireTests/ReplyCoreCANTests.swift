import OBDWire
import Testing

/// ISO 15765-2: first frames, consecutive frames and flow control frames. The frames of each ECU are separate.
struct ReplyCoreCANTests {
  private let vin = Frame.isoTP("7E8", "490201" + vinDigits)
  private let read = ["text 7E8 0902 vin 0 1FTFW1ET5DFC10120"]

  @Test(arguments: [UInt8(0x00), 0x55, 0xAA, 0xCC, 0xFF])
  func padding_is_cut_by_the_length(padding: UInt8) {
    // Ten bytes: six, then four and three bytes of padding.
    let lines = Frame.isoTP("7E8", "4904 01 41424344454647".replacing(" ", with: ""), padding: padding)
    #expect(lines.count == 2)
    #expect(ReplyRecorder.of(lines.reply, to: "0904").messages == ["7E8 49040141424344454647"])
  }

  @Test func message_of_several_frames_is_put_together() {
    #expect(vin.count == 3)
    #expect(ReplyRecorder.of(vin.reply, to: "0902").results == read)
    let unspaced = Frame.isoTP("18DAF110", "490201" + vinDigits, spaces: false)
    #expect(ReplyRecorder.of(unspaced.reply, to: "0902").results == ["text 18DAF110 0902 vin 0 1FTFW1ET5DFC10120"])
  }

  @Test func last_frame_without_padding_is_whole() {
    let found = ReplyRecorder.of("7E8 10 0A 49 04 01 41 42 43 \r7E8 21 44 45 46 47 \r\r>", to: "0904")
    #expect(found.messages == ["7E8 49040141424344454647"])
  }

  @Test func four_interleaved_ecus_are_four_messages() {
    let ecus = (0..<4).map {
      Frame.isoTP("7E" + ReplyRecorder.hex(8 + UInt32($0), 1), "490201" + vinDigits.dropLast(2) + "3\($0)")
    }
    var lines: [String] = []
    for frame in 0..<3 { for ecu in [2, 0, 3, 1] { lines.append(ecus[ecu][frame]) } }
    let found = ReplyRecorder.of(lines.reply, to: "0902")
    #expect(found.errors.isEmpty)
    #expect(
      found.values == [
        "text 7EA 0902 vin 0 1FTFW1ET5DFC10122", "text 7E8 0902 vin 0 1FTFW1ET5DFC10120",
        "text 7EB 0902 vin 0 1FTFW1ET5DFC10123", "text 7E9 0902 vin 0 1FTFW1ET5DFC10121",
      ])
  }

  @Test func index_wraps_behind_fifteen_frames() {
    // 6 + 15 × 7 = 111: the sixteenth consecutive frame is number 0 again.
    let payload = "6201" + (0..<148).map { ReplyRecorder.hex(UInt32($0), 2) }.joined()
    let lines = Frame.isoTP("7E8", payload)
    #expect(lines[16].hasPrefix("7E8 20") && lines[17].hasPrefix("7E8 21"))
    #expect(ReplyRecorder.of(lines.reply, to: "2201").messages == ["7E8 \(payload)"])
  }

  @Test func longest_message_of_twelve_bits_is_read() {
    let payload = "6201" + (0..<4093).map { ReplyRecorder.hex(UInt32($0 % 251), 2) }.joined()
    let found = ReplyRecorder.of(Frame.isoTP("7E8", payload).reply, to: "2201")
    #expect(found.messages == ["7E8 \(payload)"] && found.errors.isEmpty)
  }

  @Test(arguments: [1, 2])
  func missing_consecutive_frame_is_refused(missing: Int) {
    var lines = vin
    lines.remove(at: missing)
    let found = ReplyRecorder.of(lines.reply, to: "0902")
    #expect(found.messages.isEmpty && found.values.isEmpty)
    #expect(found.errors == [missing == 1 ? "sequence 7E8 at 4" : "truncated 7E8 at 28"])
  }

  @Test func duplicate_consecutive_frame_is_refused() {
    let found = ReplyRecorder.of([vin[0], vin[1], vin[1], vin[2]].reply, to: "0902")
    #expect(found.messages.isEmpty && found.errors == ["sequence 7E8 at 4"])
  }

  @Test func consecutive_frames_out_of_order_are_refused() {
    let found = ReplyRecorder.of([vin[0], vin[2], vin[1]].reply, to: "0902")
    #expect(found.messages.isEmpty && found.errors == ["sequence 7E8 at 4"])
  }

  @Test func consecutive_frame_without_a_first_one_is_refused() {
    #expect(ReplyRecorder.of([vin[1]].reply, to: "0902").results == ["error sequence 7E8 at 4"])
  }

  @Test func first_frame_that_interrupts_a_message_ends_it_and_begins_its_own() {
    let found = ReplyRecorder.of(([vin[0], vin[1]] + vin).reply, to: "0902")
    #expect(found.results == ["error truncated 7E8 at 28"] + read)
  }

  @Test func single_frame_that_interrupts_a_message_ends_it() {
    let found = ReplyRecorder.of([vin[0], "7E8 03 7F 09 31", vin[1], vin[2]].reply, to: "0902")
    #expect(
      found.results == ["error truncated 7E8 at 28", "error negativeResponse 7E8 09 31", "error sequence 7E8 at 4"])
  }

  @Test func flow_control_is_no_part_of_a_message() {
    let found = ReplyRecorder.of(
      [vin[0], "7E0 30 00 00 00 00 00 00 00", "7E8 30 00 00", vin[1], vin[2]].reply, to: "0902")
    #expect(found.results == read)
  }

  @Test func broken_message_does_not_spoil_another_ecus() {
    let other = Frame.isoTP("7E9", "490201" + vinDigits)
    let found = ReplyRecorder.of([vin[0], other[0], other[1], vin[2], other[2]].reply, to: "0902")
    #expect(found.results == ["error sequence 7E8 at 4", "text 7E9 0902 vin 0 1FTFW1ET5DFC10120"])
  }

  @Test func message_cut_by_the_prompt_is_an_error_and_the_next_reply_is_read_alone() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    found.read(vin.dropLast().map { $0 }.reply, to: "0902", by: &reader)
    found.read(vin.reply, to: "0902", by: &reader)
    #expect(found.results == ["error truncated 7E8 at 28"] + read)
  }

  @Test(arguments: [
    ("7E8 04 41 0C 1A", "truncated 7E8 at 15"), ("7E8 10 14 49 02 01 31", "truncated 7E8 at 21"),
    ("7E8 00 41 0C 1A F8", "malformed 7E8 at 4"), ("7E8 08 41 0C 1A F8 00 00 00", "malformed 7E8 at 4"),
    ("7E8 10 07 41 0C 1A F8 00 00", "malformed 7E8 at 7"), ("7E8 10 00 41 0C 1A F8 00 00", "malformed 7E8 at 7"),
    ("7E8 40 41 0C 1A F8 00 00 00", "malformed 7E8 at 4"), ("7E8 04 41 0C 1A F", "malformed - at 17"),
  ])
  func frame_that_does_not_add_up_is_an_error_at_its_byte(line: String, error: String) {
    let found = ReplyRecorder.of(line + "\r\r>", to: "010C")
    #expect(found.messages.isEmpty && found.values.isEmpty)
    #expect(found.errors == [error])
  }

  @Test func every_cut_of_a_message_is_refused() {
    let text = vin.joined(separator: "\r")
    for length in 0..<text.count - 1 {
      let found = ReplyRecorder.of(text.prefix(length) + "\r\r>", to: "0902")
      #expect(found.values.isEmpty && !found.messages.contains { $0.contains("49") }, "\(length) characters")
    }
  }

  @Test func first_frame_that_lost_a_byte_is_refused_whatever_follows() {
    for length in 8...20 {
      let payload = "4902" + String(repeating: "41", count: length - 2)
      for padding in [nil, UInt8(0x00)] {
        var lines = Frame.isoTP("7E8", payload, padding: padding ?? 0)
        lines[0].removeLast(3)
        if padding == nil {
          // The last frame ends with the message.
          let rest = (length - 6) % 7 == 0 ? 7 : (length - 6) % 7
          lines[lines.count - 1] = String(lines[lines.count - 1].prefix(3 + 3 * (1 + rest)))
        }
        let found = ReplyRecorder.of(lines.reply, to: "0902")
        #expect(found.messages.isEmpty, "\(length) bytes, padded: \(padding != nil)")
        #expect(!found.errors.isEmpty)
      }
    }
  }

  @Test func extended_addressing_takes_a_byte_of_each_frame() {
    let found = ReplyRecorder.of(
      "7582A10076116595C56\r7582A21510000000000\r\r>", to: "750.758.2116|t=96,e=2A,ta=2A,fc=1,f=2013-")
    #expect(found.messages == ["758 6116595C565100"])
    let single = ReplyRecorder.of("758 2A 04 61 16 59 5C\r\r>", to: "750.758.2116|e=2A")
    #expect(single.messages == ["758 6116595C"])
    let foreign = ReplyRecorder.of("758 2B 04 61 16 59 5C\r\r>", to: "750.758.2116|e=2A")
    #expect(foreign.results == ["error unexpected 758 at 4"])
  }
}
