import OBDWire
import Testing

@testable import AdapterSession

/// The part of the link's capacity that the polling plan uses, compared with the best plan that the standards allow:
/// six PIDs in a request, the number of frames after it, and the next request directly after the prompt.
@Suite struct LinkUseTests {
  /// Returns the duration of one cycle in seconds: the request, the ECU's latency, its frames as they are printed, and
  /// the prompt.
  ///
  /// Six values: 41 and 0C (2 data bytes), 0D, 04, 05, 0F, 11 (1 each) are 14 bytes, which need three frames.
  private func bestCycle(baud: Int, latency: Double, gap: Double) -> Double {
    let byte = 10 / Double(baud)
    // 010C0D0504110F3 and CR.
    let request = 16 * byte
    // 7E8, eight bytes as 16 digits, CR.
    let frame = 20 * byte
    var printed = request
    for number in 0..<3 {
      let arrives = request + latency + Double(number) * gap
      printed = max(printed, arrives) + frame
    }
    return printed + 2 * byte
  }

  @Test(arguments: [(38400, 10.0), (115_200, 10), (500_000, 10), (115_200, 2), (115_200, 25)])
  func values_a_second_reach_95_percent_of_the_best_plan(baud: Int, latency: Double) {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.baud = baud
    adapter.hostBaud = baud
    adapter.latency = Int64(latency * 1e6)
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 10)
    let before = bench.recorder.values.count { $0.service == 1 }
    let start = bench.now
    bench.run(seconds: 60)
    let seconds = Double(bench.now - start) / 1e9
    let perSecond = Double(bench.recorder.values.count { $0.service == 1 } - before) / seconds
    let limit = 6 / bestCycle(baud: baud, latency: latency / 1000, gap: 0.001)
    print("link use at \(baud) baud, \(latency) ms: \(perSecond / limit)")
    #expect(perSecond / limit >= 0.95)
    #expect(perSecond / limit <= 1.001, "more than the link carries: the limit is computed wrongly")
  }

  @Test func a_K_line_reaches_90_percent_of_answer_and_pause() {
    let adapter = TinyAdapter([])
    adapter.protocolNumber = "A5"
    // The ECU answers after 30 ms. The adapter then waits for other ECUs, 57 ms by ATST.
    var wait: Int64 = 205
    adapter.hook = { command, _ in
      if command == "ATST0E" { wait = 57 }
      if command.hasPrefix("AT") || command.hasPrefix("ST") { return nil }
      if command == "0100" { return ("86F1104100BE3EB8118D\r\r>", 300 * SessionBench.millisecond) }
      guard command == "010C" else { return ("NO DATA\r\r>", (30 + wait) * SessionBench.millisecond) }
      return ("84F110410C1AF8E4\r\r>", (30 + wait) * SessionBench.millisecond)
    }
    var preferences = PollPreferences()
    preferences.setOthersToNever()
    preferences.set(0x0C, period: 0)
    let bench = SessionBench(adapter, preferences: preferences)
    bench.run(seconds: 10)
    let before = bench.recorder.values.count { $0.identifier == 0x0C }
    bench.run(seconds: 60)
    let perSecond = Double(bench.recorder.values.count { $0.identifier == 0x0C } - before) / 60
    // Request 5 bytes, answer 19 bytes, at 38400 baud. The answer arrives in one piece after the wait, so that P3min
    // begins there. This is the best that the adapter allows.
    let cycle = 24 * 10 / 38400.0 + 0.030 + 0.057 + 0.055
    #expect(perSecond * cycle >= 0.9)
  }
}
