import OBDWire
import SignalSets
import Testing

struct LoadedSignalsTests {
  private func parse(_ commands: String, file: String = "a.json") throws -> SignalSet {
    try SignalSet(parsing: Array("{\"commands\": [\(commands)]}".utf8), fileName: file)
  }

  private func command(
    _ id: String, hdr: String = "7E0", rax: String? = "7E8", cmd: String = #""22": "0001""#, filter: String = "{}",
    fmt: String = #"{"len": 8, "max": 255, "unit": "psi"}"#
  ) -> String {
    let receiver = rax.map { "\"rax\": \"\($0)\"," } ?? ""
    return """
      {"hdr": "\(hdr)", \(receiver) "cmd": {\(cmd)}, "freq": 1, "filter": \(filter),
       "signals": [{"id": "\(id)", "name": "Name of \(id)", "fmt": \(fmt)}]}
      """
  }

  @Test func rows_are_sorted_by_request_receiver_and_bit_and_keep_their_names() throws {
    let first = try parse(
      [
        command("D", cmd: #""22": "0002""#), command("C", rax: "7E9"),
        command("B", fmt: #"{"bix": 8, "len": 8, "max": 1}"#),
        command("A"), command("ANY", rax: nil), command("E", hdr: "DA10", rax: "10"),
      ].joined(separator: ","))
    let second = try parse(
      [command("P", cmd: #""21": "FF""#), command("O", cmd: #""01": "B4""#)].joined(separator: ","), file: "b.json")
    let loaded = try LoadedSignals([first, second])
    let names = loaded.definitions.indices.map { loaded.name(of: SignalID(rawValue: 0x8000 + UInt16($0))) }
    #expect(names == ["O", "P", "ANY", "A", "B", "C", "E", "D"])
    #expect(loaded.definitions.map(\.service) == [0x01, 0x21, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22])
    #expect(loaded.title(of: SignalID(rawValue: 0x8001)) == "Name of P")
    #expect(loaded.unitText(of: SignalID(rawValue: 0x8003)) == "psi")
    #expect(loaded.signals(named: "D") == [SignalID(rawValue: 0x8007)])
    #expect(loaded.name(of: SignalID(rawValue: 0x8008)) == nil)
    #expect(loaded.name(of: SignalID(rawValue: 3)) == nil)
    #expect(loaded.commands.count == 8)
  }

  @Test func each_enumeration_has_its_own_texts() throws {
    let set = try parse(
      [
        command("X", cmd: #""22": "0002""#, fmt: #"{"len": 8, "map": {"1": {"value": "ONE", "description": "One"}}}"#),
        command("Y", fmt: #"{"len": 8, "map": {"1": "EINS", "18446744073709551615": "LAST"}}"#),
        command("N", cmd: #""22": "0003""#),
      ].joined(separator: ","))
    let loaded = try LoadedSignals([set])
    let (y, x, n) = (SignalID(rawValue: 0x8000), SignalID(rawValue: 0x8001), SignalID(rawValue: 0x8002))
    #expect(loaded.mapText(of: x, code: 1) == "ONE" && loaded.mapText(of: y, code: 1) == "EINS")
    #expect(loaded.mapDescription(of: x, code: 1) == "One")
    for code in [2, 1.5, -1, .nan, .infinity, 1e300] { #expect(loaded.mapText(of: x, code: code) == nil) }
    #expect(loaded.mapText(of: n, code: 1) == nil)
  }

  @Test func value_outside_the_written_range_is_absent_unless_asked_for() throws {
    let set = try parse(
      command("V", fmt: #"{"len": 16, "min": -2, "max": 100, "div": 10, "add": -100, "nullmax": 90, "unit": "psi"}"#))
    let id = SignalID(rawValue: 0x8000)
    func isAbsent(_ value: Double, _ loaded: LoadedSignals) -> Bool {
      value <= loaded.definitions[0].nullAtOrBelow || value >= loaded.definitions[0].nullAtOrAbove
    }
    let absent = try LoadedSignals([set])
    #expect(
      [-3, -2.1, -2.04, -2, 0, 89.9, 90, 200].map { isAbsent($0, absent) } == [
        true, true, false, false, false, false, true, true,
      ])
    #expect(absent.limited(200, of: id) == 200 && absent.range(of: id) == -2...100)
    let asSent = try LoadedSignals([set], limitPolicy: .asSent)
    #expect([-3, 89.9, 90].map { isAbsent($0, asSent) } == [false, false, true])
    #expect(asSent.limited(-3, of: id) == -3)
    let limited = try LoadedSignals([set], limitPolicy: .limited)
    #expect([-3, -2, 50, 200].map { limited.limited($0, of: id) } == [-2, -2, 50, 100])
  }

  @Test func rounding_of_a_written_limit_is_not_outside() throws {
    // 255 / 58 − 0.5 = 3.8966, and the set states 3.896.
    let set = try parse(command("V", fmt: #"{"len": 8, "max": 3.896, "div": 58, "add": -0.5, "unit": "bars"}"#))
    let row = try LoadedSignals([set]).definitions[0]
    #expect(255 * row.factor + row.offset < row.nullAtOrAbove)
  }

  @Test(arguments: [#""max": 0"#, #""min": 5, "max": 5"#, #""min": 9, "max": -9"#])
  func maximum_that_is_not_above_the_minimum_limits_nothing(_ limits: String) throws {
    let set = try parse(command("V", fmt: "{\"len\": 16, \(limits), \"unit\": \"degrees\"}"))
    let row = try LoadedSignals([set]).definitions[0]
    #expect(row.nullAtOrBelow == -.infinity && row.nullAtOrAbove == .infinity)
    #expect(try LoadedSignals([set], limitPolicy: .limited).limited(4095, of: SignalID(rawValue: 0x8000)) == 4095)
  }

  @Test func minimum_that_is_not_written_limits_nothing_but_obdbs_own_print() throws {
    let set = try parse(command("V", fmt: #"{"len": 8, "max": 1, "div": 64, "sign": true, "unit": "scalar"}"#))
    let id = SignalID(rawValue: 0x8000)
    #expect(try LoadedSignals([set]).definitions[0].nullAtOrBelow == -.infinity)
    #expect(try LoadedSignals([set], limitPolicy: .limited).limited(-0.5, of: id) == 0)
    #expect(try LoadedSignals([set]).range(of: id) == nil)
  }

  @Test func model_year_chooses_the_commands() throws {
    let set = try parse(
      [
        command("OLD", filter: #"{"to": 2010}"#), command("NEW", cmd: #""22": "0002""#, filter: #"{"from": 2011}"#),
        command("ALL", cmd: #""22": "0003""#),
      ].joined(separator: ","))
    func names(_ year: Int?) throws -> [String] {
      try LoadedSignals([set], modelYear: year).commands.flatMap(\.signals).map(\.id)
    }
    #expect(try names(2010) == ["OLD", "ALL"])
    #expect(try names(2011) == ["NEW", "ALL"])
    #expect(try names(nil) == ["OLD", "NEW", "ALL"])
  }

  @Test func id_of_two_signals_is_refused_and_both_places_are_named() throws {
    let (a, b) = (try parse(command("X")), try parse("\n" + command("X", cmd: #""22": "0002""#), file: "b.json"))
    #expect(
      refusal { _ = try LoadedSignals([a, b]) }
        == #"b.json:3:14: commands[0].signals[0]: expected an id that no other signal has, found "X", which is already in a.json, line 2"#
    )
  }

  @Test func id_may_stand_twice_where_no_model_year_has_both() throws {
    let apart = [
      command("X", filter: #"{"to": 2010}"#), command("X", cmd: #""22": "0002""#, filter: #"{"from": 2011}"#),
    ]
    let loaded = try LoadedSignals([try parse(apart.joined(separator: ","))])
    #expect(loaded.signals(named: "X").count == 2)
    let touching = [
      command("X", filter: #"{"to": 2011}"#), command("X", cmd: #""22": "0002""#, filter: #"{"from": 2011}"#),
    ]
    #expect(refusal { _ = try LoadedSignals([try parse(touching.joined(separator: ","))]) } != nil)
  }

  @Test func the_number_of_signals_is_limited_and_the_first_excess_named() throws {
    func many(_ count: Int, _ fmt: String = #"{"len": 8, "max": 255, "unit": "psi"}"#) throws -> SignalSet {
      let signals = (0..<count).map { "{\"id\": \"S\($0)\", \"name\": \"\", \"fmt\": \(fmt)}" }.joined(separator: ",\n")
      return try parse(#"{"hdr": "7E0", "cmd": {"22": "0001"}, "freq": 1, "signals": [\#n\#(signals)]}"#)
    }
    let full = try many(32_767)
    let loaded = try LoadedSignals([full])
    #expect(loaded.definitions.count == 32_767 && loaded.name(of: SignalID(rawValue: 0xFFFE)) != nil)
    #expect(
      refusal { _ = try LoadedSignals([full, try parse(command("ONE_MORE"), file: "b.json")]) }
        == "b.json:2:14: commands[0].signals[0]: expected at most 32767 signals in all sets, found one more")
    let map = "{\"len\": 16, \"map\": {" + (0..<6_554).map { "\"\($0)\": \"T\"" }.joined(separator: ",") + "}}"
    #expect(
      refusal { _ = try LoadedSignals([try many(10, map)]) }
        == "a.json:11:1: commands[0].signals[9]: expected at most 65535 map entries in all sets, found 65540")
  }
}
