import Captures
import Testing

@Suite struct CaptureWriterTests {
  private func write(_ events: [Event]) -> [UInt8] {
    var writer = CaptureWriter()
    writer.header(adapter: "ELM327 v1.5", recorded: "2026-06-27T04:04:59.906Z", provenance: "a test")
    for event in events {
      guard case .offset(let time) = event.time else { continue }
      writer.event(event.direction, at: time, event.bytes.span)
    }
    return writer.text
  }

  @Test func a_written_capture_reads_back_byte_for_byte() throws {
    let events = [
      to("010C\r", .after(0.2)), from("41 0C 0A", .after(0.328114)), from("A0\r\r>", .after(0.331020)),
      gps("$GPRMC,1*00\r\n", .after(0.35)), from(" \\ ", .after(1)),
      Event(direction: .fromAdapter, time: .after(61), bytes: Array(0...255)),
    ]
    let recorder = try read(write(events), as: .capture)
    #expect(recorder.events == events)
    #expect(recorder.adapter == "ELM327 v1.5")
    #expect(recorder.provenance == "a test")
    #expect(recorder.recorded == 1_782_533_099_906_000_000)
  }

  @Test func lines_look_as_the_format_says_and_blanks_at_their_ends_are_seen() {
    let text = String(decoding: write([to("010C\r", .after(0.2)), from(" 41 0C ", .after(12.5))]), as: UTF8.self)
    #expect(
      text == """
        # obdgate-capture 1
        # adapter: ELM327 v1.5   recorded: 2026-06-27T04:04:59.906Z   provenance: a test
        0.200000 > 010C\\r
        12.500000 < \\x2041 0C\\x20

        """)
  }

  @Test func the_capture_header_omits_unknown_fields_and_keeps_each_value_on_one_line() throws {
    var writer = CaptureWriter()
    writer.header(adapter: "", recorded: nil, provenance: "one\ntwo")
    let text = String(decoding: writer.text, as: UTF8.self)
    #expect(text == "# obdgate-capture 1\n# provenance: one two\n")
    #expect(try CaptureFormat.detect(writer.text.span, isWhole: true) == .capture)
  }

  @Test func cleared_text_is_discarded_and_empty_events_are_omitted() {
    var writer = CaptureWriter()
    writer.header(adapter: "", recorded: nil, provenance: "")
    writer.clear()
    #expect(writer.text.isEmpty)
    writer.event(.fromAdapter, at: 0, [UInt8]().span)
    #expect(writer.text.isEmpty)
  }
}
