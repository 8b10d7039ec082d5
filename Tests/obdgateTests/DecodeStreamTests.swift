import Foundation
import TestKit
import Testing

/// `decode` as a stream: one output line for each input line, whatever its content.
@Suite struct DecodeStreamTests {
  private static let good = #"{"request":"010C","lines":["7E8 04 41 0C 1A F8"]}"#

  @Test func order_is_kept_over_many_lines() throws {
    let lines = (0..<2_000).map { number in
      let digits = String(number, radix: 16, uppercase: true)
      return #"{"request":"010C","lines":["7E8 04 41 0C "#
        + String(repeating: "0", count: 4 - digits.count) + digits + #""]}"#
    }
    let answers = try decode(lines)
    #expect(answers.compactMap { $0.readings.first?["value"]?.number } == (0..<2_000).map { Double($0) / 4 })
  }

  @Test func a_request_depends_on_none_before_it() throws {
    let alone = try decode(#"{"lines":["41 0C 1A F8"]}"#)
    let answers = try decode([
      #"{"request":"03","lines":["7E8 10 08 43 03 01 33 04 20"],"protocol":"can11","headers":true}"#,
      #"{"lines":["41 0C 1A F8"]}"#, #"{"request":"ATSP3","lines":["OK"]}"#, #"{"lines":["41 0C 1A F8"]}"#,
    ])
    #expect(answers[1] == alone)
    #expect(answers[3] == alone)
  }

  @Test(arguments: [
    "not json", "{", #"{"request":"010C","lines":["41 0C 1A F8"]"#, "[1]", "7", "null", "", #"{"request":"010C"}"#,
    #"{"lines":[1]}"#, #"{"lines":{}}"#, #"{"request":12,"lines":[]}"#, #"{"lines":[],"protocol":"CAN"}"#,
    #"{"lines":[],"headers":"yes"}"#, #"{"lines":["\uD800"]}"#, #"{"lines":[]} x"#, "\u{1}",
  ])
  func an_invalid_request_is_reported_as_malformed_with_its_place(bad: String) throws {
    let result = try obdgate("decode", text: [Self.good, bad, Self.good].joined(separator: "\n") + "\n")
    #expect(result.status == 65)
    let answers = try PrintedJSON.lines(result.output)
    #expect(answers.count == 3)
    #expect(answers[0][reading: "rpm"] == 1726)
    #expect(answers[2] == answers[0])
    #expect(answers[1]["kind"] == "malformed")
    #expect(answers[1].kinds == ["malformed"])
    #expect(answers[1].readings.isEmpty)
    #expect(result.errors.contains("line 2"))
  }

  @Test func bytes_that_are_no_utf8_are_malformed() throws {
    let result = try obdgate(["decode"], stdin: Array(#"{"lines":[""#.utf8) + [0xFF, 0xFE] + Array("\"]}\n".utf8))
    #expect(result.status == 65)
    #expect(try PrintedJSON.lines(result.output).first?["kind"] == "malformed")
  }

  @Test func an_empty_input_is_bad_data() throws {
    let result = try obdgate("decode", text: "")
    #expect(result.status == 65)
    #expect(result.stdout.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func a_last_line_needs_no_end_and_crlf_is_one() throws {
    let result = try obdgate("decode", text: Self.good + "\r\n" + Self.good)
    #expect(result.status == 0)
    #expect(try PrintedJSON.lines(result.output).count == 2)
  }

  @Test func a_line_past_a_mebibyte_is_bad_data_and_the_stream_goes_on() throws {
    let long = #"{"lines":[""# + String(repeating: "4", count: 1 << 20) + #""]}"#
    let result = try obdgate("decode", text: [Self.good, long, Self.good].joined(separator: "\n") + "\n")
    #expect(result.status == 65)
    let answers = try PrintedJSON.lines(result.output)
    #expect(answers.map { $0["kind"] } == [nil, "malformed", nil])
    #expect(answers[2][reading: "rpm"] == 1726)
  }

  @Test func adapter_errors_are_results() throws {
    let answers = try decode([#"{"lines":["NO DATA"]}"#, #"{"lines":["7E8 03 7F 01 12"]}"#, #"{"lines":["zz"]}"#])
    #expect(answers.map { $0.kinds } == [["noData"], ["negativeResponse"], ["malformed"]])
  }

  @Test func a_reader_that_leaves_ends_it_quietly() throws {
    let program = try Tool.obdgate
    let lines = String(repeating: Self.good + "\n", count: 20_000)
    let result = try Tool.shell("'\(program)' decode | head -n 1", stdin: Array(lines.utf8))
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    #expect(result.lines.count == 1)
  }

  // MARK: Signal sets

  /// Two bytes of a van: a speed in steps of a half, a door, a gear.
  private static let set = #"""
    { "commands": [
      { "hdr": "7E0", "rax": "7E8", "cmd": {"22": "1940"}, "freq": 1,
        "signals": [
          {"id": "VAN_BELT_SPEED", "name": "Belt speed", "fmt": {"len": 16, "max": 650, "mul": 0.01, "unit": "metersPerSecond"}},
          {"id": "VAN_DOOR", "name": "Door", "fmt": {"bix": 16, "len": 1, "map": {"0": {"description": "shut", "value": "SHUT"}, "1": {"description": "open", "value": "OPEN"}}}},
          {"id": "VAN_TILT", "name": "Tilt", "fmt": {"bix": 24, "len": 8, "sign": true, "max": 127, "min": -128, "unit": "degrees"}}
        ]}
    ]}
    """#

  @Test func a_signal_set_names_what_only_its_maker_knows() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write("van.json", Self.set)
    let request = #"{"request":"221940","lines":["7E8 07 62 19 40 04 D2 80 F6"],"signals":"\#(path)"}"#
    let answer = try decode(request)
    #expect(answer.errors.isEmpty)
    #expect(answer.readings.map { $0["pid"] } == ["221940", "221940", "221940"])
    #expect(answer[reading: "VAN_BELT_SPEED"]?.isClose(to: 12.34) == true)
    #expect(answer[reading: "VAN_DOOR"] == "OPEN")
    #expect(answer[reading: "VAN_TILT"] == -10)
    // Without the signal set, the record has only the message.
    let bare = try decode("221940", ["7E8 07 62 19 40 04 D2 80 F6"])
    #expect(bare.payloads == ["62194004D280F6"])
    #expect(bare.readings.isEmpty)
    #expect(bare.errors.isEmpty)
    // A signal set does not remove the signals of the standard.
    #expect(
      try decode(#"{"request":"010C","lines":["7E8 04 41 0C 1A F8"],"signals":"\#(path)"}"#)[reading: "rpm"] == 1726)
  }

  @Test func a_missing_or_invalid_signal_set_is_reported_in_its_line() throws {
    let scratch = try ScratchFolder()
    let broken = try scratch.write("broken.json", "{ \"commands\": 7 }")
    for path in [scratch.path + "/none.json", broken, scratch.path] {
      let answers = try decode(
        [#"{"lines":["41 0C 1A F8"],"signals":"\#(path)"}"#, Self.good], status: 65)
      #expect(answers.map { $0["kind"] } == ["malformed", nil])
    }
  }
}
