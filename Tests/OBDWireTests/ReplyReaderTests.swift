import OBDWire
import Testing

/// Framing: start and end of lines and replies, with any bytes between them, and for any division of the bytes.
struct ReplyReaderTests {
  private let engineSpeed = ["reading 7E8 010C rpm 1726"]

  // MARK: Line ends and noise

  @Test(arguments: [
    "7E8 04 41 0C 1A F8 \r\r>", "7E8 04 41 0C 1A F8 \r\n\r\n>", "7E8 04 41 0C 1A F8 \n\n>", "7E8 04 41 0C 1A F8\r>",
    "\r\n7E8 04 41 0C 1A F8>", "\r7E804410C1AF8\r>", "7E8 04 41 0C 1A F8\u{0}\r>",
    "\u{0}7E8 04 41 0C 1A F8 \r\u{0}\r>", "\u{FC}\u{80}7E8 04 41 0C 1A F8 \r\r>", "7E8 04 41 0C 1A F8 \u{FF}\r\r>",
    "   7E8 04 41 0C 1A F8   \r\r>", "7e8 04 41 0c 1a f8 \r\r>", "\u{7F}\u{7F}\r7E8 04 41 0C 1A F8 \r\r>",
  ])
  func line_ends_and_noise_around_a_line_do_not_count(reply: String) {
    #expect(ReplyRecorder.of(reply).results == engineSpeed)
  }

  @Test func each_line_end_counts_one_line() {
    for end in ["\r", "\n", "\r\n"] {
      let found = ReplyRecorder.of("?" + end + end + "NO DATA" + end + end + ">")
      #expect(found.exact.contains { $0.hasPrefix("error unknownCommand - at 0 [line 0 ") })
      #expect(found.exact.contains { $0.hasPrefix("error noData - at 0 [line 2 ") }, "\(found.exact)")
    }
  }

  @Test func restarted_count_of_lines_begins_at_0() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    found.read("?\r\r>", by: &reader)
    reader.restartLines()
    found.read("?\r\r>", by: &reader)
    #expect(found.exact.filter { $0.contains("unknownCommand") }.allSatisfy { $0.contains("[line 0 ") })
  }

  @Test func position_is_the_number_of_bytes_up_to_the_line_end() {
    let found = ReplyRecorder.of("\r41 0D 32\r\r>")
    #expect(found.exact.contains("reading - 010D speed 50 [line 1 at 10]"))
    #expect(found.exact.last == "end [at 12]")
  }

  // MARK: Prompt

  @Test func prompt_ends_the_reply_with_and_without_a_line_end_before_it() {
    #expect(ReplyRecorder.of("41 0D 32\r>").events.last == "end")
    #expect(ReplyRecorder.of("41 0D 32>").events == ["message - 410D32", "reading - 010D speed 50", "end"])
  }

  @Test func prompt_in_a_chunk_of_its_own_ends_the_reply_once() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    found.read("41 0D 32\r\r", by: &reader)
    let isOpen = reader.isMidReply
    #expect(isOpen)
    #expect(!found.events.contains("end"))
    found.read(">", by: &reader)
    let isStillOpen = reader.isMidReply
    #expect(!isStillOpen)
    #expect(found.events.count { $0 == "end" } == 1)
  }

  @Test func prompt_split_across_two_reads_is_one_reply() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    for chunk in ["7E8 04 41 0", "C 1A F8 ", "\r", "\r", ">"] { found.read(chunk, by: &reader) }
    #expect(found.events == ["message 7E8 410C1AF8", "reading 7E8 010C rpm 1726", "end"])
  }

  @Test func reply_without_its_prompt_ends_where_the_next_command_is_sent() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    found.read("41 0D 32", to: "010D", by: &reader)
    found.read("41 0D 33\r>", to: "010D", by: &reader)
    #expect(
      found.events == [
        "> 010D", "message - 410D32", "reading - 010D speed 50", "end", "> 010D", "message - 410D33",
        "reading - 010D speed 51", "end",
      ])
  }

  @Test func finish_reads_the_incomplete_last_line_once() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    found.read("41 0D 32", by: &reader)
    reader.finish(into: &found)
    reader.finish(into: &found)
    #expect(found.events == ["message - 410D32", "reading - 010D speed 50", "end"])
  }

  @Test func an_empty_reply_is_not_an_error() {
    #expect(ReplyRecorder.of("\r\r>").events == ["end"])
    #expect(ReplyRecorder.of(">").events == ["end"])
    #expect(ReplyRecorder.of("").events == [])
  }

  // MARK: Echo

  @Test(arguments: [
    "010C\r7E8 04 41 0C 1A F8 \r\r>", "7E8 04 41 0C 1A F8 \r\r>", "010C7E8 04 41 0C 1A F8 \r\r>",
    "010C010C\r7E8 04 41 0C 1A F8 \r\r>", "001100CC\r7E8 04 41 0C 1A F8 \r\r>", "01 0C\r\r7E8 04 41 0C 1A F8 \r\r>",
    "010c\r7E8 04 41 0C 1A F8 \r\r>",
    "010C\r\n7E8 04 41 0C 1A F8 \r\n\r\n>", "\u{FC}010C\r7E8 04 41 0C 1A F8 \r\r>",
    "010C\u{0}\r7E8 04 41 0C 1A F8 \r\r>", "010C010C7E8 04 41 0C 1A F8 \r\r>",
  ])
  func the_echo_of_the_command_is_not_part_of_its_answer(reply: String) {
    let found = ReplyRecorder.of(reply, to: "010C")
    #expect(found.results == engineSpeed)
    #expect(found.events.first == "> 010C")
    #expect(found.events.count { $0 == "end" } == 1)
  }

  @Test func an_echo_supplies_the_command_if_none_was_sent() {
    let found = ReplyRecorder.of("010C\r7E8 04 41 0C 1A F8 \r\r>010D\r7E8 03 41 0C 32 \r\r>")
    #expect(
      found.events == [
        "> 010C", "message 7E8 410C1AF8", "reading 7E8 010C rpm 1726", "end", "> 010D", "message 7E8 410C32",
        "error unexpected 7E8 at 10", "end",
      ])
  }

  @Test func echo_of_three_digits_is_service_03_and_a_count() {
    let found = ReplyRecorder.of("031\r7E8 04 43 01 01 33 \r\r>")
    #expect(found.results == ["codes 7E8 03 stored P0133"])
    #expect(found.events.first == "> 031")
  }

  @Test func three_digits_with_segments_behind_are_a_length() {
    let found = ReplyRecorder.of("014\r0: 49 02 01 31 44 34\r1: 47 50 30 30 52 35 35\r2: 42 31 32 33 34 35 36\r\r>")
    #expect(found.results == ["text - 0902 vin 0 1D4GP00R55B123456"])
    #expect(!found.events.contains { $0.hasPrefix(">") })
  }

  @Test func an_answer_is_not_taken_for_an_echo() {
    for answer in ["41 0C 1A F8", "7E8 04 41 0C 1A F8", "48 6B 10 41 0D 32 43"] {
      #expect(!ReplyRecorder.of(answer + "\r\r>").events.contains { $0.hasPrefix(">") })
    }
  }

  // MARK: Capacity

  @Test func line_of_1024_bytes_is_read_and_one_more_is_too_long() {
    let data = "7E8 04 41 0C 1A F8"
    let full = data + String(repeating: " ", count: 1024 - data.count)
    #expect(ReplyRecorder.of(full + "\r\r>").results == engineSpeed)
    let found = ReplyRecorder.of(full + " \r7E8 04 41 0C 1A F8 \r\r>")
    #expect(found.results == ["error malformed - at 1024"] + engineSpeed)
  }

  @Test func longest_kwp_answer_fits_a_line() {
    // 80 F1 10 FF: a separate length byte, 255 data bytes.
    let data = String(repeating: "00", count: 253)
    let line = Frame.sum("80F110FF" + "6101" + data)
    #expect(line.utf8.count == 260 * 3 - 1)
    #expect(ReplyRecorder.of(line + "\r\r>", to: "2101").messages == ["10 6101" + data])
  }

  @Test func line_without_end_is_one_error_and_reading_goes_on_behind_it() {
    let flood = String(repeating: "A", count: 100_000)
    let found = ReplyRecorder.of(flood + "\r7E8 04 41 0C 1A F8 \r\r>")
    #expect(found.results == ["error malformed - at 1024"] + engineSpeed)
    #expect(
      ReplyRecorder.split(flood + "\r41 0D 32\r\r>", every: 333).exact
        == ReplyRecorder.of(flood + "\r41 0D 32\r\r>").exact)
  }

  @Test func an_invalid_line_is_delivered_as_it_was_received() {
    let found = ReplyRecorder.of("\r7E8 06 41 00 BE <RX ERROR\r\r>")
    #expect(
      found.exact.contains {
        $0.hasPrefix("error rxError - at 16 [line 1 ") && $0.hasSuffix("line 7E8 06 41 00 BE <RX ERROR]")
      })
  }

  // MARK: Splits

  @Test(arguments: sampleReplies)
  func every_split_gives_the_same_events(reply: String) {
    // The fast reader needs bytes after the reply.
    let reply = reply + String(repeating: "\r", count: 64)
    let bytes = ReplyRecorder.bytes(reply)
    let whole = ReplyRecorder.of(reply).exact
    for cut in 0...bytes.count {
      let isSame = ReplyRecorder.split(bytes, at: [cut]).exact == whole
      #expect(isSame, "cut at \(cut) of \(reply.debugDescription)")
    }
    for size in 1...9 {
      let isSame = ReplyRecorder.split(reply, every: size).exact == whole
      #expect(isSame, "pieces of \(size)")
    }
  }

  @Test(arguments: sampleReplies)
  func every_pair_of_splits_gives_the_same_events(reply: String) {
    let bytes = ReplyRecorder.bytes(String(reply.prefix(64)))
    let whole = ReplyRecorder.of(String(reply.prefix(64))).exact
    for first in stride(from: 0, through: bytes.count, by: 2) {
      for second in stride(from: first, through: bytes.count, by: 3) {
        let isSame = ReplyRecorder.split(bytes, at: [first, second]).exact == whole
        #expect(isSame, "cut at \(first) and \(second) of \(reply.debugDescription)")
      }
    }
  }

  @Test func long_stream_reads_alike_in_one_piece_and_in_many() {
    let stream = sampleReplies.joined()
    let whole = ReplyRecorder.of(stream).exact
    for size in [1, 7, 16, 61, 64, 255, 1024] {
      let isSame = ReplyRecorder.split(stream, every: size).exact == whole
      #expect(isSame, "pieces of \(size)")
    }
  }
}

/// Replies of every form. Their results must be the same for every division of the bytes.
private let sampleReplies = [
  "010C\r7E8 04 41 0C 1A F8 \r\r>",
  "7E8 10 14 49 02 01 31 46 54 \r7E8 21 46 57 31 45 54 35 44 \r7E8 22 46 43 31 30 31 32 30 \r\r>",
  "0902\r014 \r0: 49 02 01 31 44 34 \r1: 47 50 30 30 52 35 35 \r2: 42 31 32 33 34 35 36 \r\r>",
  "0100\r\r\nSEARCHING...\r\n86 F1 10 41 00 BE 1F B8 11 AE\r\n\r\n>",
  "48 6B 10 41 05 7B 84 \r48 6B 10 41 05 7B 85 \rBUS ERROR\r\r>ATRV\r12.6V\r\r>",
  "18 DA F1 10 04 41 0C 1A F8 AA AA AA \r18 DA F1 11 03 41 0C 1A \rNO DATA\r\r>",
  "\u{FC}ATZ\r\r\rELM327 v1.5\r\r>ATE0\rOK\r\r>\u{0}?\r\r>",
  "03\r43 01 33 00 00 00 00 \r43 04 20 00 00 00 00 \r\r>", "7E8 03 7F 01 78 \r7E8 04 41 0C 1A \r7E8 21 00 \r\r>",
  "41\r0C\r1A\rF8\r7E8 04 41 0C 1A F8 \r7E8 04 41 0C 1A F9 \r\r>",
  "0105\r41 05 7B <DATA ERROR\r41 05 7B  \r41 05 \r\r>",
]

extension ReplyRecorder {
  /// Returns the results of a new reader for bytes that arrive in these pieces.
  static func split(_ bytes: [UInt8], at cuts: [Int]) -> ReplyRecorder {
    var reader = ReplyReader()
    var recorder = ReplyRecorder()
    var start = 0
    for cut in cuts + [bytes.count] {
      let piece = Array(bytes[start..<cut])
      reader.receive(piece.span, into: &recorder)
      start = cut
    }
    return recorder
  }

  static func split(_ text: String, every size: Int) -> ReplyRecorder {
    let bytes = bytes(text)
    return split(bytes, at: Array(stride(from: size, to: bytes.count, by: size)))
  }
}
