import OBDWire
import Testing

@testable import AdapterSession

/// The commands to the adapter before polling stops.
@Suite struct QuietTests {
  // MARK: K-lines

  private func kLine() -> TinyAdapter {
    let adapter = TinyAdapter([])
    adapter.protocolNumber = "A5"
    adapter.hook = { [unowned adapter] command, _ in
      if command.hasPrefix("AT") || command.hasPrefix("ST") { return nil }
      let delay = 30 * SessionBench.millisecond
      if command == "0100" { return ("86F1104100BE3EB8118D\r\r>", delay) }
      let isRunning = adapter.voltage == "14.1V"
      return (isRunning ? "84F110410C1AF8E4\r\r>" : "84F110410C0000D2\r\r>", delay)
    }
    return adapter
  }

  @Test func a_k_line_is_closed_before_it_sleeps_and_opened_again() {
    let bench = ParkedCar.asleep(kLine())
    #expect(bench.commands.count { $0 == "ATPC" } == 1)
    let start = bench.now
    bench.run(seconds: 600)
    #expect(Set(bench.commands(since: start)) == ["ATRV"])
    bench.adapter.voltage = "14.1V"
    bench.run(seconds: 40)
    #expect(bench.isConnected)
  }

  @Test func where_ATPC_is_refused_the_wakeups_are_stopped_and_restored() {
    let adapter = kLine()
    adapter.unknown = ["ATPC"]
    let bench = ParkedCar.asleep(adapter)
    #expect(bench.commands.suffix(20).contains("ATSW00"))
    #expect(bench.session.memory.quirks.contains(.noProtocolClose))
    let start = bench.now
    bench.run(seconds: 300)
    #expect(Set(bench.commands(since: start)) == ["ATRV"])
    bench.adapter.voltage = "14.1V"
    bench.run(seconds: 40)
    let commands = bench.commands(since: start).filter { $0 != "ATRV" }
    #expect(commands.prefix(2) == ["ATSW92", "0100"])
    #expect(bench.isConnected)
  }

  // MARK: Low power

  private var lowPower: SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.power.usesLowPower = true
    return configuration
  }

  @Test(arguments: [false, true]) func an_adapter_in_low_power_is_woken_and_initialised_for_each_reading(silent: Bool) {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.sleepsWithoutPrompt = silent
    let bench = ParkedCar.asleep(adapter, lowPower)
    #expect(bench.commands.last == "ATLP")
    let start = bench.now
    bench.run(seconds: 300)
    let commands = bench.commands(since: start)
    #expect(commands.allSatisfy { $0.hasPrefix("AT") || $0 == "STI" })
    #expect(commands.count { $0 == "ATLP" } >= 8)
    let readings = commands.count { $0 == "ATRV" }
    #expect(readings >= 8 && readings <= 11)
    #expect(commands.contains("ATE0") && commands.contains("ATH1"))
    #expect(bench.events == [])
    ParkedCar.startEngine(bench)
    bench.run(seconds: 40) { $0.isConnected }
    bench.run(seconds: 0.01)
    #expect(bench.events == [.awake(.voltageRise), .recovered(protocolDigit: UInt8(ascii: "6"))])
    #expect(adapter.headers && !adapter.echoes)
  }

  @Test func low_power_that_is_refused_is_a_quirk() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.unknown = ["ATLP"]
    let bench = ParkedCar.asleep(adapter, lowPower)
    #expect(bench.session.memory.quirks.contains(.noLowPower))
    let start = bench.now
    bench.run(seconds: 120)
    #expect(Set(bench.commands(since: start)) == ["ATRV"])
  }

  @Test func an_adapter_that_cannot_be_woken_is_reported_and_kept_awake_afterwards() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.sleepsForGood = true
    let bench = ParkedCar.asleep(adapter, lowPower)
    bench.run(seconds: 120)
    #expect(bench.events.contains(.quirk(.noLowPower)))
    #expect(bench.events.contains(.lost(.silent)))
    adapter.powerCycle()
    ParkedCar.startEngine(bench)
    let start = bench.now
    bench.run(seconds: 30)
    #expect(bench.isConnected)
    #expect(!bench.commands(since: start).contains("ATLP"))
  }

  @Test func a_line_too_fast_for_the_waking_character_is_never_put_to_low_power() {
    var configuration = lowPower
    configuration.transport = .serial(baud: 115_200)
    let adapter = TinyAdapter([Cars.engine()])
    adapter.baud = 115_200
    let bench = ParkedCar.asleep(adapter, configuration)
    bench.run(seconds: 60)
    #expect(!bench.commands.contains("ATLP"))
  }
}
