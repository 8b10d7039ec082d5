import OBDWire
import SignalSets
import Testing

struct SignalFormatTests {
  private func signal(_ fmt: String) throws -> SignalSet.Signal {
    try #require(try set(fmt: fmt).commands.first?.signals.first)
  }

  @Test func scaling_is_raw_times_mul_over_div_plus_add() throws {
    let row = try signal(#"{"len": 16, "max": 99, "mul": 3, "div": 8, "add": -1.5, "unit": "volts"}"#).definition
    #expect(row.factor == 3.0 / 8 && row.offset == -1.5 && row.unit == .volt)
  }

  @Test(arguments: [
    (#"{"len": 16, "max": 1, "unit": "scalar"}"#, SignalDefinition.Encoding.unsigned),
    (#"{"len": 16, "max": 1, "sign": true, "unit": "scalar"}"#, .signed),
    (#"{"len": 16, "max": 1, "blsb": true, "unit": "scalar"}"#, .unsignedLittleEndian),
    (#"{"len": 16, "max": 1, "blsb": true, "sign": true, "unit": "scalar"}"#, .signedLittleEndian),
    (#"{"len": 7, "bix": 1, "max": 1, "blsb": true, "unit": "scalar"}"#, .unsigned),
  ])
  func sign_and_byte_order_choose_the_encoding(_ fmt: String, _ encoding: SignalDefinition.Encoding) throws {
    #expect(try signal(fmt).definition.encoding == encoding)
  }

  @Test func null_limits_are_of_the_scaled_value_and_hold_at_their_edge() throws {
    // 29 × (1/58) − 0.5 differs from 0 in the last bit, but it is the code that the set means.
    let low = try signal(#"{"len": 8, "max": 3.896, "div": 58, "add": -0.5, "nullmin": 0, "unit": "bars"}"#).definition
    #expect(29 * low.factor + low.offset <= low.nullAtOrBelow)
    #expect(30 * low.factor + low.offset > low.nullAtOrBelow)
    let high = try signal(#"{"len": 8, "max": 25.5, "div": 10, "nullmax": 25.5, "unit": "bars"}"#).definition
    #expect(255 * high.factor + high.offset >= high.nullAtOrAbove)
    #expect(254 * high.factor + high.offset < high.nullAtOrAbove)
    #expect(high.nullAtOrBelow == -.infinity && low.nullAtOrAbove == .infinity)
  }

  @Test func one_bit_of_off_and_on_is_a_flag_and_its_opposite_is_not() throws {
    #expect(try signal(#"{"len": 1, "max": 1, "unit": "offon"}"#).definition.kind == .flag)
    #expect(try signal(#"{"len": 1, "max": 1, "unit": "noyes"}"#).definition.kind == .flag)
    #expect(try signal(#"{"len": 1, "max": 1, "unit": "onoff"}"#).definition.kind == .number)
    #expect(try signal(#"{"len": 1, "max": 1, "unit": "yesno"}"#).definition.kind == .number)
    #expect(try signal(#"{"len": 1, "max": 1, "unit": "scalar"}"#).definition.kind == .number)
    #expect(try signal(#"{"len": 8, "max": 1, "unit": "offon"}"#).definition.kind == .number)
  }

  @Test func map_makes_an_enumeration_of_codes() throws {
    let mapped = try signal(
      #"{"bix": 4, "len": 4, "map": {"0": {"description": "Off now", "value": "OFF"}, "2": "ON"}}"#)
    #expect(mapped.definition.kind == .enumeration && mapped.definition.bitOffset == 4 && mapped.unitText.isEmpty)
    #expect(mapped.texts.map(\.code) == [0, 2] && mapped.texts.map(\.value) == ["OFF", "ON"])
    #expect(mapped.texts.map(\.description) == ["Off now", "ON"])
  }

  @Test(arguments: [
    ("kilometersPerHour", "km/h", Unit.kilometresPerHour), ("scalar", "", .none), ("milliampereHours", "mAh", .none),
    ("milligramsPerStroke", "mg/stroke", .milligramsPerStroke), ("furlongs", "furlongs", .none),
    ("hertz", "Hz", .hertz),
    ("gravity", "gₙ", .none), ("unknown", "", .none),
  ])
  func unit_is_printed_by_its_symbol_and_an_unknown_one_as_written(_ word: String, _ text: String, _ unit: Unit) throws
  {
    let signal = try signal("{\"len\": 8, \"max\": 255, \"unit\": \"\(word)\"}")
    #expect(signal.unitText == text && signal.definition.unit == unit)
  }

  @Test(arguments: [
    #"{"len": 136, "unit": "ascii"}"#, #"{"len": 32, "max": 1, "unit": "hex"}"#,
    #"{"len": 72, "max": 1, "unit": "scalar"}"#,
    #"{"bix": 4, "len": 16, "max": 1, "blsb": true, "unit": "scalar"}"#,
    #"{"len": 12, "max": 1, "blsb": true, "unit": "scalar"}"#,
  ])
  func signal_that_no_definition_can_express_is_left_out_and_named(_ fmt: String) throws {
    let set = try set(fmt: fmt)
    #expect(set.commands.first?.signals.isEmpty == true)
    let left = try #require(set.unsupported.first)
    #expect(left.id == "TEST" && left.line == 3 && left.path == "commands[0].signals[0].fmt" && !left.reason.isEmpty)
  }

  @Test(arguments: [
    (#"{"max": 1}"#, #"fmt: key "len" is missing"#),
    (#"{"len": 0}"#, "fmt.len: expected a whole number from 1 to 32752, found 0"),
    (#"{"len": 8, "bix": -1}"#, "fmt.bix: expected a whole number from 0 to 32752, found -1"),
    (#"{"len": 8, "div": 0}"#, "fmt.div: expected a number other than 0, found 0"),
    (#"{"len": 8, "mul": "2"}"#, "fmt.mul: expected a number, found \"2\""),
    (#"{"len": 8, "sgin": true}"#, "fmt.sgin: unknown key \"sgin\"; did you mean \"sign\"?"),
    (#"{"len": 8, "map": []}"#, "fmt.map: expected an object of codes and their texts, found an array"),
    (#"{"len": 8, "map": {"x": "A"}}"#, "fmt.map.x: expected a code: a whole number in quotes, found \"x\""),
    (#"{"len": 8, "map": {"01": "A"}}"#, "fmt.map.01: expected a code: a whole number in quotes, found \"01\""),
    (#"{"len": 8, "map": {"1": {"description": "A"}}}"#, "fmt.map.1: key \"value\" is missing"),
  ])
  func wrong_format_is_refused_with_its_place(_ fmt: String, _ message: String) throws {
    #expect(refusal { _ = try set(fmt: fmt) }?.hasSuffix("commands[0].signals[0]." + message) == true)
  }
}
