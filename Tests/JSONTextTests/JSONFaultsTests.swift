import JSONText
import Testing

/// All faults of a document are reported, although its reader throws the first.
@Suite struct JSONFaultsTests {
  private struct Sink: Equatable {
    var url = ""
    var window = 1
  }

  private static func sink(_ value: JSONValue) throws(JSONError) -> Sink {
    var reader = try JSONObjectReader(value)
    var sink = Sink()
    sink.window = try reader.optionalInt("window", in: 1...9) ?? sink.window
    sink.url = try reader.requiredLast("url").requireString(oneOf: ["a", "b"])
    return sink
  }

  /// Reads two numbers, of which the second must not be below the first; names of one letter; and a list of sinks.
  private static func read(_ root: JSONValue) throws(JSONError) -> [Sink] {
    var reader = try JSONObjectReader(root)
    let low = try reader.optionalInt("low", in: 0...9) ?? 5
    if let high = reader.optional("high") {
      let least = reader.object.leavesOut("low") ? 0 : low
      guard try high.requireInt(in: 0...9) >= least else { throw high.invalid(expected: "at least \(low)") }
    }
    if let names = try reader.optionalObject("names") {
      for member in names.object.members where member.key.utf8.count != 1 {
        throw member.keyValue.invalid(expected: "a name of one letter")
      }
    }
    var sinks: [Sink] = []
    for element in try reader.optionalArray("sinks").map(Array.init) ?? [] {
      let sink = try sink(element)
      guard !sinks.contains(sink) else { throw element.invalid(expected: "another sink") }
      sinks.append(sink)
    }
    try reader.finish()
    return sinks
  }

  private func faults(_ text: String) throws -> [String] {
    let document = try JSONDocument(parsing: Array(text.utf8))
    let faults = try #require(throws: JSONFaults.self) {
      try document.readReportingAllFaults { root throws(JSONError) in try Self.read(root) }
    }
    return faults.all.map { String($0.message.prefix { $0 != "," }) }
  }

  @Test func a_document_without_fault_is_read_once() throws {
    var count = 0
    let document = try JSONDocument(parsing: Array(#"{"sinks":[{"url":"a"},{"url":"b","window":9}]}"#.utf8))
    let sinks = try document.readReportingAllFaults { root throws(JSONError) in
      count += 1
      return try Self.read(root)
    }
    #expect(sinks == [Sink(url: "a"), Sink(url: "b", window: 9)] && count == 1)
  }

  @Test func faults_of_one_object_and_of_others_come_in_the_order_of_the_text() throws {
    let text = #"""
      {"nams":1,"low":10,
       "names":{"aa":1,"b":2,"cc":3},
       "sinks":[{"url":"c","window":0,"x":1},{"url":"a","window":12},{"url":"b","widow":1}],
       "high":true}
      """#
    #expect(
      try faults(text) == [
        #"1:2: nams: unknown key "nams"; did you mean "names"?"#, "1:17: low: expected a whole number from 0 to 9",
        "2:11: names.aa: expected a name of one letter", "2:24: names.cc: expected a name of one letter",
        #"3:18: sinks[0].url: expected one of "a""#, "3:31: sinks[0].window: expected a whole number from 1 to 9",
        #"3:33: sinks[0].x: unknown key "x"; known here: window"#,
        "3:60: sinks[1].window: expected a whole number from 1 to 9",
        #"3:75: sinks[2].widow: unknown key "widow"; did you mean "window"?"#,
        "4:9: high: expected a whole number from 0 to 9",
      ])
  }

  @Test func a_fault_that_follows_from_another_is_not_reported() throws {
    // The sink has its required key, and the lower number must not be replaced by its default.
    let found = try faults(#"{"low":"x","high":1,"sinks":[{"url":7}]}"#)
    #expect(found.map { $0.prefix(12) } == ["1:8: low: ex", "1:37: sinks["], "\(found)")
    #expect(try faults(#"{"low":8,"high":1}"#) == ["1:17: high: expected at least 8"])
  }

  @Test func a_missing_key_and_an_element_that_is_there_twice_have_their_own_places() throws {
    #expect(
      try faults(#"{"sinks":[{"window":0},{"url":"a"},[],{"url":"a"}],"x":0}"#) == [
        #"1:11: sinks[0]: key "url" is missing"#, "1:21: sinks[0].window: expected a whole number from 1 to 9",
        "1:36: sinks[2]: expected an object",
        "1:39: sinks[3]: expected another sink", #"1:52: x: unknown key "x"; known here: low"#,
      ])
  }

  @Test func a_root_of_another_type_is_one_fault() throws {
    #expect(try faults("[1]") == ["1:1: expected an object"])
  }

  @Test func the_number_of_reported_faults_is_limited() throws {
    let keys = (0..<100).map { "\"key\($0)\":1" }.joined(separator: ",")
    #expect(try faults("{\(keys)}").count == JSONDocument.mostFaults)
  }
}
