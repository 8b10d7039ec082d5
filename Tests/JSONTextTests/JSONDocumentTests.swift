import JSONText
import Testing

/// Parses a text, or throws the error with which it is rejected.
func read(_ text: String, maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
  try JSONDocument(parsing: Array(text.utf8), maximumDepth: maximumDepth).root
}

func refusal(_ text: String, maximumDepth: Int = 64) -> JSONError? {
  refusal(Array(text.utf8), maximumDepth: maximumDepth)
}

func refusal(_ bytes: [UInt8], maximumDepth: Int = 64) -> JSONError? {
  do throws(JSONError) {
    _ = try JSONDocument(parsing: bytes, maximumDepth: maximumDepth)
    return nil
  } catch {
    return error
  }
}

struct JSONDocumentTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1", "-1.5e+10", "1E5", "0.0", #""""#, #""a""#, "[]", "{}", " [ ] ",
    "\t{\r\n}\n",
    "[1,2,3]", "[[[]]]", #"{"a":1}"#, #"{"a":{"b":[{}]},"c":null}"#, #""\u0000\u001f""#, #""\"\\\/\b\f\n\r\t""#,
    #""é€😀""#, "\"\u{7F}\u{80}\"", #""\uD834\uDD1E""#, #"{"":""}"#, #"{"a":1,"A":2}"#, "1e400",
    "123456789012345678901234567890",
  ])
  func text_of_rfc_8259_is_read(_ text: String) throws {
    _ = try read(text)
  }

  @Test(arguments: [
    "", " ", "nul", "nulL", "True", "TRUE", "NaN", "Infinity", "-Infinity", "-", "+1", "01", "-01", "1.", ".5", "1.e3",
    "1e",
    "1e+", "0x10", "1_000", "1 2", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "{a:1}", "{'a':1}",
    #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a" 1}"#, #"{"a":1 "b":2}"#, #"{1:2}"#, #"{"a":1,,"b":2}"#, #"""#, #""a"#,
    "'a'",
    "\"a\nb\"", "\"a\tb\"", "\"\u{0}\"", #""\a""#, #""\x41""#, #""\u12""#, #""\u12G4""#, #""\"#, #""\u"#, #""\uD834""#,
    #""\uD834x""#, #""\uDD1E""#, #""\uD834\uD834""#, #""\uD834\n""#, "// c\n1", "/* */ 1", "1 // c", "[1]x",
    "\u{FEFF}1",
    "\u{A0}1", "\u{C}1", "[1\u{0}]", "{\"a\":1}{", #"{"a":1,"a":2}"#,
  ])
  func text_outside_rfc_8259_is_refused(_ text: String) {
    #expect(refusal(text) != nil)
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
      [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF0, 0x9F, 0x98],
      [0xE2, 0x28, 0xA1], [0xF0, 0x9F, 0x98, 0x41],
    ] as [[UInt8]])
  func bytes_that_are_not_utf8_are_refused_where_they_begin(_ bytes: [UInt8]) throws {
    for prefix in ["\"", "\"plain", "\"an escape \\n "] {
      let refused = try #require(refusal(Array(prefix.utf8) + bytes + [0x22]))
      #expect(refused.kind == .invalidUTF8)
      #expect(refused.offset == prefix.utf8.count)
    }
  }

  @Test func edges_of_every_utf8_length_are_read() throws {
    let text = "\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}"
    #expect(try read("\"\(text)\"").string == text)
    #expect(try read("\"\\t\(text)\"").string == "\t" + text)
  }

  @Test func plain_runs_of_every_length_end_where_they_must() throws {
    // The parser reads eight bytes at a time. Every special byte is tested at every place in such a word.
    for length in 0..<40 {
      let run = String(repeating: "x", count: length)
      #expect(try read("\"\(run)\"").string == run)
      #expect(try read("\"\(run)\\\"é\"").string == run + "\"é")
      #expect(refusal("\"\(run)\u{1F}xxxxxxxxx\"")?.offset == length + 1)
      #expect(refusal("\"\(run)\n\"")?.kind == .controlCharacter(0x0A))
      #expect(refusal("\"\(run)")?.kind == .unexpectedEnd(expected: "a closing quote"))
    }
  }

  @Test func nesting_up_to_the_limit_is_read_and_one_more_is_refused() throws {
    let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    _ = try read(deep)
    #expect(refusal("[\(deep)]")?.kind == .tooDeep(limit: 64))
    #expect(refusal(String(repeating: "{\"a\":", count: 100_000))?.kind == .tooDeep(limit: 64))
    #expect(refusal("[[]]", maximumDepth: 1)?.offset == 1)
  }

  @Test func huge_text_is_read_whole() throws {
    let text = "[" + (0..<200_000).map { "{\"n\":\($0),\"s\":\"é\\n\"}" }.joined(separator: ",\n") + "]"
    let root = try read(text)
    #expect(root.count == 200_000)
    var expected = 0
    for element in root.elements {
      #expect(element["n"]?.int == expected)
      expected += 1
    }
    #expect(root[199_999]?.line == 200_000)
    #expect(root[199_999]?["s"]?.path == "[199999].s")
  }

  @Test func doubled_key_names_both_places() throws {
    let refused = try #require(refusal("{\"x\": [{\n\"a\": 1,\n\"\\u0061\": 2}]}"))
    #expect(refused.kind == .duplicateKey("a", firstLine: 2))
    #expect((refused.line, refused.column) == (3, 1))
    #expect(refused.path == "x[0]")
  }

  @Test func doubled_key_among_many_is_found() throws {
    for double in [0, 1, 49, 98] {
      let keys = (0..<99).map { "\"k\($0)\":{\"k\(double)\":[]}" } + ["\"k\(double)\":0"]
      let refused = try #require(refusal("{" + keys.joined(separator: ",\n") + "}"))
      #expect(refused.kind == .duplicateKey("k\(double)", firstLine: double + 1))
      #expect(refused.line == 100)
    }
    _ = try read("{" + (0..<5000).map { "\"k\($0)\":0" }.joined(separator: ",") + "}")
  }

  @Test func next_text_in_the_same_document_replaces_the_last_and_leaves_its_values_alone() throws {
    var document = JSONDocument()
    #expect(document.root.isNull)
    try document.parse(Array(#"{"a":"first\n"}"#.utf8).span)
    let first = document.root
    try document.parse(Array("[1,2]".utf8).span)
    #expect(document.root.count == 2)
    #expect(first["a"]?.string == "first\n")
    #expect(throws: JSONError.self) { try document.parse(Array("[1,".utf8).span) }
    #expect(document.root.isNull)
    try document.parse(Array(#""again""#.utf8).span)
    #expect(document.root.string == "again")
  }
}
