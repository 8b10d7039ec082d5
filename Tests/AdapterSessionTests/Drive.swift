@testable import AdapterSession

/// A vehicle over time, as the watch sees it: one row of readings each second, and the voltage every ten seconds.
final class Drive {
  var watch: PowerWatch
  var now: Int64 = 1000 * SessionBench.second
  var changes: [PowerWatch.Change] = []
  var changedAt: Int64 = 0

  init(_ configuration: PowerConfiguration = PowerConfiguration()) {
    watch = PowerWatch(configuration, voltagePeriod: 10 * SessionBench.second)
    // The watch must see the voltage change once.
    watch.voltage(12.7, at: now - 30 * SessionBench.second)
    watch.voltage(12.8, at: now - 20 * SessionBench.second)
  }

  var isAsleep: Bool { watch.isAsleep }
  var wantsMotion: Bool { watch.wantsMotion(at: now) }
  var deadline: Int64 { watch.deadline }
  func answered() -> AwakeReason? { watch.answered() }

  /// - Parameter answers: `false` for no answers; otherwise engine speed and speed are answered, if present.
  func go(
    _ seconds: Int, volts: Double?, rpm: Double? = nil, speed: Double? = nil, answers: Bool = true
  ) {
    for second in 0..<seconds {
      now += SessionBench.second
      let period = watch.isAsleep ? 30 : 10
      if second % period == 0 { watch.voltage(volts, at: now) }
      if !watch.isAsleep {
        if answers {
          _ = watch.answered()
          if let rpm { watch.activity.engineSpeed(rpm, at: now) }
          if let speed { watch.activity.speed(speed, at: now) }
        } else {
          watch.activity.unanswered(at: now)
        }
      }
      if let change = watch.decide(at: now) {
        changes.append(change)
        changedAt = now
      }
    }
  }
}
