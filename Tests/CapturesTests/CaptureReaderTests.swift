import Captures
import Testing

@Suite struct CaptureReaderTests {
  @Test(arguments: samples)
  func a_log_in_its_programs_syntax_gives_exactly_its_events(sample: Sample) throws {
    #expect(try read(sample.bytes, as: sample.format).events == sample.events)
  }

  @Test(arguments: samples.filter { $0.format.hasEvents })
  func any_split_gives_the_same_events(sample: Sample) throws {
    var wrong: [Int] = []
    try readAtEverySplit(sample.bytes, as: sample.format) { recorder, cut in
      if recorder.events != sample.events { wrong.append(cut) }
    }
    #expect(wrong.isEmpty, "cut at these bytes")
    #expect(try read(sample.bytes, as: sample.format, chunk: 1).events == sample.events)
  }

  @Test(arguments: samples.filter { !$0.format.hasEvents })
  func a_byte_stream_passes_unchanged_in_any_chunks(sample: Sample) throws {
    var wrong: [Int] = []
    try readAtEverySplit(sample.bytes, as: sample.format) { recorder, cut in
      if recorder.events.flatMap(\.bytes) != sample.bytes { wrong.append(cut) }
    }
    #expect(wrong.isEmpty, "cut at these bytes")
  }

  @Test(arguments: samples.filter { $0.format.hasEvents && $0.format != .obdgpslogger })
  func line_ends_of_CR_LF_change_nothing(sample: Sample) throws {
    let text = sample.text.replacing("\n", with: "\r\n")
    // The line end of socat itself may be a byte of the data: even if it is CR LF, it is one LF.
    #expect(try read(text, as: sample.format).events == sample.events)
  }

  @Test(arguments: samples.filter { $0.format.hasEvents && $0.format != .obdgpslogger && $0.format != .socat })
  func a_last_line_without_its_end_is_a_line(sample: Sample) throws {
    #expect(try read(String(sample.text.dropLast()), as: sample.format).events == sample.events)
  }

  @Test(arguments: [CaptureFormat.capture, .pythonOBD, .appLog, .candump, .crtd, .socat, .obd2raw, .androbd])
  func a_line_past_1_MiB_is_an_error_that_names_it(format: CaptureFormat) {
    let bytes = Array("\n\n".utf8) + [UInt8](repeating: 0x41, count: CaptureReader.lineLimit + 1)
    for chunk in [Int.max, 65_536] {
      let error = failure { () throws(CaptureError) in _ = try read(bytes, as: format, chunk: chunk) }
      #expect(error?.kind == .lineTooLong)
      #expect(error?.line == 3)
      #expect(error?.exitStatus == 65)
    }
  }

  @Test(arguments: [CaptureFormat.raw, .nmea, .obdgpslogger])
  func a_stream_without_a_line_end_for_more_than_1_MiB_is_an_error(format: CaptureFormat) throws {
    let limit = CaptureReader.lineLimit
    for chunk in [Int.max, 4096, 65_537] {
      let short = [UInt8](repeating: 0x41, count: limit) + [0x0D] + [UInt8](repeating: 0x42, count: limit) + [0x3E]
      #expect(try read(short, as: format, chunk: chunk).events.flatMap(\.bytes) == short)
      let long = [0x0D] + [UInt8](repeating: 0x41, count: limit + 1) + [0x0D]
      let error = failure { () throws(CaptureError) in _ = try read(long, as: format, chunk: chunk) }
      #expect(error?.kind == .lineTooLong)
    }
  }

  @Test(arguments: [
    (CaptureFormat.capture, "0.1 > 010C\\r\n0.2 x 41\n", 2), (.capture, "0.1 > 010C\\q\n", 1),
    (.capture, "\n0.1 >010C\n", 2), (.capture, "now > 010C\n", 1), (.capture, "0.1 > \\x4\n", 1),
    (.capture, "# obdgate-capture 1\n# recorded: 2026-13-27T04:04:59Z\n", 2),
    (.pythonOBD, "chatter\n[obd.elm327] read: b'41 0C\n", 2), (.pythonOBD, "[obd.elm327] write: b'01\\0C\\z'\n", 1),
    (.elm327Emulator, "2026-11-21 09:41:34,434 - root - DEBUG - Received '010C\n", 1),
    (.androbd, "2026-11-21\t09:41:34.243\tFINE\tprot\tElmProt@35 TX:'0100\n", 1),
    (.obd2raw, "# obd2-raw v1\n0.200 W 010C\\r\n0.3 41 0C\n", 3), (.obd2raw, "0.200 Q 010C\\r\n", 1),
    (.candump, "(1436509052.249713) can0 7E8#06410\n", 1), (.candump, "\n(1436509052.2497", 2),
    (.candump, "  can0  7E8   [8]  06 41 00\n", 1), (.candump, "  can0  7E8   [3]  06 41 00 11\n", 1),
    (.crtd, "1320745424.000 CXX\n1320745424.002 1R11 7E8 06 4\n", 2), (.crtd, "1320745424.002 1R11 FFFF 06\n", 1),
    (.crtd, "1320745424.002 1R11 7E8 01 02 03 04 05 06 07 08 09\n", 1),
    (.socat, "> 2015/07/10 05:57:32.249713  length=5 from=0 to=4\n010C\\r41 0C\n", 2),
    (
      .socat,
      "> 2015/07/10 05:57:32.249713  length=9 from=0 to=8\n010C\n> 2015/07/10 05:57:33.249713  length=5 from=0 to=4\n",
      3
    ),
    (.socat, "> 2015/07/10 05:57:32.249713  length=0 from=0 to=4\n", 1),
  ])
  func a_damaged_line_is_an_error_that_names_it(format: CaptureFormat, log: String, line: Int) {
    let error = failure { () throws(CaptureError) in _ = try read(log, as: format) }
    #expect(error?.kind == .damagedLine)
    #expect(error?.line == line)
    #expect(error?.format == format)
    #expect(error?.exitStatus == 65)
  }

  @Test func an_error_says_where_what_and_what_would_be_right() {
    let error = failure { () throws(CaptureError) in _ = try read("0.1 > 010C\\r\n0.2 x \"41\"\u{7}\r\n", as: .capture)
    }
    #expect(
      error?.description(of: "trip.capture")
        == #"trip.capture: line 2: "0.2 x \"41\"\x07" is not a line of the format capture: expected as in 0.328114 < 41 0C 0A A0\r\r>"#
    )
    let long = failure { () throws(CaptureError) in
      _ = try read(String(repeating: "long ", count: 40), as: .capture)
    }
    #expect(long?.description.hasPrefix(#"line 1: "long long long long long long long long long lon…""#) == true)
    #expect(long?.description.contains("\n") == false)
  }

  @Test(arguments: CaptureFormat.allCases)
  func no_bytes_give_no_events(format: CaptureFormat) throws {
    #expect(try read("", as: format).events.isEmpty)
  }

  @Test(arguments: CaptureFormat.allCases)
  func a_format_is_found_by_its_name(format: CaptureFormat) {
    #expect(CaptureFormat(name: "\(format.name)") == format)
    #expect(CaptureFormat(name: "\(format.name)".uppercased().replacing("-", with: "_")) == format)
    #expect(CaptureFormat(name: "pcap") == nil)
  }
}
