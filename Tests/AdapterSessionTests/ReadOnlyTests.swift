import OBDWire
import Testing

@testable import AdapterSession

/// Only services that read are sent on the bus, no matter what the adapter sends. ``SessionBench`` checks every byte in every
/// test of this folder. These dialogues try to provoke others.
@Suite struct ReadOnlyTests {
  /// Numbers that look random and are the same in every run.
  private struct Numbers {
    var state: UInt64
    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
  }

  private static let words = [
    "?\r\r>", "OK\r\r>", ">", ">>", "NO DATA\r\r>", "STOPPED\r\r>", "ELM327 v1.5\r\r>", "CAN ERROR\r\r>",
    "BUFFER FULL\r\r>",
    "UNABLE TO CONNECT\r\r>", "BUS INIT: ERROR\r\r>", "LV RESET\r\r>", "ERR94\r\r>", "LP ALERT\r\r>",
    "7E8037F0121\r\r>",
    "7E8037F0178\r\r>", "7E806410098180001\r\r>", "7E8064100FFFFFFFF\r7E9064100FFFFFFFF\r\r>", "7E80441", "\u{0}\u{fc}",
    "7E804410C1AF8\r\r>", "A6\r\r>", "AA\r\r>", "12.3V\r\r>",
    "7E81014490201314434\r7E82147503030523535\r7E82242313233343536\r\r>",
    "7E8044302042001\r\r>", "7E80642020004200000\r\r>", "04\r44\r\r>", "14FF00\r\r>", "7E8065F", "", "\r\r>",
  ]

  @Test(arguments: 1...40)
  func random_adapter_output_never_leads_to_a_writing_request(seed: UInt64) {
    let adapter = TinyAdapter([Cars.engine(), Cars.gearbox()])
    var numbers = Numbers(state: seed)
    // In some rounds the adapter answers correctly, so that the dialogue makes progress.
    let madness = 2 + numbers.next(20)
    adapter.hook = { command, _ in
      guard numbers.next(madness) == 0 else { return nil }
      return (Self.words[numbers.next(Self.words.count)], Int64(numbers.next(400)) * SessionBench.millisecond)
    }
    var configuration = SessionConfiguration()
    configuration.codesPeriod = 3 * SessionBench.second
    let bench = SessionBench(adapter, configuration)
    bench.add(
      AddressedRequest(
        question: .dataIdentifier(0x1404), header: .can11(0x7E0), receiver: .can11(0x7E8), period: SessionBench.second))
    // SessionBench checks each command. Clearing is not requested, so 04 is an error, too.
    bench.run(seconds: 60)
    #expect(bench.sent.count > 20)
    // When the adapter works again, values arrive again. A search that is in progress may first take its full time.
    adapter.hook = nil
    let before = bench.recorder.values.count { $0.service == 1 }
    bench.run(seconds: 120) { $0.recorder.values.count { $0.service == 1 } > before + 20 }
    #expect(bench.isConnected, "\(bench.events.suffix(12)) \(bench.commands.suffix(12))")
  }

  @Test func a_confirmed_clear_is_sent_at_most_once_with_random_adapter_output() throws {
    for seed in UInt64(100)..<120 {
      var ecu = Cars.engine()
      ecu.codes = [0x0420]
      ecu.pids[0x0C] = [0, 0]
      ecu.pids[0x0D] = [0]
      let adapter = TinyAdapter([ecu])
      let bench = SessionBench(adapter)
      bench.run(seconds: 6)
      var numbers = Numbers(state: seed)
      adapter.hook = { _, _ in
        guard numbers.next(4) == 0 else { return nil }
        return (Self.words[numbers.next(Self.words.count)], Int64(numbers.next(100)) * SessionBench.millisecond)
      }
      bench.mayClear = true
      bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
      bench.run(seconds: 60)
      #expect(bench.requests.count { $0 == "04" } <= 1)
      let ends = bench.events.count {
        if case .clearRefused = $0 { true } else { $0 == .codesCleared }
      }
      #expect(ends == 1, "seed \(seed): \(bench.events)")
    }
  }
}
