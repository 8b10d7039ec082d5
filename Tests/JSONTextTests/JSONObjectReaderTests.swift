import JSONText
import Testing

struct JSONObjectReaderTests {
  /// Reads an object in the way in which a configuration is read.
  private func decode(_ text: String) throws(JSONError) -> (path: String, baud: Int, period: Double) {
    var reader = try JSONObjectReader(read(text))
    let path = try reader.requiredString("path")
    let baud = try reader.optionalInt("baud", in: 1200...4_000_000) ?? 38400
    let period = try reader.optionalDouble("period", in: 0.1...3600) ?? 1
    _ = try reader.optionalBool("probe")
    _ = try reader.optionalString("kind", oneOf: ["serial", "tcp"])
    var inner = try reader.optionalObject("inner")
    _ = try inner?.requiredArray("list")
    try inner?.finish()
    try reader.finish()
    return (path, baud, period)
  }

  @Test func absent_members_take_their_defaults_and_present_ones_are_read() throws {
    let sparse = try decode(#"{"path":"/dev/ttyUSB0"}"#)
    #expect((sparse.path, sparse.baud, sparse.period) == ("/dev/ttyUSB0", 38400, 1))
    let full = try decode(#"{"baud":9600,"inner":{"list":[]},"period":0.1,"path":"p","probe":false,"kind":"tcp"}"#)
    #expect((full.path, full.baud, full.period) == ("p", 9600, 0.1))
  }

  @Test(arguments: [
    ("[]", "1:1: expected an object, found an array"),
    ("{}", "1:1: key \"path\" is missing"),
    (#"{"path":1}"#, "1:9: path: expected a string, found 1"),
    (#"{"path":null}"#, "1:9: path: expected a string, found null"),
    (#"{"path":"p","baud":"x"}"#, "1:20: baud: expected a whole number from 1200 to 4000000, found \"x\""),
    (#"{"path":"p","baud":12}"#, "1:20: baud: expected a whole number from 1200 to 4000000, found 12"),
    (#"{"path":"p","baud":9600.0}"#, "1:20: baud: expected a whole number from 1200 to 4000000, found 9600.0"),
    (#"{"path":"p","period":0}"#, "1:22: period: expected a number from 0.1 to 3600.0, found 0"),
    (#"{"path":"p","period":1e999}"#, "1:22: period: expected a number from 0.1 to 3600.0, found 1e999"),
    (#"{"path":"p","probe":1}"#, "1:21: probe: expected true or false, found 1"),
    (#"{"path":"p","kind":"usb"}"#, "1:20: kind: expected one of \"serial\", \"tcp\", found \"usb\""),
    (#"{"path":"p","inner":{}}"#, "1:21: inner: key \"list\" is missing"),
    (#"{"path":"p","inner":{"list":{}}}"#, "1:29: inner.list: expected an array, found an object"),
    (#"{"path":"p","baudd":9600}"#, "1:13: baudd: unknown key \"baudd\"; did you mean \"baud\"?"),
    (#"{"path":"p","Baud":9600}"#, "1:13: Baud: unknown key \"Baud\"; did you mean \"baud\"?"),
    (#"{"path":"p","abud":9600}"#, "1:13: abud: unknown key \"abud\"; did you mean \"baud\"?"),
    (
      #"{"path":"p","colour":1}"#,
      "1:13: colour: unknown key \"colour\"; known here: path, baud, period, probe, kind, inner"
    ),
    (#"{"path":"p","inner":{"list":[],"x":0}}"#, "1:32: inner.x: unknown key \"x\"; known here: list"),
  ])
  func message_names_the_place_and_what_would_be_right(_ text: String, _ message: String) throws {
    let refused = #expect(throws: JSONError.self) { try decode(text) }
    #expect(refused?.message == message)
  }

  @Test func ignored_keys_are_accepted_and_errors_of_empty_objects_say_that_no_key_is_known() throws {
    var reader = try JSONObjectReader(read(#"{"a":1,"b":2}"#))
    reader.ignore("a", "b")
    try reader.finish()
    let empty = try JSONObjectReader(read(#"{"a":1}"#))
    let refused = #expect(throws: JSONError.self) { try empty.finish() }
    #expect(refused?.message == "1:2: a: unknown key \"a\"; no key belongs here")
  }

  @Test func a_failed_check_of_the_caller_has_the_position() throws {
    let value = try #require(try read("{\"geofences\":\n [\"x\"]}")["geofences"]?[0])
    #expect(value.invalid(expected: "a path").message == "2:3: geofences[0]: expected a path, found \"x\"")
  }
}
