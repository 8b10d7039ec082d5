import Captures
import TestKit
import Testing

@Suite struct CaptureFormatDetectTests {
  @Test(arguments: samples)
  func no_format_is_taken_for_another(sample: Sample) throws {
    #expect(try detect(sample.text) == sample.format)
    #expect(try detect(sample.text, isWhole: false) == sample.format)
    #expect(try detect(sample.text.replacing("\n", with: "\r\n")) == sample.format)
  }

  @Test func chatter_in_front_of_the_first_event_does_not_matter() throws {
    let chatter = String(repeating: "INFO starting the engine of the program, please wait\n", count: 2000)
    #expect(try detect(chatter + "[obd.elm327] write: b'ATZ\\r'\n") == .pythonOBD)
    #expect(try detect(chatter + "(1436509052.249713) can0 7E8#06\n") == .candump)
  }

  @Test func a_line_of_one_command_is_a_transcript() throws {
    #expect(try detect("41 0C 1A F8\r") == .raw)
    #expect(try detect("?\r>") == .raw)
    #expect(try detect("\u{7F}\u{7F}\r?\r\r>OK\r\r>") == .raw)
  }

  @Test func a_transcript_with_an_odd_answer_to_AT_is_a_transcript() throws {
    #expect(
      try detect(
        "AT@1\rUnheard-of Adapter (c) Maker; all rights = reserved\r\r>ATI\rFOO v9\r\r>010C\r41 0C 00 00\r\r>")
        == .raw)
  }

  @Test(arguments: [
    ("speed,rpm\n12,800\n", 1), ("# notes\n\n> a quotation from a book\n> continues here\n", 1),
    ("{\"type\":\"telemetry\"}\n", 1), ("41 0C 1A F8\nhello, this is no adapter speaking\n", 2),
    ("< html >\n<body>\n> text\n", 1), ("3c3\n< int x;\n---\n> int y;\n", 2),
  ])
  func an_unknown_format_is_an_error_that_names_the_first_line_that_fits_none(text: String, line: Int) {
    let error = failure { () throws(CaptureError) in _ = try detect(text) }
    #expect(error?.kind == .unknownFormat)
    #expect(error?.line == line)
    #expect(error?.exitStatus == 65)
    #expect(error?.description.contains("fits no known format") == true)
  }

  @Test func a_capture_of_another_version_is_told_apart_from_an_unknown_format() {
    let error = failure { () throws(CaptureError) in _ = try detect("# obdgate-capture 2\n0.1 > 010C\\r\n") }
    #expect(error?.kind == .unsupportedVersion)
    #expect(error?.line == 1)
  }

  @Test func empty_content_is_reported_as_empty() {
    let error = failure { () throws(CaptureError) in _ = try detect("") }
    #expect(error?.kind == .empty)
  }

  @Test func archives_executables_and_noise_are_binary() {
    var noise = SystemRandomNumberGenerator()
    let random = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &noise) }
    for bytes in [[0x1F, 0x8B, 0x08, 0x00], [0x7F] + Array("ELF".utf8), [UInt8](repeating: 0, count: 100), random] {
      let error = failure { () throws(CaptureError) in _ = try CaptureFormat.detect(bytes.span, isWhole: true) }
      #expect(error?.kind == .binary)
      #expect(error?.exitStatus == 65)
    }
  }

  @Test func text_in_other_scripts_is_no_binary() {
    let error = failure { () throws(CaptureError) in
      _ = try detect(String(repeating: "Журнал адаптера — 記録\n", count: 50))
    }
    #expect(error?.kind == .unknownFormat)
  }

  @Test func a_head_of_one_line_past_1_MiB_is_too_long() {
    let bytes = [UInt8](repeating: 0x41, count: CaptureReader.lineLimit + 2)
    let error = failure { () throws(CaptureError) in _ = try CaptureFormat.detect(bytes.span, isWhole: false) }
    #expect(error?.kind == .lineTooLong)
  }

  @Test func every_receivers_log_is_NMEA() throws {
    let folder = try TestData.path("nmea")
    for name in try logs(in: folder) {
      var recorder = EventRecorder()
      var progress = NoProgress()
      var file = try CaptureFile(path: folder + "/" + name)
      #expect(file.format == .nmea, "\(name)")
      try file.read(as: .nmea, into: &recorder, progress: &progress)
      #expect(!recorder.events.isEmpty)
    }
  }
}
