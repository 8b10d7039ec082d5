import Testing
import TroubleCodes

/// Files of manufacturer codes: the codes read, and the errors with their positions.
struct TroubleCodeFileTests {
  private func read(_ text: String) throws -> TroubleCodeCatalog { try read(Array(text.utf8)) }

  private func read(_ bytes: [UInt8]) throws -> TroubleCodeCatalog {
    var catalog = TroubleCodeCatalog()
    try catalog.add(csv: bytes, file: "codes.csv")
    return catalog
  }

  private func refusal(_ bytes: [UInt8]) -> TroubleCodeFileError? {
    var catalog = TroubleCodeCatalog()
    do throws(TroubleCodeFileError) {
      try catalog.add(csv: bytes, file: "codes.csv")
      return nil
    } catch {
      #expect(catalog.addedCount == 0, "a refused file adds nothing")
      return error
    }
  }

  @Test func quoted_fields_hold_commas_and_doubled_marks() throws {
    let catalog = try read(#"P1234,"pump, ""rear"" tank","Land Rover""#)
    #expect(catalog.text(for: 0x1234, make: "land rover") == #"pump, "rear" tank"#)
  }

  @Test func line_ends_may_be_CRLF_or_LF_and_the_last_may_be_missing() throws {
    let catalog = try read("P1234,one\r\nP1235,two\nP1236,three")
    #expect(catalog.text(for: 0x1234) == "one")
    #expect(catalog.text(for: 0x1235) == "two")
    #expect(catalog.text(for: 0x1236) == "three")
  }

  @Test(arguments: ["code,text\n", "Code,Text,Make\r\n", "\"code\",\"text\",\"make\"\n"])
  func a_csv_header_is_skipped(header: String) throws {
    let catalog = try read(header + "P1234,one\n")
    #expect(catalog.addedCount == 1)
    #expect(catalog.text(for: 0x1234) == "one")
  }

  @Test func byte_order_mark_blanks_and_empty_lines_do_not_matter() throws {
    let catalog = try read([0xEF, 0xBB, 0xBF] + Array("code,text\r\n\r\n p1234 ,\tone , Ford \n\n".utf8))
    #expect(catalog.addedCount == 1)
    #expect(catalog.text(for: 0x1234, make: "Ford") == "one")
  }

  @Test func texts_may_be_in_any_language() throws {
    #expect(
      try read("P1234,Kraftstoffpumpe läuft nicht,Opel\n").text(for: 0x1234, make: "Opel")
        == "Kraftstoffpumpe läuft nicht")
  }

  @Test func an_empty_make_is_every_make() throws {
    #expect(try read("P1234,one,\n").text(for: 0x1234, make: "Opel") == "one")
  }

  @Test(arguments: ["", "\n", "code,text\n", "\u{FEFF}"])
  func a_file_without_codes_adds_none(text: String) throws { #expect(try read(text).addedCount == 0) }

  @Test(arguments: [
    ("P1234,one\nX1234,two\n", 2, TroubleCodeFileError.Kind.code("X1234")), ("P123,one\n", 1, .code("P123")),
    ("P1234\n", 1, .fieldCount(1)), ("P1234,one,Ford,2014\n", 1, .fieldCount(4)), ("P1234,\n", 1, .emptyText),
    ("P1234, \n", 1, .emptyText), ("P1234,\"one\n\nP1235,two", 1, .unterminatedQuote),
    ("P1234,\"a\nb\"\n", 1, .controlCharacter), ("P1233,ok\nP1234,a\tb\n", 2, .controlCharacter),
    ("P1234,a\"b\n", 1, .strayQuote), ("P1234,\"a\"b\n", 1, .textAfterQuote),
    ("P1234,one\rP1235,two\n", 1, .bareCarriageReturn),
    ("P1234,one\n\nP1235,two\np1234,three\n", 4, .duplicate(line: 1)),
    ("P1234,one,Ford\nP1234,two,FORD\n", 2, .duplicate(line: 1)), ("code,description\nP1234,one\n", 1, .header),
    ("P1234,one\ncode,text\n", 2, .code("code")),
  ])
  func an_invalid_trouble_code_file_is_rejected_with_its_line(text: String, line: Int, kind: TroubleCodeFileError.Kind)
  {
    #expect(refusal(Array(text.utf8)) == TroubleCodeFileError(file: "codes.csv", line: line, kind: kind))
  }

  @Test func bytes_that_are_not_UTF_8_are_refused() {
    #expect(refusal(Array("P1234,l".utf8) + [0xE4] + Array("uft\n".utf8))?.kind == .notUTF8)
  }

  @Test func a_text_of_200_bytes_is_taken_and_one_of_201_refused() throws {
    let longest = String(repeating: "a", count: TroubleCodeCatalog.maximumTextLength)
    #expect(try read("P1234,\(longest)\n").text(for: 0x1234) == longest)
    #expect(refusal(Array("P1234,\(longest)a\n".utf8))?.kind == .longText(201))
  }

  @Test func the_error_names_file_line_and_what_would_be_right() {
    #expect(
      refusal(Array("P1234,one\nX1,two\n".utf8))?.description
        == "codes.csv:2: expected a code such as P1234 (P, C, B or U, a digit 0-3, three hex digits), found \"X1\"")
    #expect(
      refusal(Array("P1234\n".utf8))?.description
        == "codes.csv:1: expected code,text or code,text,make, found 1 field")
    #expect(
      refusal(Array("P1234,a\nP1234,b\n".utf8))?.description
        == "codes.csv:2: expected one text for a code and make, the other stands on line 1")
  }

  @Test func a_wrong_file_leaves_what_was_there() throws {
    var catalog = try read("P1234,one\n")
    #expect(throws: TroubleCodeFileError.self) {
      try catalog.add(csv: Array("P1234,two\nP1235\n".utf8), file: "later.csv")
    }
    #expect(catalog.text(for: 0x1234) == "one")
    #expect(catalog.addedCount == 1)
  }

  @Test func a_file_cut_at_any_byte_is_read_or_refused_and_its_whole_lines_stay_right() {
    let header = Array("code,text,make\r\n".utf8)
    let first = header + Array(#"P1234,"a, ""b""",Ford"#.utf8) + [0x0D, 0x0A]
    let whole = first + Array("P1235,größe\n".utf8)
    for count in 0...whole.count {
      var catalog = TroubleCodeCatalog()
      do {
        let added = try catalog.add(csv: Array(whole[..<count]), file: "codes.csv")
        #expect(added == (count <= header.count ? 0 : count <= first.count ? 1 : 2), "cut at \(count)")
        if count >= first.count { #expect(catalog.text(for: 0x1234, make: "Ford") == #"a, "b""#, "cut at \(count)") }
      } catch {
        #expect(error.line == (count <= header.count ? 1 : count <= first.count ? 2 : 3), "cut at \(count)")
      }
    }
  }
}
