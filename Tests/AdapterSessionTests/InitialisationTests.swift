import OBDWire
import Testing

@testable import AdapterSession

@Suite struct InitialisationTests {
  @Test func commands_come_in_the_given_order_and_readings_before_everything_else() {
    let bench = SessionBench(TinyAdapter([Cars.engine()]))
    bench.run(seconds: 6)
    let expected = [
      "ATZ", "ATE0", "ATSP0", "ATL0", "ATS0", "ATH1", "ATAT1", "ATST32", "ATI", "AT@1", "STI", "ATRV", "0100", "ATDPN",
      "010C0D0504110F", "0120", "0140",
    ]
    #expect(Array(bench.commands.prefix(expected.count)) == expected)
    #expect(Array(bench.events.prefix(2)) == [.found, .connected(protocolDigit: UInt8(ascii: "6"))])
    #expect(bench.recorder.vins == ["1D4GP00R55B123456"])
    #expect(bench.recorder.values.contains { $0.identifier == 0x0C && $0.value == 1726 })
    #expect(bench.recorder.failures.allSatisfy { $0 == .unknownCommand || $0 == .noData })
    #expect(bench.identity == "ELM327 v1.5")
  }

  @Test func first_reading_comes_150_ms_after_reset_and_search_at_38400() {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter)
    let start = bench.now
    bench.run(seconds: 5) { $0.recorder.values.contains { $0.service == 1 } }
    let reset = 500 * SessionBench.millisecond
    let search = adapter.latency + adapter.wait
    #expect(bench.now - start - reset - search <= 150 * SessionBench.millisecond)
  }

  @Test func the_last_good_protocol_is_tried_first() {
    var memory = SessionMemory()
    memory.protocolDigit = UInt8(ascii: "8")
    let bench = SessionBench(TinyAdapter([Cars.engine()]), memory: memory)
    bench.run(seconds: 3)
    #expect(bench.commands.contains("ATSPA8"))
    #expect(!bench.commands.contains("ATSP0"))
    #expect(bench.isConnected)
  }

  @Test func a_configured_protocol_is_used_and_not_replaced() {
    var configuration = SessionConfiguration()
    configuration.protocolDigit = UInt8(ascii: "7")
    let bench = SessionBench(TinyAdapter([]), configuration)
    bench.run(seconds: 60)
    #expect(Set(bench.commands.filter { $0.hasPrefix("ATSP") }) == ["ATSP7"])
    #expect(Set(bench.requests) == ["0100", "22F400"])
  }

  @Test(arguments: [
    ("ATE0", Quirks.noEchoOff), ("ATL0", .noLinefeedsOff), ("ATS0", .noSpacesOff), ("ATH1", .noHeaders),
    ("ATAT1", .noAdaptiveTiming), ("ATST*", .noTimeout), ("ATI", .noIdentity), ("AT@1", .noDescription),
    ("ATRV", .noVoltage), ("ATDPN", .noProtocolNumber), ("ATSP0", .noProtocolSelection), ("ATZ", .noReset),
  ])
  func every_rejected_setting_is_a_quirk_and_readings_still_arrive(command: String, quirk: Quirks) {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.unknown = [command]
    let bench = SessionBench(adapter)
    bench.run(seconds: 8)
    #expect(bench.events.filter { $0 == .quirk(quirk) }.count == 1)
    #expect(bench.recorder.values.contains { $0.identifier == 0x0C && $0.value == 1726 })
    #expect(bench.isConnected)
  }

  @Test func a_refused_preference_falls_back_to_plain_selection() {
    var memory = SessionMemory()
    memory.protocolDigit = UInt8(ascii: "6")
    let adapter = TinyAdapter([Cars.engine()])
    adapter.unknown = ["ATSPA6"]
    let bench = SessionBench(adapter, memory: memory)
    bench.run(seconds: 3)
    #expect(bench.commands.contains("ATSP6"))
    #expect(bench.isConnected)
  }

  @Test func an_adapter_that_says_OK_to_ATE0_and_echoes_on_is_read() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.ignoresEchoOff = true
    let bench = SessionBench(adapter)
    bench.run(seconds: 8)
    #expect(bench.events.contains(.quirk(.noEchoOff)))
    #expect(bench.recorder.values.contains { $0.identifier == 0x0C && $0.value == 1726 })
    #expect(bench.commands.filter { $0 == "ATZ" }.count == 1)
  }

  @Test func noise_after_ATZ_does_not_prevent_the_initialisation() {
    let adapter = TinyAdapter([Cars.engine()])
    var isFirst = true
    adapter.hook = { command, _ in
      guard command == "ATZ", isFirst else { return nil }
      isFirst = false
      return ("\u{fc}\r\rELM327 v1.5\r\r>", 700 * SessionBench.millisecond)
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 3)
    #expect(bench.isConnected)
  }

  /// Answers to requests of a previous program arrive late.
  @Test(arguments: [
    "7E906412080018001\r\r\rELM327 v1.5\r\r>", "\r\rELM327 v1.5\r7E906412080018001\r\r>",
    "7E906412080018001\r\r>",
  ])
  func a_data_line_is_not_the_name_of_an_adapter(_ reply: String) {
    let adapter = TinyAdapter([Cars.engine()])
    var isFirst = true
    adapter.hook = { command, _ in
      guard command == "ATZ", isFirst else { return nil }
      isFirst = false
      return (reply, 700 * SessionBench.millisecond)
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 4)
    #expect(bench.isConnected)
    #expect(bench.identity == "ELM327 v1.5")
  }

  @Test func an_STN_chip_is_recognised_by_its_answer() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.hook = { command, _ in command == "STI" ? ("STN1110 v4.0.1\r\r>", 0) : nil }
    let bench = SessionBench(adapter)
    bench.run(seconds: 3)
    #expect(bench.events.contains(.quirk(.stnChip)))
    #expect(bench.identity == "STN1110 v4.0.1")
  }

  @Test func a_link_that_ATZ_breaks_is_reset_by_ATD_from_then_on() {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter)
    bench.run(seconds: 3)
    bench.close()
    for number in 2...3 {
      bench.run(seconds: 3) { $0.commands.filter { $0 == "ATZ" }.count == number }
      bench.run(seconds: 0.3)
      bench.close()
    }
    bench.run(seconds: 5)
    #expect(bench.events.contains(.quirk(.resetLosesLink)))
    #expect(bench.commands.contains("ATD"))
    #expect(bench.isConnected)
  }

  @Test func an_immediate_disconnect_is_not_remembered_as_a_quirk() {
    let bench = SessionBench(TinyAdapter([Cars.engine()]))
    for number in 1...5 {
      bench.run(seconds: 3) { $0.commands.count == number }
      bench.run(seconds: 0.1)
      bench.close()
    }
    bench.run(seconds: 8)
    #expect(bench.isConnected)
    #expect(!bench.commands.contains("ATD"))
    #expect(bench.session.memory.quirks == [])
  }

  @Test func an_adapter_that_every_ATZ_disconnects_is_still_found() {
    let bench = SessionBench(TinyAdapter([Cars.engine()]))
    for number in 1...2 {
      bench.run(seconds: 3) { $0.commands.filter { $0 == "ATZ" }.count == number }
      bench.run(seconds: 0.3)
      bench.close()
    }
    bench.run(seconds: 8)
    #expect(bench.commands.filter { $0 == "ATZ" }.count == 2)
    #expect(bench.isConnected)
  }

  @Test func a_damaged_protocol_number_is_asked_for_again() {
    let adapter = TinyAdapter([Cars.engine()])
    var isDamaged = true
    adapter.hook = { command, _ in
      guard command == "ATDPN", isDamaged else { return nil }
      isDamaged = false
      return ("A\u{9}~\r\r>", 0)
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 5)
    #expect(!isDamaged)
    #expect(bench.events.contains(.connected(protocolDigit: UInt8(ascii: "6"))))
    #expect(!bench.events.contains(.quirk(.noProtocolNumber)))
  }

  @Test func another_adapter_on_the_same_port_starts_without_remembered_quirks() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.unknown = ["ATAT1", "AT@1"]
    let bench = SessionBench(adapter)
    bench.run(seconds: 3)
    bench.close()
    adapter.unknown = []
    adapter.banner = "ELM327 v2.2"
    bench.run(seconds: 4)
    #expect(bench.session.memory.quirks == [])
    #expect(bench.identity == "ELM327 v2.2")
    #expect(bench.commands.last { $0 == "AT@1" } != nil)
    #expect(bench.isConnected)
  }

  @Test func a_k_line_is_closed_before_polling_stops() {
    let adapter = TinyAdapter([])
    adapter.protocolNumber = "A5"
    adapter.hook = { command, _ in
      if command.hasPrefix("AT") || command.hasPrefix("ST") { return nil }
      let delay = 30 * SessionBench.millisecond
      return command == "0100" ? ("86F1104100BE3EB8118D\r\r>", delay) : ("84F110410C1AF8E4\r\r>", delay)
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 5)
    bench.session.pollsVehicle = false
    bench.run(seconds: 0.3)
    let start = bench.now
    bench.run(seconds: 30)
    #expect(bench.commands.filter { $0 == "ATPC" }.count == 1)
    #expect(Set(bench.commands(since: start)) == ["ATRV"])
  }

  @Test(arguments: ["0", "A", "F", "Z", ">", "\r"]) func an_invalid_remembered_protocol_is_not_sent(_ digit: String) {
    var memory = SessionMemory()
    memory.protocolDigit = digit.utf8.first!
    let adapter = TinyAdapter([])
    let bench = SessionBench(adapter, memory: memory)
    bench.run(seconds: 60)
    #expect(bench.commands.filter { $0.hasPrefix("ATSP") }.allSatisfy { $0.count == 5 && $0.last!.isNumber })
    #expect(bench.commands.contains("ATSP0"))
  }
}
