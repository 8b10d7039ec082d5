import OBDWire
import Testing

/// Lines without headers: numbered segments after their length, and data alone.
struct ReplyCoreHeaderlessTests {
  private let segments = ["014", "0: 49 02 01 31 44 34", "1: 47 50 30 30 52 35 35", "2: 42 31 32 33 34 35 36"]
  private let read = ["text - 0902 vin 0 1D4GP00R55B123456"]

  @Test func segments_behind_their_length_are_one_message() {
    #expect(ReplyRecorder.of(segments.reply, to: "0902").results == read)
    let unspaced = segments.map { $0.filter { $0 != " " } }
    #expect(ReplyRecorder.of(unspaced.joined(separator: "\r") + "\r\r>", to: "0902").results == read)
  }

  @Test func segments_run_together_without_any_separator_are_one_message() {
    let run = segments.map { $0.filter { $0 != " " } }.joined()
    #expect(ReplyRecorder.of(run + "\r\r>", to: "0902").results == read)
    #expect(ReplyRecorder.of("0902" + run + "\r\r>", to: "0902").results == read)
  }

  @Test func bytes_after_the_stated_length_are_padding() {
    let found = ReplyRecorder.of("00A\r0: 49 04 01 41 42 43\r1: 44 45 46 47 AA AA AA\r\r>", to: "0904")
    #expect(found.messages == ["- 49040141424344454647"])
  }

  @Test(arguments: [1, 2, 3])
  func missing_segment_is_refused(missing: Int) {
    var lines = segments
    lines.remove(at: missing)
    let found = ReplyRecorder.of(lines.reply, to: "0902")
    #expect(found.messages.isEmpty && found.values.isEmpty)
    #expect(found.errors.count == 1 && found.errors[0].hasPrefix(missing == 3 ? "truncated" : "sequence"))
  }

  @Test func segments_doubled_or_out_of_order_are_refused() {
    for order in [[0, 1, 1, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2], [0, 1, 2, 2, 3]] {
      let found = ReplyRecorder.of(order.map { segments[$0] }.reply, to: "0902")
      #expect(found.messages.isEmpty && found.errors == ["sequence - at 0"], "\(order)")
    }
  }

  @Test func segments_without_their_length_are_refused() {
    let found = ReplyRecorder.of(segments.dropFirst().map { $0 }.reply, to: "0902")
    #expect(found.messages.isEmpty && found.errors == ["sequence - at 0"])
  }

  @Test func two_messages_at_once_are_refused_since_nobody_says_whose_segments_follow() {
    let found = ReplyRecorder.of(
      ["014", "013", "0: 49 02 01 31 44 34", "0: 49 02 01 31 44 34", "1: 47 50 30 30 52 35 35"].reply, to: "0902")
    #expect(found.messages.isEmpty && found.errors == ["sequence - at 0"])
  }

  @Test func two_messages_in_succession_stay_two() {
    let found = ReplyRecorder.of((segments + ["009", "0: 41 8B 73 02 FF 0A", "1: 64 01 91 FF FF FF FF"]).reply)
    #expect(found.messages == ["- 4902013144344750303052353542313233343536", "- 418B7302FF0A640191"])
  }

  @Test func segment_shorter_than_its_share_is_refused() {
    let found = ReplyRecorder.of(["014", "0: 49 02 01 31", "1: 47 50 30 30 52 35 35"].reply, to: "0902")
    #expect(found.messages.isEmpty && found.errors == ["truncated - at 14"])
  }

  @Test func answers_of_several_ecus_run_together_are_cut_by_the_length_of_their_pid() {
    let found = ReplyRecorder.of("4100981800014100983BA017410098180011\r\r>", to: "0100")
    #expect(
      found.results == ["supported - 0100 98180001", "supported - 0100 983BA017", "supported - 0100 98180011"])
  }

  @Test func padding_of_a_clone_behind_data_alone_is_cut_where_the_length_is_known() {
    #expect(ReplyRecorder.of("41 0C 0A F4 00 00 00\r\r>", to: "010C").messages == ["- 410C0AF4"])
    #expect(ReplyRecorder.of("41 05 7B AA AA AA AA\r\r>", to: "0105").results == ["reading - 0105 coolantTemp 83"])
    // Zeros after a requested PID are its value.
    let two = ReplyRecorder.of("41 0D 32 0C 00 00 00\r\r>", to: "010D0C")
    #expect(two.results == ["reading - 010D speed 50", "reading - 010C rpm 0"])
  }

  @Test(arguments: ["80 41 0C 1A F8", "FF FF FF FF", "C1 0C 1A F8"])
  func no_answer_begins_above_7F(line: String) {
    let found = ReplyRecorder.of(line + "\r\r>", headers: .off)
    #expect(found.messages.isEmpty && found.errors == ["malformed - at 0"])
  }
}
