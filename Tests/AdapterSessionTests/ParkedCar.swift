import Testing

@testable import AdapterSession

/// Cars that were driven and are now parked.
enum ParkedCar {
  /// Preferences that poll six PIDs each second. At full speed, hours would take too long to simulate.
  static var calm: PollPreferences {
    var preferences = PollPreferences()
    preferences.setOthersToNever()
    for pid in [0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x11] as [UInt8] { preferences.set(pid, period: SessionBench.second) }
    return preferences
  }

  /// Returns the bench of a car that was driven and is now parked with its engine off, with a voltage that stays the
  /// same since then.
  static func parked(
    volts: String, _ adapter: TinyAdapter? = nil, _ configuration: SessionConfiguration = SessionConfiguration(),
    preferences: PollPreferences = calm
  ) -> SessionBench {
    let adapter = adapter ?? TinyAdapter([Cars.engine()])
    adapter.voltage = "14.1V"
    let bench = SessionBench(adapter, configuration, preferences: preferences)
    bench.run(seconds: 30)
    #expect(bench.isConnected)
    for i in adapter.ecus.indices {
      adapter.ecus[i].pids[0x0C] = [0, 0]
      adapter.ecus[i].pids[0x0D] = [0]
    }
    adapter.voltage = volts
    return bench
  }

  /// Returns the bench of a parked car whose session is asleep.
  static func asleep(
    _ adapter: TinyAdapter? = nil, _ configuration: SessionConfiguration = SessionConfiguration()
  ) -> SessionBench {
    let bench = parked(volts: "12.1V", adapter, configuration)
    bench.run(seconds: 100) { $0.events.last == .sleeping(.lowVoltage) }
    #expect(bench.events.last == .sleeping(.lowVoltage))
    bench.run(seconds: 3)
    bench.events = []
    return bench
  }

  static func startEngine(_ bench: SessionBench) {
    bench.adapter.voltage = "14.1V"
    bench.adapter.ecus[0].pids[0x0C] = [0x1A, 0xF8]
  }
}
