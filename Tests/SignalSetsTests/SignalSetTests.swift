import OBDWire
import SignalSets
import Testing

/// A set with one command, whose parts a test replaces.
func set(
  fmt: String = #"{"len": 8, "max": 255, "unit": "scalar"}"#, command: String = #""hdr": "7E0", "rax": "7E8""#,
  cmd: String = #"{"22": "404C"}"#, id: String = "TEST", more: String = "", freq: String = "1",
  file: String = "test.json"
) throws -> SignalSet {
  let text = """
    { "commands": [
    { \(command), "cmd": \(cmd), "freq": \(freq),
      "signals": [ {"id": "\(id)", "name": "Test", \(more)
        "fmt": \(fmt)} ]}
    ] }
    """
  return try SignalSet(parsing: Array(text.utf8), fileName: file)
}

/// Returns the message with which a set is rejected; `nil` if it is accepted.
func refusal(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return "\(error)"
  }
}

struct SignalSetTests {
  @Test func command_and_signal_are_read_whole() throws {
    let text = """
      { "diagnosticLevel": "C0", "signalGroups": [{"id": "G", "matchingRegex": "T.*"}], "synthetics": [], "ecu": [],
        "commands": [
        { "hdr": "750", "rax": "758", "eax": "2A", "tst": "2A", "tmo": "96", "fcm1": true, "cmd": {"21": "16"}, "freq": 0.25,
          "filter": {"from": 2013}, "dbgfilter": {"years": [2016], "from": 2025},
          "signals": [ {"id": "CAR_T", "name": "Tire temperature", "description": "Of the tire.", "path": "Tires", "hidden": true,
            "suggestedMetric": "frontLeftTireTemperature", "anything": 1,
            "fmt": {"bix": 8, "len": 8, "max": 215, "min": -40, "add": -40, "nullmin": -40, "omin": 0, "unit": "celsius"}} ]} ] }
      """
    let set = try SignalSet(parsing: Array(text.utf8), fileName: "car.json")
    #expect(set.diagnosticLevel == 0xC0)
    let command = try #require(set.commands.first)
    #expect(command.bus == .can11 && command.header == "750" && command.receiver == .can11(0x758))
    #expect(command.extendedAddress == 0x2A && command.testerAddress == 0x2A && command.timeout == 0x96)
    #expect(command.needsFlowControl && command.isExperimental && command.isSendable)
    #expect(command.service == 0x21 && command.identifier == 0x16 && command.period == 0.25 && command.line == 3)
    #expect(command.filter == YearFilter(from: 2013) && command.debugFilter == YearFilter(from: 2025, years: [2016]))
    let signal = try #require(command.signals.first)
    #expect(signal.id == "CAR_T" && signal.title == "Tire temperature" && signal.description == "Of the tire.")
    #expect(signal.category == "Tires" && signal.isHidden && signal.suggestedMetric == "frontLeftTireTemperature")
    #expect(signal.unitText == "°C" && signal.minimum == -40 && signal.maximum == 215)
    #expect(signal.line == 5 && signal.path == "commands[0].signals[0]")
    let row = signal.definition
    #expect(row.service == 0x21 && row.identifier == 0x16 && row.ecu == .can11(0x758))
    #expect(row.bitOffset == 8 && row.bitLength == 8 && row.kind == .number && row.encoding == .unsigned)
    #expect(row.unit == .celsius && row.factor == 1 && row.offset == -40)
  }

  @Test func defaults_are_those_of_the_format() throws {
    let command = try #require(try set(command: #""hdr": "7E0""#).commands.first)
    #expect(command.receiver == .unknown && command.filter == nil && command.session == nil && !command.isExperimental)
    let row = try #require(command.signals.first).definition
    #expect(row.bitOffset == 0 && row.factor == 1 && row.offset == 0 && row.encoding == .unsigned)
    #expect(row.nullAtOrBelow == -.infinity && row.nullAtOrAbove == .infinity)
  }

  @Test(arguments: [
    (#""hdr": "DA10", "rax": "10""#, ECUAddress.can29(0x18DA_F110)),
    (#""hdr": "da10", "rax": "f0", "pri": "14""#, .can29(0x14DA_F1F0)),
    (#""hdr": "FC00", "rax": "FE007B", "pri": "17""#, .can29(0x17FE_007B)),
    (#""hdr": "D016", "rax": "1EC60E80", "tst": "30""#, .can29(0x1EC6_0E80)),
    (#""hdr": "DB33""#, .unknown),
    (#""hdr": "7DF", "rax": "7ed""#, .can11(0x7ED)),
    (#""hdr": "686A", "rax": "10", "proto": "9141-2""#, .legacy(0x10)),
  ])
  func receiver_is_the_address_the_answer_comes_from(_ command: String, _ receiver: ECUAddress) throws {
    #expect(try set(command: command).commands.first?.receiver == receiver)
    #expect(try set(command: command).commands.first?.signals.first?.definition.ecu == receiver)
  }

  @Test func command_that_changes_a_session_is_decoded_and_not_sent() throws {
    let command = try #require(try set(command: #""hdr": "7E0", "din": "03", "dout": "01""#).commands.first)
    #expect(command.session == 3 && command.returnSession == 1 && !command.isSendable && command.signals.count == 1)
  }

  /// Error messages for people about invalid sets.
  @Test(arguments: [
    (
      #"{"2E": "404C"}"#,
      #"test.json:2:36: commands[0].cmd.2E: expected one of the services 01, 21, 22: a signal set may not use others, found "2E""#
    ),
    (#"{}"#, #"test.json:2:35: commands[0].cmd: expected one service, 01, 21 or 22, found 0"#),
    (#"{"22": "404C", "21": "01"}"#, #"test.json:2:35: commands[0].cmd: expected one service, 01, 21 or 22, found 2"#),
    (#"{"22": "40"}"#, #"test.json:2:42: commands[0].cmd.22: expected 4 hexadecimal digits in quotes, found "40""#),
    (#"{"21": "+1"}"#, #"test.json:2:42: commands[0].cmd.21: expected 2 hexadecimal digits in quotes, found "+1""#),
    (#"{"01": 12}"#, #"test.json:2:42: commands[0].cmd.01: expected a string, found 12"#),
    (#""220101""#, #"test.json:2:35: commands[0].cmd: expected an object such as {"22": "404C"}, found "220101""#),
  ])
  func wrong_request_is_refused_with_its_place(_ cmd: String, _ message: String) throws {
    #expect(refusal { _ = try set(command: #""hdr":"7E0","rax":"7E8""#, cmd: cmd) } == message)
  }

  @Test(arguments: ["0", "-1", "0.0009", "604801", "1e10", "1e300"])
  func an_impossible_polling_period_is_rejected_with_its_position(_ freq: String) throws {
    let message = try #require(refusal { _ = try set(freq: freq) })
    #expect(message.contains(" commands[0].freq: expected a period of 0.001 s to 604800 s"), "\(message)")
  }

  @Test(arguments: [("0.001", 0.001), ("0.25", 0.25), ("604800", 604_800)])
  func a_period_from_a_millisecond_to_a_week_is_taken(_ freq: String, _ seconds: Double) throws {
    #expect(try set(freq: freq).commands.first?.period == seconds)
  }

  @Test(arguments: [
    (#""hdr": "7E""#, #"commands[0].hdr: expected 3 or 4 hexadecimal digits in quotes, found "7E""#),
    (#""hdr": "7E0", "rax": "7E80""#, #"commands[0].rax: expected 3 hexadecimal digits in quotes, found "7E80""#),
    (#""hdr": "7E0", "rax": "FFF""#, #"commands[0].rax: expected an 11-bit identifier, at most 7FF, found "FFF""#),
    (
      #""hdr": "DA10", "rax": "7E8""#,
      #"commands[0].rax: expected 2 or 6 or 8 hexadecimal digits in quotes, found "7E8""#
    ),
    (
      #""hdr": "DA10", "rax": "FFFFFFFF""#,
      #"commands[0].rax: expected a 29-bit identifier, at most 1FFFFFFF, found "FFFFFFFF""#
    ),
    (
      #""hdr": "7E0", "proto": "9141-2""#,
      #"commands[0].hdr: expected 3 hexadecimal digits on an 11-bit bus, 4 on the others, found "7E0""#
    ),
    (
      #""hdr": "7E0", "proto": "can""#,
      #"commands[0].proto: expected one of "9141-2", "15765-4-11bit", "15765-4-29bit", found "can""#
    ),
    (#""hdr": "7E0", "fmc1": true"#, #"commands[0].fmc1: unknown key "fmc1"; did you mean "fcm1"?"#),
    (#""hdr": "7E0", "filter": {"form": 2013}"#, #"commands[0].filter.form: unknown key "form"; did you mean "from"?"#),
    (#""rax": "7E8""#, #"commands[0]: key "hdr" is missing"#),
  ])
  func wrong_address_or_key_is_refused_with_its_place(_ command: String, _ message: String) throws {
    #expect(refusal { _ = try set(command: command) }?.hasSuffix(" " + message) == true)
  }

  @Test func an_invalid_signal_set_is_rejected_with_a_reason() {
    #expect(
      refusal { _ = try SignalSet(parsing: [], fileName: "a.json") } == "a.json:1:1: no JSON value: the text is empty")
    #expect(
      refusal { _ = try SignalSet(parsing: Array("[]".utf8), fileName: "a.json") }
        == "a.json:1:1: expected an object, found an array")
    #expect(
      refusal { _ = try SignalSet(parsing: Array("{}".utf8), fileName: "a.json") }
        == "a.json:1:1: key \"commands\" is missing")
    #expect(refusal { _ = try set(id: "rpm") }?.contains("expected an id such as F150_ODO") == true)
    #expect(refusal { _ = try set(id: "A B") }?.contains("expected an id such as F150_ODO") == true)
    #expect(refusal { _ = try set(id: "") }?.contains("expected an id such as F150_ODO") == true)
  }
}
