import OBDWire
import Testing

@testable import AdapterSession

/// The addresses that an ECU can have on each bus.
@Suite struct SenderTests {
  /// Returns a bench whose adapter prints lines of other senders before each answer of the engine's ECU.
  private func bench(_ strangers: [String], after: Bool = false, number: String = "A6") -> SessionBench {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.protocolNumber = number
    let inner = TinyAdapter([Cars.engine()])
    for setting in ["ATE0", "ATS0", "ATH1"] { _ = inner.receive(Array((setting + "\r").utf8), at: 0) }
    adapter.hook = { command, now in
      guard command.hasPrefix("01") else { return nil }
      let bytes = inner.receive(Array(command.utf8) + [0x0D], at: now).flatMap(\.bytes)
      let answer = String(decoding: bytes, as: UTF8.self)
      let lines = answer.split(separator: "\r", omittingEmptySubsequences: false)
      let own = lines.filter { $0.hasPrefix("7E8") }
      guard own.count == 1, let line = own.first else { return (answer, 20 * SessionBench.millisecond) }
      let others = strangers.map { $0 + line.dropFirst(3) }
      let all = after ? [String(line)] + others : others + [String(line)]
      return (all.joined(separator: "\r") + "\r\r>", 20 * SessionBench.millisecond)
    }
    var preferences = PollPreferences()
    preferences.setOthersToNever()
    for pid in [0x0C, 0x0D] as [UInt8] { preferences.set(pid, period: 0) }
    return SessionBench(adapter, preferences: preferences)
  }

  @Test(arguments: [["7E0"], ["18DAF110"], ["7DF", "7E0", "7F0", "18DB33F1"]], [true, false])
  func senders_that_cannot_be_on_an_11_bit_bus_are_no_ECUs(strangers: [String], after: Bool) {
    let bench = bench(strangers, after: after)
    bench.run(seconds: 20)
    #expect(bench.isConnected)
    #expect(bench.session.car.ecuCount == 1)
    #expect(bench.session.car.address(of: 0) == .can11(0x7E8))
    #expect(Set(bench.recorder.values.map(\.ecu)).subtracting([0]) == [0x7E8])
    #expect(bench.recorder.values.count { $0.identifier == 0x0C } > 50)
    #expect(bench.recorder.failures.contains(.unexpected))
    #expect(!bench.events.contains { if case .lost = $0 { true } else { false } })
  }

  @Test func an_adapter_that_names_the_wrong_bus_is_believed_by_its_frames() {
    var ecu = Cars.engine("18DAF110")
    ecu.information = [:]
    let bench = SessionBench(TinyAdapter([ecu]), preferences: Cars.six)
    bench.run(seconds: 20)
    #expect(bench.isConnected)
    #expect(bench.session.vehicle.bus == .can29)
    #expect(bench.recorder.values.count { $0.identifier == 0x0C } > 50)
  }
}
