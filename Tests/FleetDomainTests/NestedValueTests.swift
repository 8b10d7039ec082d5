import FleetDomain
import Telemetry
import Testing

@Suite struct NestedValueTests {
  /// A line of an invoice.
  private struct Line: NestedValue {
    var text = ""
    var quantity = 1.0
    var cost: Money?
    var total: Double?

    static let fields: [Field<Line>] = [
      Field("text", \.text, TextRules.shown).required(),
      Field("quantity", \.quantity) { quantity throws(FieldError) in
        if quantity <= 0 { throw FieldError("", "expected a number above 0") }
      },
      Field("cost", \.cost),
      Field("total", \.total).settable(by: .server),
    ]
  }

  /// An interval of time, distance, or both.
  private struct Interval: NestedValue {
    var days: Int64?
    var kilometers: Double?

    static let fields: [Field<Interval>] = [Field("days", \.days), Field("kilometers", \.kilometers)]

    func check() throws(FieldError) {
      if days == nil, kilometers == nil { throw FieldError("", "expected days, kilometers or both") }
    }
  }

  private struct Visit: Kind {
    var lines: [Line] = []
    var every: Interval?

    static let names = KindNames(one: "visit", many: "visits")
    static let fields: [Field<Visit>] = [
      Field("lines", \.lines) { lines throws(FieldError) in
        if lines.count > 3 { throw FieldError("", "expected at most 3 lines") }
      },
      Field("every", \.every),
    ]
  }

  private static func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }
  private static func visit(_ text: String) throws -> Visit { try Visit(client: json(text)) }

  private static let oil =
    #"{"lines":[{"text":"Oil","quantity":4.5,"cost":{"amount":"49.90","currency":"EUR"}},{"text":"Work"}],"every":{"days":365}}"#

  @Test func nested_values_are_read_and_written() throws {
    let visit = try Self.visit(Self.oil)
    #expect(visit.lines.map(\.text) == ["Oil", "Work"] && visit.lines.map(\.quantity) == [4.5, 1])
    #expect(visit.lines[0].cost == Money(amount: "49.90", currency: "EUR"))
    #expect(visit.every?.days == 365 && visit.every?.kilometers == nil)
    let fields = Dictionary(uniqueKeysWithValues: Visit.fields.map { ($0.key, $0.json(visit)) })
    #expect(
      JSON.object(fields).canonicalText
        == #"{"every":{"days":365},"lines":[{"cost":{"amount":"49.90","currency":"EUR"},"quantity":4.5,"text":"Oil"},{"quantity":1,"text":"Work"}]}"#
    )
    #expect(try Visit { field in fields[field.key] ?? .null } == visit)
  }

  @Test func all_errors_of_nested_values_are_reported_with_their_paths() throws {
    let errors = try #require(throws: FieldErrors.self) {
      try Self.visit(
        #"{"lines":[{"text":"Oil","cost":3},{"quantity":0},7,{"text":"Oil","price":1,"total":9}],"every":{"days":"x"}}"#
      )
    }
    #expect(
      errors.all.map(\.path)
        == [
          "lines.0.cost", "lines.1.text", "lines.1.quantity", "lines.2", "lines.3.price", "lines.3.total", "every.days",
        ])
    #expect(errors.all[4].message.contains("unknown key"))
    #expect(throws: FieldErrors([FieldError("every", "expected days, kilometers or both")])) {
      try Self.visit(#"{"every":{}}"#)
    }
    #expect(throws: FieldErrors([FieldError("lines", "expected at most 3 lines")])) {
      try Self.visit(#"{"lines":[{"text":"1"},{"text":"2"},{"text":"3"},{"text":"4"}]}"#)
    }
  }

  /// RFC 7396: an object in a patch changes the members that it names; an array replaces the old one.
  @Test func a_merge_patch_reaches_into_objects_and_replaces_arrays() throws {
    let visit = try Self.visit(Self.oil)
    let both = try visit.patched(with: Self.json(#"{"every":{"kilometers":15000}}"#))
    #expect(both.every?.days == 365 && both.every?.kilometers == 15_000)
    #expect(try both.patched(with: Self.json(#"{"every":{"days":null}}"#)).every?.days == nil)
    #expect(try both.patched(with: Self.json(#"{"every":null}"#)).every == nil)
    #expect(throws: FieldErrors([FieldError("every", "expected days, kilometers or both")])) {
      try visit.patched(with: Self.json(#"{"every":{"days":null}}"#))
    }
    #expect(try visit.patched(with: Self.json(#"{"lines":[{"text":"Tyres"}]}"#)).lines.map(\.text) == ["Tyres"])
    // A replacement is not a merge patch: members that it lacks are removed.
    let replaced = try visit.replaced(with: Self.json(#"{"every":{"kilometers":1}}"#))
    #expect(replaced.every?.days == nil && replaced.every?.kilometers == 1 && replaced.lines.isEmpty)
  }

  /// Appendix A of RFC 7396.
  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"), (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#), ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ])
  func merge_patches_give_the_results_of_the_standard(_ original: String, _ patch: String, _ result: String) throws {
    #expect(try Self.json(patch).merged(into: Self.json(original)).canonicalText == result)
  }

  @Test func the_schema_of_a_nested_value_comes_from_its_fields() {
    #expect(
      Interval.schema
        == ##"{"type":"object","additionalProperties":false,"properties":{"days":{"anyOf":[{"type":"integer"},{"type":"null"}]},"kilometers":{"anyOf":[{"type":"number"},{"type":"null"}]}}}"##
    )
    #expect(Line.schema.contains(#""required":["text"]"#))
  }
}
