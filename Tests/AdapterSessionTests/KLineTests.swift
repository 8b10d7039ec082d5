import OBDWire
import Testing

@testable import AdapterSession

/// The pause between an answer and the next request on a K-line, made by the adapter or by the session.
@Suite struct KLineTests {
  private static let answerTime = 30 * SessionBench.millisecond
  private static let list = "18:31 F 19:31 F 1A:0A F 1B:0A F\r1C:03 F 1D:0F F 1E:4A F 1F:FF F\r\r>"

  /// Returns a bench with a KWP car and an adapter. `pauses` receives the times from the end of an answer to the next
  /// request.
  private func bench(
    parameters: String?, memory: SessionMemory = SessionMemory(), pauses: Pauses = Pauses()
  ) -> SessionBench {
    let adapter = TinyAdapter([])
    adapter.protocolNumber = "A5"
    adapter.hook = { command, now in
      if command == "ATPPS" { return parameters.map { ($0, 0) } }
      if command.hasPrefix("AT") || command.hasPrefix("ST") { return nil }
      if pauses.answeredAt > 0, pauses.isCounting { pauses.least = min(pauses.least, now - pauses.answeredAt) }
      pauses.answeredAt = now + Self.answerTime
      return (command == "0100" ? "86F1104100BE3EB8118D\r\r>" : "84F110410C1AF8E4\r\r>", Self.answerTime)
    }
    return SessionBench(adapter, memory: memory)
  }

  private final class Pauses {
    var least = Int64.max
    var answeredAt: Int64 = 0
    var isCounting = true
  }

  @Test func an_adapter_that_keeps_the_pause_itself_gets_requests_right_after_the_prompt() {
    let pauses = Pauses()
    pauses.isCounting = false
    let bench = bench(parameters: Self.list, pauses: pauses)
    bench.run(seconds: 5)
    pauses.isCounting = true
    bench.run(seconds: 15)
    #expect(bench.events.contains(.quirk(.keepsPause)))
    #expect(bench.commands.contains("ATST0D"))
    #expect(pauses.least < 20 * SessionBench.millisecond, "the adapter holds it back until the pause is over")
    #expect(bench.requests.allSatisfy { $0.count % 2 == 0 }, "no count of answers on a K-line")
  }

  @Test(arguments: [
    "?\r\r>", "OK\r\r>", "1C:03 F 1D:0E N 1E:4A F 1F:FF F\r\r>", "1C:FF F 1D:FF F 1E:FF F 1F:FF F\r\r>",
  ])
  func the_session_keeps_the_pause_for_adapters_that_do_not(_ parameters: String) {
    let pauses = Pauses()
    let bench = bench(parameters: parameters, pauses: pauses)
    bench.run(seconds: 20)
    #expect(bench.requests.count > 20)
    #expect(pauses.least >= 55 * SessionBench.millisecond)
    #expect(bench.commands.contains("ATST0E"))
    #expect(!bench.session.memory.quirks.contains(.keepsPause))
  }

  @Test func a_k_line_session_verifies_the_remembered_pause() {
    var memory = SessionMemory()
    memory.quirks = .keepsPause
    let pauses = Pauses()
    let bench = bench(parameters: "1D:05 N\r\r>", memory: memory, pauses: pauses)
    bench.run(seconds: 20)
    #expect(pauses.least >= 55 * SessionBench.millisecond)
    #expect(!bench.session.memory.quirks.contains(.keepsPause))
  }

  @Test func an_adapter_that_does_not_keep_its_listed_pause_is_detected() {
    let adapter = TinyAdapter([])
    adapter.protocolNumber = "A5"
    var answeredAt: Int64 = 0
    var missed: [Int64] = []
    adapter.hook = { command, now in
      if command == "ATPPS" { return (Self.list, 0) }
      if command.hasPrefix("AT") || command.hasPrefix("ST") { return nil }
      let isEarly = now - answeredAt < 55 * SessionBench.millisecond
      answeredAt = now + Self.answerTime
      if isEarly {
        missed.append(now)
        return ("NO DATA\r\r>", 60 * SessionBench.millisecond)
      }
      if command == "0100" { return ("86F110410000180000E0\r\r>", Self.answerTime) }
      let answers = ["010C": "84F110410C1AF8E4\r\r>", "010D": "83F110410D3204\r\r>"]
      return answers[command].map { ($0, Self.answerTime) } ?? ("NO DATA\r\r>", 60 * SessionBench.millisecond)
    }
    var preferences = PollPreferences()
    for pid in [0x0C, 0x0D] as [UInt8] { preferences.set(pid, period: 0) }
    let bench = SessionBench(adapter, preferences: preferences)
    bench.run(seconds: 60)
    #expect(!missed.isEmpty)
    #expect(bench.events.contains(.quirk(.breaksPause)))
    #expect(!bench.session.memory.quirks.contains(.keepsPause))
    let half = bench.now - 30 * SessionBench.second
    #expect(missed.allSatisfy { $0 < half }, "it is asked too soon no more")
    #expect(!bench.events.contains(.quirk(.slowECU)))
  }

  @Test func a_broken_pause_of_an_earlier_session_is_forgotten_when_early_requests_are_answered() {
    var memory = SessionMemory()
    memory.quirks = .breaksPause
    let bench = bench(parameters: Self.list, memory: memory)
    bench.run(seconds: 20)
    #expect(bench.session.memory.quirks.contains(.keepsPause))
    #expect(!bench.session.memory.quirks.contains(.breaksPause))
    #expect(bench.events.contains(.memoryChanged))
  }

  @Test func a_PID_without_data_does_not_count_as_a_broken_pause() {
    let adapter = TinyAdapter([])
    adapter.protocolNumber = "A5"
    adapter.hook = { command, _ in
      if command == "ATPPS" { return (Self.list, 0) }
      if command.hasPrefix("AT") || command.hasPrefix("ST") { return nil }
      if command == "0100" { return ("86F110410000180000E0\r\r>", Self.answerTime) }
      guard command == "010C" else { return ("NO DATA\r\r>", 60 * SessionBench.millisecond) }
      return ("84F110410C1AF8E4\r\r>", Self.answerTime)
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 60)
    #expect(bench.requests.count { $0 == "010D" } > 3)
    #expect(bench.session.memory.quirks == .keepsPause)
  }

  @Test func a_rejected_parameter_list_is_requested_once() {
    let bench = bench(parameters: "?\r\r>")
    bench.run(seconds: 5)
    bench.inject("\r\rELM327 v1.5\r\r>")
    bench.run(seconds: 10)
    #expect(bench.commands.count { $0 == "ATPPS" } == 1)
    #expect(bench.events.contains(.quirk(.noParameterList)))
  }

  @Test func the_pause_is_read_again_after_the_adapter_restarts() {
    let bench = bench(parameters: Self.list)
    bench.run(seconds: 5)
    bench.inject("\r\rELM327 v1.5\r\r>")
    bench.run(seconds: 10)
    #expect(bench.commands.count { $0 == "ATPPS" } == 2)
  }

  @Test func the_pause_is_not_read_on_CAN() {
    let bench = SessionBench(TinyAdapter([Cars.engine()]))
    bench.run(seconds: 10)
    #expect(bench.isConnected)
    #expect(!bench.commands.contains("ATPPS"))
  }
}
