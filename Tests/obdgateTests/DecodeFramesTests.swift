import Testing

/// `decode`: the forms in which adapters print frames.
@Suite struct DecodeFramesTests {
  @Test func a_frame_is_decoded_with_its_ecu_and_unit() throws {
    let answer = try decode(
      #"{"request":"010C","lines":["7E8 04 41 0C 1A F8"],"protocol":"can11","headers":true}"#)
    #expect(
      answer == [
        "messages": [["ecu": "7E8", "payload": "410C1AF8"]],
        "readings": [["name": "rpm", "pid": "010C", "value": 1726, "unit": "rpm", "ecu": "7E8"]], "errors": [],
      ])
  }

  static let forms: [(String, String, String)] = [
    ("7E8 04 41 0C 1A F8", "can11", "7E8"), ("7E804410C1AF8", "can11", "7E8"),
    ("7e8 04 41 0c 1a f8", "can11", "7E8"), ("7E8 04 41 0C 1A F8 AA AA AA", "can11", "7E8"),
    ("7E8 04 41 0C 1A F8 55 55 55", "can11", "7E8"), ("7E8 04410C1AF8CCCCCC", "can11", "7E8"),
    ("7E8 8 04 41 0C 1A F8 00 00 00", "can11", "7E8"), ("7E8804410C1AF8000000", "can11", "7E8"),
    ("7EF 04 41 0C 1A F8", "can11", "7EF"), ("18 DA F1 10 04 41 0C 1A F8", "can29", "18DAF110"),
    ("18DAF11004410C1AF8", "can29", "18DAF110"), ("18 DA F1 58 04 41 0C 1A F8 AA AA AA", "can29", "18DAF158"),
    ("18 DA F1 10 8 04 41 0C 1A F8 00 00 00", "can29", "18DAF110"), ("84 F1 10 41 0C 1A F8 E4", "kwp", "10"),
    ("84F110410C1AF8E4", "kwp", "10"), ("80 F1 10 04 41 0C 1A F8 E4", "kwp", "10"),
    ("48 6B 10 41 0C 1A F8 22", "iso9141", "10"), ("486B13410C1AF825", "iso9141", "13"),
    ("48 6B 10 41 0C 1A F8 B2", "j1850vpw", "10"), ("41 6B 10 41 0C 1A F8 3D", "j1850pwm", "10"),
  ]

  @Test(arguments: forms) func a_frame_with_headers_says_who_sent_it(line: String, bus: String, ecu: String) throws {
    let stated = try decode("010C", [line], #""protocol":"\#(bus)","headers":true"#)
    #expect(stated.payloads == ["410C1AF8"])
    #expect(
      stated.readings == [["name": "rpm", "pid": "010C", "value": 1726, "unit": "rpm", "ecu": .text(ecu)]])
    #expect(stated.errors.isEmpty)
    // If they are left out, the same result follows from the line itself, with or without a known request.
    #expect(try decode("010C", [line]) == stated)
    #expect(try decode("010C", [line], #""protocol":"auto""#) == stated)
    #expect(try decode(nil, [line], #""protocol":"\#(bus)""#) == stated)
  }

  @Test(arguments: ["can11", "can29", "kwp", "iso9141", "j1850pwm", "j1850vpw"], ["41 0C 1A F8", "410C1AF8"])
  func without_headers_no_ecu_is_named(bus: String, line: String) throws {
    let answer = try decode("010C", [line], #""protocol":"\#(bus)","headers":false"#)
    #expect(
      answer == [
        "messages": [["payload": "410C1AF8"]],
        "readings": [["name": "rpm", "pid": "010C", "value": 1726, "unit": "rpm"]], "errors": [],
      ])
    #expect(try decode(nil, [line]) == answer)
  }

  @Test func without_automatic_formatting_the_length_byte_is_seen() throws {
    let answer = try decode("010C", ["04 41 0C 1A F8 00 00 00"], #""protocol":"can11","headers":false"#)
    #expect(answer.payloads == ["410C1AF8"])
    #expect(answer[reading: "rpm"] == 1726)
  }

  @Test func null_is_as_good_as_left_out() throws {
    let answer = try decode(
      #"{"request":null,"lines":["7E8 04 41 0C 1A F8"],"protocol":null,"headers":null,"signals":null}"#)
    #expect(answer[reading: "rpm"] == 1726)
  }

  @Test(arguments: ["010C", "01 0C", "010c", "010C1", "010C\\r", " 010C "])
  func a_request_may_be_written_as_one_types_it(request: String) throws {
    #expect(try decode(request, ["7E8 04 41 0C 1A F8"])[reading: "rpm"] == 1726)
  }

  @Test(arguments: [
    #"010C\r7E8 04 41 0C 1A F8 \r\r>"#, #"7E8 04 41 0C 1A F8 \r\r>"#, #"\r\n7E8 04 41 0C 1A F8 \r\n\r\n>"#,
    #"SEARCHING...\r7E8 04 41 0C 1A F8 \r\r>"#, #"SEARCHING...7E8 04 41 0C 1A F8\r"#, #"7E8 04 41 0C 1A F8"#,
    #"\u0000\u00007E8 04 41 0\u0000C 1A F8 \r\r\u0000>"#, #"\u00FC\u00FF\r7E8 04 41 0C 1A F8 \r\r>"#,
    #"001100CC\r7E8 04 41 0C 1A F8 \r\r>"#, #"010C7E8 04 41 0C 1A F8 \r\r>"#,
  ])
  func lines_may_be_one_string_as_read_from_an_adapter(text: String) throws {
    let answer = try decode(#"{"request":"010C","lines":"\#(text)"}"#)
    #expect(
      answer == [
        "messages": [["ecu": "7E8", "payload": "410C1AF8"]],
        "readings": [["name": "rpm", "pid": "010C", "value": 1726, "unit": "rpm", "ecu": "7E8"]], "errors": [],
      ])
  }

  @Test func a_line_that_begins_with_the_prompt_starts_the_next_exchange() throws {
    let answer = try decode(
      "010C", ["7E8 04 41 0C 1A F8", ">010D", "7E8 03 41 0D 2A", "> 7E0.7E8.0144", "7E8 04 41 44 80 00"])
    #expect(answer.payloads == ["410C1AF8", "410D2A", "41448000"])
    #expect(answer.readings.map { $0["pid"] } == ["010C", "010D", "0144"])
    #expect(answer.readings.map { $0["value"] } == [1726, 42, 1])
    #expect(answer.errors.isEmpty)
  }

  @Test func an_exchange_that_failed_does_not_touch_the_next() throws {
    let answer = try decode(
      nil, ["> 760.768.222B09|f=2009-", "CAN ERROR", ">010C", "NO DATA", ">010D", "7E8 03 41 0D 2A"])
    #expect(answer.kinds == ["canError", "noData"])
    #expect(answer.errors.map { $0["line"] } == [1, 3])
    #expect(answer.readings.map { $0["name"] } == ["speed"])
  }

  // MARK: More than one frame

  static let vin = "4902013144344750303052353542313233343536"
  static let first = "7E8 10 14 49 02 01 31 44 34"
  static let second = "7E8 21 47 50 30 30 52 35 35"
  static let third = "7E8 22 42 31 32 33 34 35 36"

  static let multi: [([String], String)] = [
    ([first, second, third], "7E8"), (["7E81014490201314434", "7E82147503030523535", "7E82242313233343536"], "7E8"),
    (["7E0 30 00 00 00 00 00 00 00", first, second, third], "7E8"),
    (
      ["18 DA F1 10 10 14 49 02 01 31 44 34", "18DAF1102147503030523535", "18 DA F1 10 22 42 31 32 33 34 35 36"],
      "18DAF110"
    ), (["014", "0: 49 02 01 31 44 34", "1: 47 50 30 30 52 35 35", "2: 42 31 32 33 34 35 36"], "-"),
    (["014", "0:490201314434", "1:47503030523535", "2:42313233343536"], "-"),
    (["0140:4902013144341:475030305235352:42313233343536"], "-"),
  ]

  @Test(arguments: multi) func a_segmented_answer_is_one_message(lines: [String], ecu: String) throws {
    let answer = try decode("0902", lines)
    #expect(answer.payloads == [Self.vin])
    #expect(answer.senders == [ecu])
    #expect(answer.readings.count == 1)
    #expect(answer.readings.first?.only("name", "pid", "value") == Self.vinReading)
    #expect(answer.errors.isEmpty)
  }

  static let vinReading: PrintedJSON = ["name": "vin", "pid": "0902", "value": "1D4GP00R55B123456"]

  @Test func padding_is_cut_by_the_length() throws {
    for padding in ["00", "55", "AA", "CC"] {
      let answer = try decode(
        "03",
        [
          "7E8 10 08 43 03 01 33 04 20",
          ["7E8 21 C1 00", padding, padding, padding, padding, padding].joined(separator: " "),
        ]
      )
      #expect(answer.payloads == ["430301330420C100"])
      #expect(answer[reading: "dtcCodes"] == ["P0133", "P0420", "U0100"])
    }
  }

  @Test func each_ecu_is_reassembled_on_its_own() throws {
    let answer = try decode(
      "0902",
      [
        Self.first, "7E9 10 14 49 02 01 57 44 42", Self.second, "7E9 21 39 30 36 36 33 33 31",
        "7E9 22 53 32 39 34 37 31 35",
        Self.third,
      ])
    #expect(Set(answer.senders) == ["7E8", "7E9"])
    let vins = Dictionary(
      uniqueKeysWithValues: answer.readings.map { ($0["ecu"]?.text ?? "", $0["value"]?.text ?? "") })
    #expect(vins == ["7E8": "1D4GP00R55B123456", "7E9": "WDB9066331S294715"])
    #expect(answer.errors.isEmpty)
  }

  static let broken: [([String], String, Int)] = [
    // The second frame is missing, frames are out of order or doubled, or the beginning or the end is missing.
    ([first, third], "sequence", 1), ([first, third, second], "sequence", 1),
    ([first, second, second, third], "sequence", 2), ([second], "sequence", 0), ([first, second], "truncated", 1),
    ([first], "truncated", 0),
  ]

  @Test(arguments: broken) func an_incomplete_message_is_not_decoded(
    lines: [String], kind: String, line: Int
  ) throws {
    let answer = try decode("0902", lines)
    #expect(answer.payloads.isEmpty)
    #expect(answer.readings.isEmpty)
    #expect(answer.kinds == [kind])
    #expect(answer.errors.first?["line"]?.number == Double(line))
    #expect(answer.errors.first?["ecu"] == "7E8")
  }

  @Test func the_index_wraps_behind_fifteen() throws {
    // 7 bytes a frame: 6 + 17 × 7 = 125.
    var lines = ["7E8 10 7D 62 12 34 00 00 00"]
    for index in 1...17 {
      let digit = String(index % 16, radix: 16, uppercase: true)
      lines.append("7E8 2\(digit) 01 02 03 04 05 06 07")
    }
    let answer = try decode("221234", lines)
    #expect(answer.payloads.map(\.count) == [250])
    #expect(answer.errors.isEmpty)
  }

  @Test func a_legacy_vin_comes_in_five_messages() throws {
    let bare = [
      "49 02 01 00 00 00 31", "49 02 02 44 34 47 50", "49 02 03 30 30 52 35", "49 02 04 35 42 31 32",
      "49 02 05 33 34 35 36",
    ]
    let answer = try decode("0902", bare, #""protocol":"iso9141","headers":false"#)
    #expect(answer.readings == [Self.vinReading])
    #expect(answer.payloads.count == 5)
    #expect(answer.errors.isEmpty)
    let headed = [
      "48 6B 10 49 02 01 00 00 00 31 40", "48 6B 10 49 02 02 44 34 47 50 1F", "48 6B 10 49 02 03 30 30 52 35 F8",
      "48 6B 10 49 02 04 35 42 31 32 EC", "48 6B 10 49 02 05 33 34 35 36 E5",
    ]
    let named = try decode("0902", headed)
    #expect(named.readings.first?["value"] == "1D4GP00R55B123456")
    #expect(named.readings.first?["ecu"] == "10")
    let lacking = try decode("0902", [bare[0], bare[1], bare[3], bare[4]], #""protocol":"iso9141","headers":false"#)
    #expect(lacking.readings.isEmpty)
    #expect(lacking.kinds == ["sequence"])
  }

  @Test func several_ecus_run_together_are_told_apart_by_their_lengths() throws {
    let answer = try decode("0100", ["41 00 BE 3F A8 1341 00 98 18 00 01"])
    #expect(answer.payloads == ["4100BE3FA813", "410098180001"])
  }

  @Test func identical_duplicates_are_one_message_others_are_two() throws {
    let frame = "7E8 04 41 0C 1A F8"
    #expect(try decode("010C", [frame, frame]).payloads == ["410C1AF8"])
    #expect(try decode("010C", [frame, frame]).readings.count == 1)
    #expect(try decode("010C", [frame, "7E9 04 41 0C 1A F8"]).senders == ["7E8", "7E9"])
    #expect(try decode("010C", [frame, "7E8 04 41 0C 1A F9"]).payloads == ["410C1AF8", "410C1AF9"])
  }
}
