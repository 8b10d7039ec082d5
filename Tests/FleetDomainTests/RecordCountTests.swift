import FleetDomain
import Testing

@Suite struct RecordCountTests {
  @Test(arguments: [
    ("", 0), (" \n ", 0), ("{}", 1), ("{}\n\n \r\n{}\n", 2), ("[]", 1),
    (#"[{"a":[1,2],"b":"x,\",y"},{"c":{"d":1,"e":2}},3]"#, 3),
    ("[1,1,1,1", 4), ("]]]]", 1), (#"["\"#, 1),
  ])
  func the_estimated_record_count_is_never_too_low(_ body: String, _ count: Int) {
    #expect(RecordCount.most(in: Array(body.utf8).span) == count)
  }

  @Test(arguments: [
    "{}\n{}\n", "[{},{}]", "\u{1}\n\u{1}\n\u{1}\n", "\u{1}[\n{}\n{}\n", "[1,2,\"a,b\",[3,4]]", " \n\t\r\n",
    "\u{0B}\n\u{C}\n",
  ])
  func control_characters_are_no_spaces(_ text: String) {
    let body = Array(text.utf8)
    #expect(RecordCount.most(in: body.span) >= IncomingBatch(parsing: body.span).count)
  }
}
