import OBDWire
import Testing

/// Services 03, 07, 0A and UDS 19; service 04.
struct MessageDecoderTroubleCodesTests {
  private func results(_ payload: String, _ command: String) -> [String] {
    ReplyRecorder.of(Frame.isoTP("7E8", payload).reply, to: command).results
  }

  @Test func count_says_how_many_codes_follow_on_can() {
    #expect(results("430201330420", "03") == ["codes 7E8 03 stored P0133 P0420"])
    #expect(results("470101F3", "07") == ["codes 7E8 07 pending P01F3"])
    #expect(results("4A01C123", "0A") == ["codes 7E8 0A permanent U0123"])
    #expect(results("4300", "03") == ["codes 7E8 03 stored"])
  }

  @Test func long_list_comes_in_several_frames() {
    let codes = (1...9).map { "010\($0)" }
    #expect(
      results("4309" + codes.joined(), "03") == ["codes 7E8 03 stored " + codes.map { "P" + $0 }.joined(separator: " ")]
    )
  }

  @Test func zeros_behind_the_count_are_padding_and_anything_else_is_not() {
    #expect(results("43010133000000", "03") == ["codes 7E8 03 stored P0133"])
    #expect(results("43010133042000", "03") == ["error malformed 7E8 at 19"])
  }

  @Test func cut_list_is_refused() {
    #expect(results("43020133", "03") == ["error truncated 7E8 at 19"])
    #expect(results("43", "03") == ["error truncated 7E8 at 10"])
  }

  @Test func zeros_among_the_codes_are_none() {
    #expect(results("430201330000", "03") == ["codes 7E8 03 stored P0133"])
  }

  @Test func legacy_list_has_three_codes_a_line_and_no_count() {
    #expect(ReplyRecorder.of("43 01 33 04 20 00 00\r\r>", to: "03").results == ["codes - 03 stored P0133 P0420"])
    #expect(ReplyRecorder.of("47 00 00 00 00 00 00\r\r>", to: "07").results == ["codes - 07 pending"])
    #expect(
      ReplyRecorder.of(Frame.sum("486B104A012300000000") + "\r\r>", to: "0A").results == ["codes 10 0A permanent P0123"]
    )
  }

  @Test func clearing_is_confirmed_by_a_message_alone() {
    let found = ReplyRecorder.of("7E8 01 44 \r\r>", to: "04")
    #expect(found.messages == ["7E8 44"] && found.results.isEmpty)
    #expect(ReplyRecorder.of("44\r\r>", to: "04").messages == ["- 44"])
  }

  @Test func codes_by_status_mask_have_three_bytes_and_a_status() {
    #expect(results("5902FF0420002F01331C08", "1902FF") == ["codes 7E8 19 /02 stored P0420-00:2F P0133-1C:08"])
    #expect(results("5902FF", "1902FF") == ["codes 7E8 19 /02 stored"])
  }

  @Test func codes_of_obd_on_uds_are_read_in_both_forms() {
    // 19 42 33: status and severity masks, format, then severity, code, status (SAE J1979-2).
    #expect(
      results("594233FF FF 04 20 0420 00 2F".filter { $0 != " " }, "194233081E") == [
        "codes 7E8 19 /42 group 33 stored P0420-00:2F"
      ])
    #expect(
      results("595533FF04 0420 00 2F".filter { $0 != " " }, "195533") == [
        "codes 7E8 19 /55 group 33 permanent P0420-00:2F"
      ])
  }

  @Test func cut_answer_of_service_19_is_refused() {
    #expect(results("5902FF042000", "1902FF") == ["error truncated 7E8 at 25"])
    #expect(results("59", "1902FF") == ["error truncated 7E8 at 10"])
    #expect(results("5902FF0420002F", "190AFF").first?.hasPrefix("error unexpected") == true)
  }
}
