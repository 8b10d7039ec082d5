import OBDWire
import Testing

/// Lines that an adapter or a logger joined. They are separated only if there is exactly one way.
struct ReplyCoreRunTogetherTests {
  @Test func frames_of_three_ecus_are_cut_by_their_identifiers_and_lengths() {
    let found = ReplyRecorder.of("7EB06410098180001" + "7E8064100983BA017" + "7E906410098180011" + "\r\r>", to: "0100")
    #expect(
      found.results == ["supported 7EB 0100 98180001", "supported 7E8 0100 983BA017", "supported 7E9 0100 98180011"])
  }

  @Test func frames_with_29_bits_are_cut_alike() {
    let found = ReplyRecorder.of("18DAF11003410D3218DAF11803410D33\r\r>", to: "010D")
    #expect(found.readings == ["18DAF110 010D speed 50", "18DAF118 010D speed 51"])
  }

  @Test func frames_of_a_long_message_are_cut_and_put_together() {
    let run = Frame.isoTP("7E8", "490201" + vinDigits, spaces: false).joined()
    #expect(ReplyRecorder.of(run + "\r\r>", to: "0902").results == ["text 7E8 0902 vin 0 1FTFW1ET5DFC10120"])
  }

  @Test func padded_frames_run_together_are_cut_where_identifiers_stand() {
    let found = ReplyRecorder.of("7E803410D32AAAAAAAA7E903410D33AAAAAAAA\r\r>", to: "010D")
    #expect(found.readings == ["7E8 010D speed 50", "7E9 010D speed 51"])
  }

  @Test(arguments: ["7E8 03 41 0D 32 7E9 03 41 0D 33", "7E8 03 41 0D 327E9 03 41 0D 33 "])
  func frames_that_kept_their_spaces_are_cut_alike(line: String) {
    let found = ReplyRecorder.of(line + "\r\r>", to: "010D")
    #expect(found.readings == ["7E8 010D speed 50", "7E9 010D speed 51"])
  }

  @Test(arguments: ["7E803410D327E903410D", "7E803410D32123403410D33", "7E8034 10D327F903410D33".filter { $0 != " " }])
  func line_that_can_be_cut_in_no_way_is_malformed(line: String) {
    let found = ReplyRecorder.of(line + "\r\r>", to: "010D")
    #expect(found.messages.isEmpty && found.errors.count == 1)
  }

  @Test func whole_message_behind_its_length_in_one_line_is_read() {
    let found = ReplyRecorder.of("18DAF11009416803333500000000\r\r>", to: "0168")
    #expect(found.messages == ["18DAF110 416803333500000000"])
    #expect(ReplyRecorder.of("7E809416803333500000000\r\r>", to: "0168").messages == ["7E8 416803333500000000"])
    // The message has one byte less than its length says.
    #expect(ReplyRecorder.of("7E8094168033335000000\r\r>", to: "0168").messages.isEmpty)
  }
}
