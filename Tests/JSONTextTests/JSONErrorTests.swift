import JSONText
import Testing

struct JSONErrorTests {
  /// Error messages for people: position, path, expected and found value.
  @Test(arguments: [
    ("", "1:1: no JSON value: the text is empty"),
    ("\u{FEFF}{}", "1:1: the text begins with a byte order mark; save it as UTF-8 without one"),
    (
      "{\n  \"adapters\": [\n    { \"baud\": 1 },\n    { \"baud\": }\n  ]\n}",
      "4:15: adapters[1].baud: expected a value, found '}'"
    ),
    ("[1, 2", "1:6: [2]: the text ends here; expected ',' or ']'"),
    ("[1 2]", "1:4: [1]: expected ',' or ']', found '2'"),
    ("{\"a\":1, b:2}", "1:9: expected a key in quotes, found 'b'"),
    ("{\"a\":1\n\"b\":2}", "2:1: a: expected ',' or '}', found '\"'"),
    ("[true, flase]", "1:9: [1]: expected false, found 'l'"),
    ("{\"odd key\":{\"é\":[01]}}", "1:18: [\"odd key\"][\"é\"][0]: not a JSON number: expected no leading zero"),
    ("{\"a\":1.}", "1:8: a: not a JSON number: expected a digit behind the point"),
    ("\"a\tb\"", "1:3: a tab is not allowed in a string; write \\u0009"),
    ("\"\\ud83d\"", "1:2: half a surrogate pair; a character above U+FFFF is written \\uD8xx\\uDCxx"),
    ("{} x", "1:4: expected the end of the text after its value, found 'x'"),
    ("[\"😀é\", ?]", "1:8: [1]: expected a value, found '?'"),
    ("{\"k\":1,\n\"k\":2}", "2:1: key \"k\" again; it is already in line 1"),
  ])
  func message_says_where_what_and_what_would_be_right(_ text: String, _ message: String) throws {
    #expect(try #require(refusal(text)).message == message)
  }

  @Test(arguments: [("\n\n?", 3), ("\r\n\r\n?", 3), ("\r\r?", 3), ("\n\r?", 3), (" \r\n\r ?", 3)])
  func every_kind_of_line_end_counts_once(_ text: String, _ line: Int) throws {
    #expect(try #require(refusal(text)).line == line)
  }

  @Test func column_counts_characters_and_offset_counts_bytes() throws {
    let refused = try #require(refusal("[\"äöü€\",x]"))
    #expect((refused.column, refused.offset) == (9, 13))
  }

  @Test func a_message_begins_with_the_file_and_the_position() throws {
    #expect(try #require(refusal("[")).message(in: "gateway.json").hasPrefix("gateway.json:1:2: "))
  }

  @Test func message_is_one_line_whatever_the_key() throws {
    let key = "a\\n\\u2028\\u001b\\\"" + String(repeating: "x", count: 500)
    let refused = try #require(refusal("{\"\(key)\":1,\"\(key)\":1}"))
    #expect(refused.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x2028 })
    #expect(refused.message.utf8.count < 160)
    #expect(refused.message.contains(#""a\u{A}\u{2028}\u{1B}\"xxx"#))
  }
}
