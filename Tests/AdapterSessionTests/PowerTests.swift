import OBDWire
import Testing

@testable import AdapterSession

@Suite struct PowerTests {
  // MARK: Falling asleep

  @Test func polling_of_a_stationary_vehicle_stops_at_the_cut_off_voltage() {
    let bench = ParkedCar.parked(volts: "12.1V")
    let start = bench.now
    bench.run(seconds: 120) { $0.events.last == .sleeping(.lowVoltage) }
    #expect(bench.now - start >= 60 * SessionBench.second && bench.now - start <= 75 * SessionBench.second)
    #expect(!bench.isConnected)
    #expect(bench.events.filter { if case .lost = $0 { true } else { false } }.isEmpty)
    let quiet = bench.now
    bench.run(seconds: 3600)
    let after = bench.sent.filter { $0.at > quiet }
    #expect(Set(after.map(\.text)) == ["ATRV"])
    #expect(after.count >= 118 && after.count <= 121)
    for (a, b) in zip(after, after.dropFirst()) { #expect(b.at - a.at >= 30 * SessionBench.second) }
  }

  @Test(arguments: ["11.4V", "9.0V", "0.0V", "12.1V"]) func a_running_vehicle_is_polled_whatever_the_voltage(
    volts: String
  ) {
    let bench = SessionBench(TinyAdapter([Cars.engine()]), preferences: ParkedCar.calm)
    bench.adapter.voltage = "14.1V"
    bench.run(seconds: 20)
    bench.adapter.voltage = volts
    let before = bench.recorder.values.count
    bench.run(seconds: 900)
    #expect(!bench.events.contains { if case .sleeping = $0 { true } else { false } })
    #expect(bench.recorder.values.count > before + 5000)
  }

  @Test func an_ignition_that_stays_off_puts_the_session_to_sleep_after_15_minutes() {
    let bench = ParkedCar.parked(volts: "12.6V")
    bench.adapter.ecus[0].isSilent = true
    bench.run(seconds: 14 * 60)
    #expect(bench.events.last == .lost(.noData))
    bench.run(seconds: 3 * 60)
    #expect(bench.events.last == .sleeping(.vehicleSilent))
    let quiet = bench.now
    bench.run(seconds: 3600)
    #expect(Set(bench.commands(since: quiet)) == ["ATRV"])
  }

  @Test func the_voltage_is_read_during_the_search_for_a_vehicle() {
    let bench = SessionBench(TinyAdapter([]))
    bench.run(seconds: 120)
    #expect(bench.commands.count { $0 == "ATRV" } >= 8)
  }

  @Test func an_adapter_without_voltage_never_sleeps() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.unknown = ["ATRV"]
    let bench = ParkedCar.parked(volts: "12.0V", adapter)
    bench.run(seconds: 600)
    adapter.ecus[0].isSilent = true
    bench.run(seconds: 3600)
    #expect(!bench.events.contains { if case .sleeping = $0 { true } else { false } })
  }

  @Test func a_poll_plan_without_speed_asks_for_it_only_at_the_cut_off() {
    var preferences = PollPreferences()
    preferences.setOthersToNever()
    preferences.set(0x05, period: SessionBench.second)
    let bench = ParkedCar.parked(volts: "12.1V", nil, preferences: preferences)
    #expect(!bench.requests.contains("010C"))
    bench.adapter.ecus[0].pids[0x0C] = [0x0C, 0]
    bench.run(seconds: 600)
    let asked = bench.requests.count { $0 == "010C" }
    #expect(asked >= 15 && asked <= 60)
    #expect(bench.requests.contains("010D"))
    #expect(!bench.isAsleep)
    bench.adapter.ecus[0].pids[0x0C] = [0, 0]
    bench.run(seconds: 90)
    #expect(bench.isAsleep)
  }

  @Test func polling_of_a_vehicle_without_engine_speed_continues_at_a_red_light() {
    var ecu = Cars.engine()
    ecu.pids[0x0C] = nil
    let bench = ParkedCar.parked(volts: "12.1V", TinyAdapter([ecu]))
    bench.adapter.ecus[0].pids[0x0C] = nil
    bench.run(seconds: 300)
    #expect(!bench.isAsleep)
    bench.run(seconds: 15 * 60)
    #expect(bench.isAsleep)
  }

  @Test func an_electric_fuel_type_is_considered() {
    var ecu = Cars.engine()
    ecu.pids[0x51] = [0x11]
    var preferences = ParkedCar.calm
    preferences.set(0x51, period: 10 * SessionBench.second)
    let bench = ParkedCar.parked(volts: "12.1V", TinyAdapter([ecu]), preferences: preferences)
    bench.run(seconds: 600)
    #expect(!bench.isAsleep)
  }

  @Test func the_control_modules_voltage_is_learned_and_kept() {
    var preferences = ParkedCar.calm
    preferences.set(0x42, period: SessionBench.second)
    // 13.584 V, while the adapter shows 12.9.
    let bench = SessionBench(TinyAdapter([Cars.engine()]), preferences: preferences)
    bench.adapter.voltage = "12.8V"
    bench.run(seconds: 20)
    bench.adapter.voltage = "12.9V"
    bench.run(seconds: 60)
    #expect(abs(bench.session.memory.voltageOffset - 0.684) < 0.1)
  }

  // MARK: Waking

  @Test func a_started_engine_is_found_by_the_rise_within_its_period() {
    let bench = ParkedCar.asleep()
    ParkedCar.startEngine(bench)
    let start = bench.now
    bench.run(seconds: 60) { $0.isConnected }
    bench.run(seconds: 0.01)
    #expect(bench.now - start <= 32 * SessionBench.second)
    #expect(bench.events == [.awake(.voltageRise), .recovered(protocolDigit: UInt8(ascii: "6"))])
    let before = bench.recorder.values.count
    bench.run(seconds: 10)
    #expect(bench.recorder.values.count > before + 50)
  }

  @Test func a_probe_after_manual_search_rounds_uses_a_protocol_that_finds_the_vehicle() {
    let adapter = TinyAdapter([Cars.engine()])
    var selected = ""
    adapter.hook = { [unowned adapter] command, _ in
      if command.hasPrefix("ATSP") { selected = command }
      let isRight = ["ATSP0", "ATSP6", "ATSPA6"].contains(selected)
      return isRight || command.hasPrefix("AT") || command.hasPrefix("ST") || adapter.isAsleep
        ? nil : ("UNABLE TO CONNECT\r\r>", SessionBench.second)
    }
    for seconds in 0..<4 {
      let bench = ParkedCar.parked(volts: "12.1V", adapter)
      adapter.ecus[0].isSilent = true
      // The number of seconds differs each time, so that the round in progress is another one.
      bench.run(seconds: 20 + 3 * Double(seconds))
      bench.run(seconds: 200) { $0.isAsleep }
      #expect(bench.isAsleep)
      adapter.ecus[0].isSilent = false
      ParkedCar.startEngine(bench)
      bench.run(seconds: 40) { $0.isConnected }
      #expect(bench.isConnected, "\(bench.commands.suffix(5))")
    }
  }

  @Test func a_battery_charger_causes_one_probe_and_no_record() {
    let bench = ParkedCar.asleep()
    bench.adapter.voltage = "13.6V"
    bench.adapter.ecus[0].isSilent = true
    let start = bench.now
    bench.run(seconds: 3600)
    let requests = bench.commands(since: start).filter { !$0.hasPrefix("AT") }
    #expect(requests.count >= 1 && requests.count <= 2)
    #expect(Set(requests) == ["0100"])
    #expect(bench.events == [])
    // The next voltage rise finds the engine.
    bench.adapter.ecus[0].isSilent = false
    bench.adapter.voltage = "14.4V"
    bench.run(seconds: 60) { $0.isConnected }
    #expect(bench.isConnected)
  }

  @Test func the_interval_brings_a_probe() {
    var configuration = SessionConfiguration()
    configuration.power.wakeInterval = 600 * SessionBench.second
    let bench = ParkedCar.asleep(nil, configuration)
    let start = bench.now
    bench.run(seconds: 590)
    #expect(Set(bench.commands(since: start)) == ["ATRV"])
    bench.run(seconds: 20)
    #expect(bench.events.first == .awake(.interval))
    // It remains parked at the cut-off voltage, and sleeps again after the usual time.
    bench.run(seconds: 80)
    #expect(bench.events.last == .sleeping(.lowVoltage))
  }

  @Test func a_brown_out_of_the_adapter_is_an_engine_being_cranked() {
    let bench = ParkedCar.asleep()
    bench.adapter.restart()
    bench.inject("\r\rELM327 v1.5\r\r>")
    bench.run(seconds: 5)
    #expect(
      Array(bench.events.prefix(2)) == [.awake(.adapterReturned), .recovered(protocolDigit: UInt8(ascii: "6"))])
  }

  @Test func an_adapter_unplugged_while_asleep_is_reported_and_probed_once_on_return() {
    let bench = ParkedCar.asleep()
    bench.close()
    bench.run(seconds: 0.01)
    #expect(bench.events == [.lost(.portClosed)])
    bench.run(seconds: 5)
    #expect(bench.events.contains(.awake(.adapterReturned)))
    #expect(bench.isConnected)
  }

  @Test func the_caller_can_wake_a_sleeping_session() {
    let bench = ParkedCar.asleep()
    bench.session.wake()
    bench.run(seconds: 40)
    #expect(bench.events.first == .awake(.requested))
  }

  @Test func a_request_of_the_caller_counts_both_awake_and_asleep() {
    let bench = ParkedCar.asleep()
    bench.session.pollsVehicle = false
    ParkedCar.startEngine(bench)
    let start = bench.now
    bench.run(seconds: 300)
    #expect(Set(bench.commands(since: start)) == ["ATRV"])
    bench.session.pollsVehicle = true
    bench.run(seconds: 3)
    #expect(bench.isConnected)
    #expect(bench.events.first.map { if case .awake = $0 { true } else { false } } == true)
  }

  @Test func codes_are_not_cleared_in_a_sleeping_vehicle() throws {
    let bench = ParkedCar.asleep()
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 60)
    #expect(bench.events == [.clearRefused(.notConnected)])
  }
}
