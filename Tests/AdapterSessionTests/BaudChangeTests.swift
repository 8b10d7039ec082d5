import OBDWire
import Testing

@testable import AdapterSession

@Suite struct BaudChangeTests {
  private func bench(
    _ adapter: TinyAdapter, preferred: Int? = 115_200, fixed: Int? = 38400, quirks: Quirks = []
  ) -> SessionBench {
    var configuration = SessionConfiguration()
    configuration.transport = .serial(baud: fixed)
    configuration.preferredBaud = preferred
    var memory = SessionMemory()
    memory.quirks = quirks
    let bench = SessionBench(adapter, configuration, preferences: Cars.six, memory: memory)
    bench.mayChangeBaud = true
    return bench
  }

  private func expectReadings(_ bench: SessionBench, at baud: Int) {
    #expect(bench.isConnected)
    #expect(bench.adapter.baud == baud && bench.adapter.hostBaud == baud)
    #expect(bench.recorder.values.contains { $0.identifier == 0x0C && $0.value == 1726 })
    #expect(bench.recorder.values.allSatisfy { $0.identifier != 0x0C || $0.value == 1726 })
  }

  @Test func the_baud_rate_is_raised_after_the_settings_and_verified() {
    let bench = bench(TinyAdapter([Cars.engine()]))
    bench.run(seconds: 5)
    let first = bench.commands.firstIndex(of: "ATBRT40")!
    #expect(bench.commands[first - 1] == "ATRV")
    #expect(Array(bench.commands[first..<first + 5]) == ["ATBRT40", "ATBRD23", "", "ATI", "0100"])
    #expect(bench.bauds == [38400, 115_200])
    expectReadings(bench, at: 115_200)
    #expect(!bench.events.contains(.quirk(.noBaudChange)))
  }

  @Test(arguments: [(57600, "ATBRD45"), (230_400, "ATBRD11"), (500_000, "ATBRD08")])
  func the_baud_rate_divisor_is_based_on_4_MHz(baud: Int, command: String) {
    let bench = bench(TinyAdapter([Cars.engine()]), preferred: baud)
    bench.run(seconds: 5)
    #expect(bench.commands.contains(command))
    expectReadings(bench, at: baud)
  }

  @Test(arguments: [1_000_000, 9600, 460_800]) func a_baud_rate_without_a_divisor_is_not_requested(baud: Int) {
    let bench = bench(TinyAdapter([Cars.engine()]), preferred: baud)
    bench.run(seconds: 5)
    #expect(!bench.commands.contains { $0.hasPrefix("ATBR") })
    expectReadings(bench, at: 38400)
  }

  @Test func an_STN_chip_receives_the_baud_rate_as_a_number() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.banner = "STN1110 v4.0.1"
    adapter.hook = { command, _ in command == "STI" ? ("STN1110 v4.0.1\r\r>", 0) : nil }
    let bench = bench(adapter, preferred: 1_000_000)
    bench.run(seconds: 5)
    #expect(bench.commands.contains("STBRT320"))
    #expect(bench.commands.contains("STBR1000000"))
    expectReadings(bench, at: 1_000_000)
  }

  @Test func a_rejected_baud_change_is_a_quirk_and_the_session_continues() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.unknown = ["ATBRT*", "ATBRD*"]
    let bench = bench(adapter)
    bench.run(seconds: 5)
    #expect(bench.events.contains(.quirk(.noBaudChange)))
    #expect(bench.commands.count { $0.hasPrefix("ATBRD") } == 2)
    #expect(bench.bauds == [38400])
    expectReadings(bench, at: 38400)
    // The change of the speed is not tried again at the next start.
    bench.close()
    bench.run(seconds: 5)
    #expect(bench.commands.count { $0.hasPrefix("ATBRD") } == 2)
  }

  @Test func a_remembered_rejection_of_the_baud_change_is_discarded_after_a_success() {
    let bench = bench(TinyAdapter([Cars.engine()]), quirks: .noBaudChange)
    bench.run(seconds: 5)
    #expect(!bench.session.memory.quirks.contains(.noBaudChange))
    #expect(bench.events.contains(.memoryChanged))
    expectReadings(bench, at: 115_200)
  }

  @Test func a_remembered_rejection_of_the_baud_change_is_tested_once_in_each_session() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.unknown = ["ATBRT*", "ATBRD*"]
    let bench = bench(adapter, quirks: .noBaudChange)
    bench.run(seconds: 5)
    bench.close()
    bench.run(seconds: 5)
    // A single refusal may be a damaged character, so the session sends the command twice.
    #expect(bench.commands.count { $0.hasPrefix("ATBRD") } == 2)
    #expect(bench.session.memory.quirks.contains(.noBaudChange))
    #expect(!bench.events.contains(.quirk(.noBaudChange)))
    expectReadings(bench, at: 38400)
  }

  @Test func an_adapter_silent_at_the_new_baud_rate_is_read_at_the_old_one() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.isSilentAfterBaud = true
    let bench = bench(adapter)
    bench.run(seconds: 8)
    #expect(bench.events.contains(.quirk(.noBaudChange)))
    #expect(bench.bauds == [38400, 115_200, 38400])
    #expect(!bench.commands.contains(""))
    expectReadings(bench, at: 38400)
  }

  @Test func an_adapter_that_missed_the_confirmation_is_read_at_the_old_baud_rate() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.missesConfirmation = true
    let bench = bench(adapter)
    bench.run(seconds: 8)
    #expect(bench.events.contains(.quirk(.noBaudChange)))
    #expect(bench.commands.count { $0.isEmpty } == 1)
    expectReadings(bench, at: 38400)
  }

  @Test func an_adapter_is_found_again_after_a_garbled_baud_confirmation() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.wordOfConfirmation = "O\u{1}"
    let bench = bench(adapter)
    bench.run(seconds: 40)
    #expect(bench.events.contains(.quirk(.noBaudChange)))
    #expect(bench.bauds.prefix(3) == [38400, 115_200, 38400])
    expectReadings(bench, at: 38400)
  }

  @Test func a_port_that_stays_at_the_old_baud_rate_confirms_nothing() {
    let bench = bench(TinyAdapter([Cars.engine()]))
    bench.keepsBaud = true
    bench.run(seconds: 8)
    #expect(!bench.commands.contains(""))
    #expect(bench.events.contains(.quirk(.noBaudChange)))
    expectReadings(bench, at: 38400)
  }

  @Test func an_unsupported_baud_rate_is_remembered_and_polling_continues() {
    let bench = bench(TinyAdapter([Cars.engine()]), preferred: 230_400)
    bench.highestBaud = 115_200
    bench.run(seconds: 8)
    #expect(bench.events.contains(.quirk(.noBaudChange)))
    #expect(bench.bauds == [38400, 230_400, 38400])
    #expect(!bench.commands.contains(""))
    expectReadings(bench, at: 38400)
    bench.close()
    bench.run(seconds: 8)
    #expect(bench.commands.count { $0.hasPrefix("ATBRD") } == 1)
    expectReadings(bench, at: 38400)
  }

  @Test func a_silent_adapter_is_probed_further_if_the_port_rejects_the_preferred_rate() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.isDead = true
    let bench = bench(adapter, preferred: 230_400)
    bench.highestBaud = 115_200
    bench.run(seconds: 60)
    #expect(bench.events == [.lost(.silent)])
    adapter.isDead = false
    bench.run(seconds: 20) { $0.isConnected }
    bench.run(seconds: 4)
    expectReadings(bench, at: 38400)
  }

  @Test func the_session_returns_to_the_old_baud_rate_after_a_brown_out() {
    let bench = bench(TinyAdapter([Cars.engine()]))
    bench.run(seconds: 5)
    bench.adapter.powerCycle()
    let start = bench.now
    bench.run(seconds: 30) { !$0.isConnected }
    #expect(bench.now - start <= 5 * SessionBench.second)
    bench.run(seconds: 30) { $0.isConnected }
    // ATWS is not answered; then ATZ is sent at the old speed.
    #expect(bench.now - start <= 9 * SessionBench.second)
    expectReadings(bench, at: 115_200)
  }

  @Test func an_adapter_that_repeatedly_fails_at_the_new_baud_rate_keeps_its_own() {
    let bench = bench(TinyAdapter([Cars.engine()]))
    for _ in 0..<3 {
      bench.run(seconds: 20)
      bench.adapter.powerCycle()
    }
    bench.run(seconds: 30)
    #expect(bench.events.contains(.quirk(.noBaudChange)))
    expectReadings(bench, at: 38400)
  }

  @Test func a_fatal_error_at_the_new_speed_is_ended_by_a_warm_start() {
    let bench = bench(TinyAdapter([Cars.engine()]))
    bench.run(seconds: 5)
    var isOnce = true
    bench.adapter.hook = { command, _ in
      guard isOnce, command.count > 8 else { return nil }
      isOnce = false
      return ("ERR94\r\r>", 5 * SessionBench.millisecond)
    }
    bench.run(seconds: 5)
    #expect(bench.commands.contains("ATWS"))
    #expect(bench.commands.count { $0 == "ATZ" } == 1)
    expectReadings(bench, at: 115_200)
  }

  @Test(arguments: [38400, nil]) func an_adapter_left_at_the_new_speed_is_found_again(fixed: Int?) {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.leave(at: 115_200)
    let bench = bench(adapter, fixed: fixed)
    bench.run(seconds: 60) { $0.isConnected }
    #expect(bench.isConnected)
    bench.run(seconds: 2)
    expectReadings(bench, at: 115_200)
  }

  @Test func the_baud_rate_of_a_connection_without_one_is_not_changed() {
    var configuration = SessionConfiguration()
    configuration.preferredBaud = 115_200
    let bench = SessionBench(TinyAdapter([Cars.engine()]), configuration)
    bench.run(seconds: 5)
    #expect(bench.bauds == [])
    #expect(bench.isConnected)
  }
}
