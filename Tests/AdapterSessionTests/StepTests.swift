import OBDWire
import Testing

@testable import AdapterSession

/// Answers that arrive late, or with the next command. No value may be wrong, and no wrong quirk may be learned.
@Suite struct StepTests {
  /// Makes an adapter delay each answer by the result of `delay`. The order of the answers stays the same.
  private func delayed(_ adapter: TinyAdapter, by delay: @escaping (String, Int64) -> Int64) {
    let inner = TinyAdapter([Cars.engine()])
    // The inner one echoes while it is to.
    _ = adapter.receive(Array("ATE0\r".utf8), at: 0)
    var last: Int64 = 0
    adapter.hook = { command, now in
      let chunks = inner.receive(Array(command.utf8) + [0x0D], at: now)
      let text = String(decoding: chunks.flatMap(\.bytes), as: UTF8.self)
      let sent = now + Int64(command.utf8.count + 1) * adapter.byteTime
      let end = max(chunks.map(\.at).max() ?? now, last + SessionBench.millisecond) + delay(command, now)
      last = end
      return (text, end - sent)
    }
  }

  private func expectTrueReadings(_ bench: SessionBench) {
    #expect(bench.recorder.values.allSatisfy { $0.service != 1 || $0.identifier != 0x0C || $0.value == 1726 })
    #expect(bench.recorder.values.allSatisfy { $0.service != 1 || $0.identifier != 0x0D || $0.value == 50 })
  }

  @Test(arguments: 0..<24) func delays_up_to_4500_ms_teach_nothing_about_the_adapter(seed: Int) {
    var state = UInt64(seed &+ 1) &* 0x9E37_79B9_7F4A_7C15
    let adapter = TinyAdapter([Cars.engine()])
    var isLate = true
    delayed(adapter) { _, _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      // One answer in four is late.
      guard isLate, state % 4 == 0 else { return 0 }
      return Int64(state >> 8 & 0xFFFF) * 4_500 * SessionBench.millisecond / 0xFFFF
    }
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 180)
    isLate = false
    bench.run(seconds: 30)
    #expect(bench.isConnected)
    #expect(bench.session.memory.quirks.subtracting(.strayPrompts) == [], "\(bench.session.memory.quirks.rawValue)")
    #expect(bench.identity == "ELM327 v1.5")
    expectTrueReadings(bench)
    let before = bench.recorder.values.count
    bench.run(seconds: 5)
    #expect(bench.recorder.values.count > before + 50)
  }

  @Test func an_adapter_one_answer_behind_is_resynchronised_within_2_seconds() {
    let adapter = TinyAdapter([Cars.engine()])
    var preferences = PollPreferences()
    preferences.setOthersToNever()
    for pid in [0x0C, 0x0D, 0x05] as [UInt8] { preferences.set(pid, period: 0) }
    adapter.ecus[0].ignoresMulti = true
    let bench = SessionBench(adapter, preferences: preferences)
    bench.run(seconds: 10)
    // Each answer is held back until the next command, which may be ATI.
    var kept: String?
    let inner = TinyAdapter(adapter.ecus)
    for setting in ["ATE0", "ATS0", "ATH1"] { _ = inner.receive(Array((setting + "\r").utf8), at: 0) }
    func answer(_ command: String, _ now: Int64) -> String {
      String(decoding: inner.receive(Array(command.utf8) + [0x0D], at: now).flatMap(\.bytes), as: UTF8.self)
    }
    adapter.hook = { command, now in
      let own = answer(command, now)
      guard let former = kept else {
        kept = own
        return ("7E803410D32\r\r>", 20 * SessionBench.millisecond)
      }
      // The delay ends at ATI: both answers arrive.
      guard command == "ATI" else {
        kept = own
        return (former, 20 * SessionBench.millisecond)
      }
      kept = nil
      adapter.hook = nil
      return (former + own, 20 * SessionBench.millisecond)
    }
    let start = bench.now
    bench.run(seconds: 10) { $0.events.contains(.outOfStep) }
    #expect(bench.now - start <= 2 * SessionBench.second)
    let before = bench.recorder.values.count
    bench.run(seconds: 5)
    #expect(bench.recorder.values.count > before + 50)
    #expect(bench.isConnected)
    #expect(!bench.events.contains { if case .lost = $0 { true } else { false } })
    expectTrueReadings(bench)
  }

  @Test func an_adapter_that_stays_one_answer_behind_does_not_count_as_connected() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.ecus[0].ignoresMulti = true
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 10)
    #expect(bench.isConnected)
    var kept = "7E803410D32\r\r>"
    let inner = TinyAdapter(adapter.ecus)
    for setting in ["ATE0", "ATS0", "ATH1"] { _ = inner.receive(Array((setting + "\r").utf8), at: 0) }
    adapter.hook = { command, now in
      let own = String(decoding: inner.receive(Array(command.utf8) + [0x0D], at: now).flatMap(\.bytes), as: UTF8.self)
      defer { kept = own }
      return (kept, 20 * SessionBench.millisecond)
    }
    let start = bench.now
    bench.run(seconds: 30) { !$0.isConnected }
    #expect(bench.now - start <= 10 * SessionBench.second)
    expectTrueReadings(bench)
    bench.run(seconds: 120)
    #expect(!bench.isConnected)
    #expect(bench.events.count { if case .lost = $0 { true } else { false } } <= 3, "\(bench.events)")
    expectTrueReadings(bench)
    adapter.hook = nil
    adapter.restart()
    bench.run(seconds: 30) { $0.isConnected }
    #expect(bench.isConnected)
    #expect(bench.session.memory.quirks.subtracting(.strayPrompts) == [], "\(bench.session.memory.quirks.rawValue)")
    expectTrueReadings(bench)
  }

  @Test(arguments: ["ATSP6", "ATST0E", "ATRV", "ATSH7E0"])
  func a_command_that_is_refused_once_is_sent_again(command: String) {
    let adapter = TinyAdapter([Cars.engine()])
    var refusals = 0
    adapter.hook = { text, _ in
      guard text.hasPrefix(command.prefix(4)), refusals == 0 else { return nil }
      refusals += 1
      return ("?\r\r>", 5 * SessionBench.millisecond)
    }
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.add(
      AddressedRequest(
        question: .dataIdentifier(0xF40C), header: .can11(0x7E0), receiver: .can11(0x7E8), period: SessionBench.second))
    bench.run(seconds: 30)
    #expect(refusals == 1)
    #expect(bench.isConnected)
    #expect(bench.session.memory.quirks == [], "\(bench.session.memory.quirks.rawValue)")
  }

  @Test func a_wrong_capability_from_an_earlier_session_is_forgotten() {
    var memory = SessionMemory()
    memory.quirks = [.noVoltage, .noIdentity, .noDescription, .noHeaders, .noTimeout, .noProtocolNumber]
    let bench = SessionBench(TinyAdapter([Cars.engine()]), preferences: Cars.six, memory: memory)
    bench.run(seconds: 20)
    #expect(bench.session.memory.quirks == [], "\(bench.session.memory.quirks.rawValue)")
    #expect(bench.commands.count { $0 == "ATRV" } >= 2)
  }

  @Test func refusals_count_in_a_row_and_not_over_days() {
    let adapter = TinyAdapter([Cars.engine()])
    var polls = 0
    adapter.hook = { command, _ in
      guard command.hasPrefix("01"), command.count > 8 else { return nil }
      polls += 1
      // One damaged character in a hundred requests.
      return polls % 100 == 50 ? ("?\r\r>", 5 * SessionBench.millisecond) : nil
    }
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 120)
    #expect(polls > 500)
    #expect(bench.session.memory.quirks == [], "\(bench.session.memory.quirks.rawValue)")
  }
}
