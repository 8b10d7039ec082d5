import Testing

/// `decode`: messages of an adapter or an ECU that are not values.
@Suite struct DecodeErrorsTests {
  static let words: [(String, String)] = [
    ("NO DATA", "noData"), ("NODATA", "noData"), ("UNABLE TO CONNECT", "unableToConnect"),
    ("UNABLE T", "unableToConnect"), ("SEARCHING...UNABLE TO CONNECT", "unableToConnect"),
    ("BUS INIT: ERROR", "busInit"), ("BUS INIT: ...ERROR", "busInit"), ("BUSINIT:ERROR", "busInit"),
    ("BUS BUSY", "busBusy"), ("BUS ERROR", "busError"), ("FB ERROR", "busError"), ("CAN ERROR", "canError"),
    ("BUFFER FULL", "bufferFull"), ("DATA ERROR", "dataError"), ("<DATA ERROR", "dataError"),
    ("<RX ERROR", "rxError"), ("STOPPED", "stopped"), ("?", "unknownCommand"),
    ("?WRONG HEXCHAR COUNT", "unknownCommand"), ("LV RESET", "lowVoltage"), ("ACT ALERT", "activityAlert"),
    ("!ACT ALERT", "activityAlert"), ("LP ALERT", "lowPower"), ("!LP ALERT", "lowPower"),
    ("ELM327 v1.5", "adapterReset"), ("ERR94", "adapterError"), ("ERR71", "adapterError"),
    ("FC RX TIMEOUT", "adapterError"), ("hello world", "malformed"),
  ]

  @Test(arguments: words) func every_word_of_an_adapter_has_its_kind(text: String, kind: String) throws {
    let answer = try decode("010C", [text])
    #expect(
      answer == [
        "messages": [], "readings": [],
        "errors": [["kind": .text(kind), "line": 0, "offset": 0, "bytes": .text(text)]],
      ])
    // The answer as it is read from the adapter, with the prompt. After the echo, the error is one line later.
    let transcript = try decode(#"{"request":"010C","lines":"010C\r\#(text)\r\r>"}"#)
    #expect(transcript.kinds == [kind])
    #expect(transcript.errors.first?["line"] == 1)
    #expect(transcript.readings.isEmpty)
  }

  @Test(arguments: [
    ("48 6B 10 41 0C 1A F8 22 <DATA ERROR", "dataError", 24), ("7E8 04 41 0C 1A F8 <DATA ERROR", "dataError", 19),
    ("41 0C 1A F8 <RX ERROR", "rxError", 12), ("7E804410C1AF8<RX ERROR", "rxError", 13),
  ])
  func data_that_the_adapter_calls_damaged_is_not_read(line: String, kind: String, offset: Int) throws {
    let answer = try decode("010C", [line])
    #expect(answer.readings.isEmpty)
    #expect(answer.kinds == [kind])
    #expect(answer.errors.first?["offset"]?.number == Double(offset))
  }

  static let damaged: [(String, String, String)] = [
    ("7E8 04 41 0C 1A", "truncated", ""), ("7E8 03 41 0C 1A", "truncated", ""), ("41 0C 1A", "truncated", ""),
    ("7E8 04 41 0C 1A F", "malformed", ""), ("7E8 04 41 0C 1A F8 00 00 00 00", "malformed", ""),
    ("7E8 41 0C 1A F8", "malformed", #""protocol":"can11","headers":true"#),
    ("41 0C 1A F8", "malformed", #""protocol":"can11","headers":true"#),
    ("7E8 04 41 0C 1A F8", "malformed", #""protocol":"can11","headers":false"#),
    ("84 F1 10 41 0C 1A F8 E5", "checksum", #""protocol":"kwp","headers":true"#),
    ("48 6B 10 41 0C 1A F8 23", "checksum", #""protocol":"iso9141","headers":true"#),
    ("48 6B 10 41 0C 1A F8 22", "checksum", #""protocol":"j1850vpw","headers":true"#),
    ("41 6B 10 41 0C 1A F8 3C", "checksum", #""protocol":"j1850pwm","headers":true"#),
    ("48 6B 10 41 0C 1A F9 22", "checksum", ""),
  ]

  @Test(arguments: damaged) func a_damaged_frame_gives_its_bytes_and_no_value(
    line: String, kind: String, settings: String
  ) throws {
    let answer = try decode("010C", [line], settings)
    #expect(answer.readings.isEmpty)
    #expect(answer.kinds == [kind])
    let error = try #require(answer.errors.first)
    #expect(error["bytes"]?.text == line)
    #expect(error["line"] == 0)
    let offset = try #require(error["offset"]?.number)
    #expect((0...Double(line.utf8.count)).contains(offset))
  }

  @Test func an_answer_without_a_request_is_unexpected() throws {
    for (request, line) in [
      ("010C", "7E8 03 41 0D 2A"), ("010C", "7E8 06 49 02 01 31 44 34"), ("03", "7E8 02 47 00"),
      ("221234", "7E8 05 62 12 35 56 78"), ("020C00", "7E8 04 42 0D 00 2A"),
    ] {
      let answer = try decode(request, [line])
      #expect(answer.kinds == ["unexpected"], "\(request)")
      #expect(answer.readings.isEmpty)
      #expect(answer.payloads.count == 1)
    }
  }

  @Test func a_negative_answer_says_service_and_code() throws {
    let answer = try decode("010C", ["7E8 03 7F 01 12"])
    #expect(answer.payloads == ["7F0112"])
    #expect(answer.readings.isEmpty)
    #expect(
      answer.errors.map { $0.only("kind", "service", "nrc", "ecu") } == [
        ["kind": "negativeResponse", "service": "01", "nrc": "12", "ecu": "7E8"]
      ])
    let legacy = try decode("22F190", ["7F 22 31"])
    #expect(
      legacy.errors.first?.only("kind", "service", "nrc") == [
        "kind": "negativeResponse", "service": "22", "nrc": "31",
      ])
  }

  @Test func response_pending_is_an_error_only_when_nothing_follows() throws {
    let alone = try decode("010C", ["7E8 03 7F 01 78"])
    #expect(alone.kinds == ["negativeResponse"])
    #expect(alone.errors.first?["nrc"] == "78")
    let followed = try decode("010C", ["7E8 03 7F 01 78", "7E8 03 7F 01 78", "7E8 04 41 0C 1A F8"])
    #expect(followed.errors.isEmpty)
    #expect(followed[reading: "rpm"] == 1726)
    // The errors of each ECU are separate.
    let other = try decode("010C", ["7E8 03 7F 01 78", "7E9 04 41 0C 1A F8"])
    #expect(other.kinds == ["negativeResponse"])
    #expect(other.errors.first?["ecu"] == "7E8")
    #expect(other[reading: "rpm"] == 1726)
  }

  @Test func an_empty_reply_is_not_a_decoding_error() throws {
    for lines in [#"[]"#, #""""#, #"[""]"#, #"["SEARCHING..."]"#, #""\r\r>""#] {
      #expect(
        try decode(#"{"request":"010C","lines":\#(lines)}"#) == ["messages": [], "readings": [], "errors": []])
    }
    #expect(try decode("ATE0", ["OK"]).errors.isEmpty)
    #expect(try decode("ATZ", ["ELM327 v1.5"]).errors.isEmpty)
  }
}
