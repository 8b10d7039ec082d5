import Testing

@testable import AdapterSession

@Suite struct PowerWatchTests {
  // MARK: Awake

  @Test(arguments: [11.4, 9.0, 10.8]) func voltage_alone_never_stops_a_running_engine(volts: Double) {
    let drive = Drive()
    drive.go(3600, volts: volts, rpm: 820, speed: 0)
    #expect(drive.changes == [])
  }

  @Test func the_cut_off_stops_a_standing_vehicle_after_60_seconds_and_not_before() {
    let drive = Drive()
    drive.go(30, volts: 12.5, rpm: 0, speed: 0)
    let start = drive.now
    drive.go(90, volts: 12.1, rpm: 0, speed: 0)
    #expect(drive.changes == [.sleep(.lowVoltage)])
    #expect(drive.changedAt - start >= 60 * SessionBench.second && drive.changedAt - start <= 72 * SessionBench.second)
  }

  @Test func above_the_cut_off_voltage_an_answering_vehicle_is_polled() {
    let drive = Drive()
    drive.go(7200, volts: 12.4, rpm: 0, speed: 0)
    #expect(drive.changes == [])
  }

  @Test func a_voltage_drop_during_cranking_is_not_a_cut_off() {
    let drive = Drive()
    drive.go(30, volts: 12.5, rpm: 0, speed: 0)
    drive.go(10, volts: 9.0, rpm: 0, speed: 0)
    drive.go(10, volts: 9.4, rpm: 220, speed: 0)
    drive.go(600, volts: 14.1, rpm: 850, speed: 0)
    #expect(drive.changes == [])
  }

  @Test func an_engine_that_ran_within_the_time_keeps_it_awake() {
    let drive = Drive()
    drive.go(50, volts: 12.0, rpm: 0, speed: 0)
    drive.go(2, volts: 12.0, rpm: 700, speed: 0)
    drive.go(55, volts: 12.0, rpm: 0, speed: 0)
    #expect(drive.changes == [])
    drive.go(15, volts: 12.0, rpm: 0, speed: 0)
    #expect(drive.changes == [.sleep(.lowVoltage)])
  }

  @Test func a_vehicle_that_rolls_with_its_engine_off_is_polled() {
    let drive = Drive()
    drive.go(600, volts: 11.9, rpm: 0, speed: 30)
    #expect(drive.changes == [])
  }

  @Test func a_vehicle_that_does_not_report_motion_is_queried_and_still_polled() {
    let drive = Drive()
    drive.go(600, volts: 11.9)
    #expect(drive.changes == [])
    #expect(drive.wantsMotion)
    drive.go(20, volts: 11.9, rpm: 0)
    #expect(drive.changes == [.sleep(.lowVoltage)])
  }

  @Test(arguments: [nil, 0.0]) func a_missing_voltage_does_not_stop_polling(volts: Double?) {
    let drive = Drive()
    drive.go(3600, volts: volts, rpm: 0, speed: 0)
    drive.go(3600, volts: volts, answers: false)
    #expect(drive.changes == [])
  }

  @Test func a_gap_in_the_voltage_restarts_the_timer() {
    let drive = Drive()
    drive.go(50, volts: 12.0, rpm: 0, speed: 0)
    drive.go(10, volts: nil, rpm: 0, speed: 0)
    drive.go(55, volts: 12.0, rpm: 0, speed: 0)
    #expect(drive.changes == [])
  }

  /// A weak battery at the start cannot be distinguished from an adapter that reports a wrong voltage. In neither case
  /// is the battery drained, and in the second case the vehicle is found again.
  @Test func a_low_voltage_from_the_start_stops_a_standing_vehicle_and_it_is_asked_every_15_minutes() {
    var watch = PowerWatch(PowerConfiguration(), voltagePeriod: 10 * SessionBench.second)
    var changes: [(at: Int64, change: PowerWatch.Change)] = []
    for second in 0..<3600 {
      let now = Int64(second) * SessionBench.second
      if second % 10 == 0 { watch.voltage(11.9, at: now) }
      if !watch.isAsleep { watch.activity.engineSpeed(0, at: now) }
      if let change = watch.decide(at: now) {
        changes.append((now, change))
        if case .probe = change { watch.probeFailed(at: now) }
      }
    }
    #expect(changes.map(\.change) == [.sleep(.lowVoltage)] + Array(repeating: .probe(.interval), count: 3))
    #expect(changes[0].at >= 60 * SessionBench.second && changes[0].at <= 75 * SessionBench.second)
    for (a, b) in zip(changes, changes.dropFirst()) { #expect(b.at - a.at == 900 * SessionBench.second) }
  }

  @Test func a_voltage_that_was_seen_to_change_by_an_earlier_session_needs_no_interval() {
    var watch = PowerWatch(PowerConfiguration(), voltagePeriod: 10 * SessionBench.second, hasMoved: true)
    var changes: [PowerWatch.Change] = []
    for second in 0..<7200 {
      let now = Int64(second) * SessionBench.second
      if second % 10 == 0 { watch.voltage(11.9, at: now) }
      if !watch.isAsleep { watch.activity.engineSpeed(0, at: now) }
      if let change = watch.decide(at: now) { changes.append(change) }
    }
    #expect(changes == [.sleep(.lowVoltage)])
  }

  @Test(arguments: [820.0, 2_400]) func a_low_voltage_from_the_start_never_stops_a_running_engine(rpm: Double) {
    var watch = PowerWatch(PowerConfiguration(), voltagePeriod: 10 * SessionBench.second)
    for second in 0..<3600 {
      let now = Int64(second) * SessionBench.second
      if second % 10 == 0 { watch.voltage(11.9, at: now) }
      watch.activity.engineSpeed(rpm, at: now)
      #expect(watch.decide(at: now) == nil)
    }
  }

  @Test func a_frozen_adapter_voltage_does_not_stop_polling() {
    var watch = PowerWatch(PowerConfiguration(), voltagePeriod: 10 * SessionBench.second)
    for second in 0..<3600 {
      let now = Int64(second) * SessionBench.second
      if second % 10 == 0 {
        watch.controlModule(second % 20 == 0 ? 12.0 : 13.0, at: now)
        watch.voltage(11.9, at: now)
      }
      watch.activity.engineSpeed(0, at: now)
      #expect(watch.decide(at: now) == nil)
    }
  }

  @Test func the_suspend_time_of_the_host_does_not_count_as_hold_time() {
    let drive = Drive()
    drive.go(20, volts: 12.0, rpm: 0, speed: 0)
    drive.now += 8 * 3600 * SessionBench.second
    drive.go(55, volts: 12.0, rpm: 0, speed: 0)
    #expect(drive.changes == [])
  }

  @Test func thresholds_are_doubled_for_24_volts() {
    let drive = Drive()
    drive.go(60, volts: 25.1, rpm: 0, speed: 0)
    drive.go(600, volts: 24.6, rpm: 0, speed: 0)
    #expect(drive.changes == [])
    drive.go(90, volts: 24.2, rpm: 0, speed: 0)
    #expect(drive.changes == [.sleep(.lowVoltage)])
    drive.go(120, volts: 25.6)
    #expect(drive.changes == [.sleep(.lowVoltage)])
    drive.go(60, volts: 25.8)
    #expect(drive.changes == [.sleep(.lowVoltage), .probe(.voltageRise)])
  }

  @Test func the_control_modules_voltage_overrides_an_inaccurate_adapter() {
    let drive = Drive()
    for _ in 0..<60 {
      drive.watch.controlModule(12.7, at: drive.now)
      drive.go(10, volts: 12.0, rpm: 0, speed: 0)
    }
    #expect(drive.changes == [])
  }

  @Test func a_disabled_power_watch_decides_nothing() {
    var configuration = PowerConfiguration()
    configuration.isEnabled = false
    let drive = Drive(configuration)
    drive.go(7200, volts: 11.0, rpm: 0, speed: 0)
    drive.go(7200, volts: 11.0, answers: false)
    #expect(drive.changes == [])
  }

  // MARK: Silent

  @Test func polling_of_a_silent_vehicle_at_rest_stops_after_15_minutes() {
    let drive = Drive()
    drive.go(14 * 60, volts: 12.6, answers: false)
    #expect(drive.changes == [])
    drive.go(2 * 60, volts: 12.6, answers: false)
    #expect(drive.changes == [.sleep(.vehicleSilent)])
  }

  @Test func the_search_continues_for_a_silent_vehicle_whose_battery_is_charged() {
    let drive = Drive()
    drive.go(7200, volts: 13.8, answers: false)
    #expect(drive.changes == [])
  }

  @Test func polling_of_a_silent_vehicle_at_the_cut_off_stops_after_60_seconds() {
    let drive = Drive()
    drive.go(20, volts: 12.0, rpm: 0, speed: 0)
    drive.go(75, volts: 12.0, answers: false)
    #expect(drive.changes == [.sleep(.lowVoltage)])
  }

  @Test func without_a_voltage_silence_counts_only_if_a_probe_interval_is_set() {
    var configuration = PowerConfiguration()
    configuration.wakeInterval = 600 * SessionBench.second
    let drive = Drive(configuration)
    drive.go(16 * 60, volts: nil, answers: false)
    #expect(drive.changes == [.sleep(.vehicleSilent)])
    drive.go(610, volts: nil)
    #expect(drive.changes == [.sleep(.vehicleSilent), .probe(.interval)])
  }

  // MARK: Asleep

  private func asleep(_ configuration: PowerConfiguration = PowerConfiguration()) -> Drive {
    let drive = Drive(configuration)
    drive.go(80, volts: 12.1, rpm: 0, speed: 0)
    #expect(drive.isAsleep)
    drive.changes = []
    return drive
  }

  @Test func a_rise_of_800_millivolts_allows_one_probe_and_no_second() {
    let drive = asleep()
    drive.go(300, volts: 12.8)
    #expect(drive.changes == [])
    drive.go(31, volts: 12.9)
    #expect(drive.changes == [.probe(.voltageRise)])
    drive.watch.probeFailed(at: drive.now)
    drive.go(3600, volts: 12.9)
    #expect(drive.changes == [.probe(.voltageRise)])
    drive.go(31, volts: 13.7)
    #expect(drive.changes == [.probe(.voltageRise), .probe(.voltageRise)])
  }

  @Test func a_slow_rise_counts_from_the_lowest() {
    let drive = asleep()
    drive.go(60, volts: 11.6)
    for step in 1...8 { drive.go(60, volts: 11.6 + Double(step) / 10) }
    #expect(drive.changes == [.probe(.voltageRise)])
  }

  @Test func a_single_zero_reading_is_not_a_rise_of_the_voltage() {
    let drive = asleep()
    drive.go(60, volts: 0.0)
    drive.go(60, volts: 12.1)
    drive.go(60, volts: nil)
    drive.go(600, volts: 12.1)
    #expect(drive.changes == [])
  }

  @Test func without_a_probe_interval_only_a_voltage_rise_wakes_the_session() {
    let drive = asleep()
    drive.go(48 * 3600, volts: 12.0)
    #expect(drive.changes == [])
  }

  @Test func the_interval_allows_one_probe_each_time() {
    var configuration = PowerConfiguration()
    configuration.wakeInterval = 3600 * SessionBench.second
    let drive = asleep(configuration)
    for expected in 1...3 {
      drive.go(3601, volts: 12.0)
      #expect(drive.changes == Array(repeating: .probe(.interval), count: expected))
      drive.watch.probeFailed(at: drive.now)
    }
  }

  @Test func an_answered_probe_wakes_the_session_and_restarts_the_hold_time() {
    let drive = asleep()
    drive.go(31, volts: 13.9)
    #expect(drive.answered() == .voltageRise)
    drive.watch.restart(at: drive.now)
    drive.go(55, volts: 12.0, rpm: 0, speed: 0)
    #expect(drive.changes == [.probe(.voltageRise)])
    drive.go(20, volts: 12.0, rpm: 0, speed: 0)
    #expect(drive.changes == [.probe(.voltageRise), .sleep(.lowVoltage)])
  }

  @Test func only_the_first_restart_of_the_adapter_allows_a_probe() {
    let drive = asleep()
    drive.watch.adapterReturned(at: drive.now)
    drive.go(1, volts: 12.1)
    #expect(drive.changes == [.probe(.adapterReturned)])
    drive.watch.probeFailed(at: drive.now)
    for _ in 0..<10 {
      drive.watch.adapterReturned(at: drive.now)
      drive.go(20, volts: 12.1)
    }
    #expect(drive.changes == [.probe(.adapterReturned)])
  }

  @Test func the_caller_may_ask_for_a_probe() {
    let drive = asleep()
    drive.watch.request()
    #expect(drive.deadline <= drive.now)
    drive.go(1, volts: 12.1)
    #expect(drive.changes == [.probe(.requested)])
  }
}
