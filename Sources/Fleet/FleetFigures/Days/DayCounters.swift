import FleetDomain
import Telemetry

/// The readings of counters on a day, and the figures that are computed from them.
///
///     for sample in samples { counters.add(sample, isEngineOn: nil) }     // in the order of their times
///     for counter in counters.needed(engineOn: 0, fuelUsed: nil) {
///       if let reading = lastReading(of: counter, on: dayBefore) { counters.setStart(of: counter, to: reading) }
///     }
///     counters.complete(&day, from: start, to: end)
///
/// Many machines report counters, but no speed, engine speed or trips. A figure is the increase of its counter since
/// the last reading on the day before.
struct DayCounters {
  /// The readings of each ``DayCounter``; `nil` if there are none.
  private var spans = [CounterSpan?](repeating: nil, count: DayCounter.allCases.count)
  /// Whether a record of the day shows whether the engine runs.
  private var hasEngineState = false
  /// Whether a record of the day contains a speed.
  private var hasSpeed = false

  /// Adds the next record of the day.
  mutating func add(_ sample: DaySample, isEngineOn: Bool?) {
    hasEngineState = hasEngineState || isEngineOn != nil
    hasSpeed = hasSpeed || sample.values.speed != nil || sample.values.gpsSpeed != nil
    for counter in DayCounter.allCases {
      guard let value = counter.value(in: sample.values) else { continue }
      let reading = DayCounter.Reading(time: sample.time, value: value)
      if spans[counter.rawValue] == nil {
        spans[counter.rawValue] = CounterSpan(reading)
      } else {
        spans[counter.rawValue]?.add(reading)
      }
    }
  }

  var isEmpty: Bool { spans.allSatisfy { $0 == nil } }

  /// Returns the counters from which figures of the day are computed, because telemetry does not show these figures
  /// otherwise.
  ///
  /// - Parameters:
  ///   - engineOn: the time with a running engine, according to telemetry, ms.
  ///   - fuelUsed: the fuel used, according to telemetry, L; `nil` if unknown.
  func needed(engineOn: Int64, fuelUsed: Double?) -> [DayCounter] {
    DayCounter.allCases.filter { counter in
      guard let span = spans[counter.rawValue], !span.hasDecreased else { return false }
      return switch counter {
      case .engineTime, .idleTime: !hasEngineState && engineOn == 0
      case .distance: !hasSpeed
      case .fuel: fuelUsed == nil
      }
    }
  }

  /// Sets the last reading of a counter on the day before.
  mutating func setStart(of counter: DayCounter, to reading: DayCounter.Reading) {
    spans[counter.rawValue]?.start = reading
  }

  /// Sets the figures that are computed from counters. ``VehicleDay/firstTime`` becomes the time of the earliest
  /// reading that is used for them.
  ///
  /// - Parameters:
  ///   - from: the start of the day, ms since 1970.
  ///   - to: the end of the day, ms since 1970.
  func complete(_ day: inout VehicleDay, from: Int64, to: Int64) {
    let needed = needed(engineOn: day.engineOn, fuelUsed: day.fuelUsed)
    var first = day.firstTime
    func increase(of counter: DayCounter) -> Double? {
      guard needed.contains(counter), let span = spans[counter.rawValue] else { return nil }
      return span.increase(of: counter, onDay: to - from)
    }
    func use(_ counter: DayCounter) {
      guard let start = spans[counter.rawValue]?.start else { return }
      first = min(first, Timestamp(limiting: start.time))
    }
    func milliseconds(_ hours: Double) -> Int64 { Int64((hours * 3_600_000).rounded()) }
    if let hours = increase(of: .engineTime) {
      day.engineOn = milliseconds(hours)
      day.idle = 0
      use(.engineTime)
      if let idle = increase(of: .idleTime).map(milliseconds), idle <= day.engineOn {
        day.idle = idle
        use(.idleTime)
      }
      // It is not known whether the machine moved in the rest of this time.
      day.unknown = day.engineOn - day.idle
    } else if !hasEngineState, let span = spans[DayCounter.engineTime.rawValue] {
      // Nothing is known of the day up to the last reading. A day with a single record has neither steps nor gaps.
      day.unknown = max(day.unknown, span.last.time - from)
    }
    if let distance = increase(of: .distance) {
      day.distance = distance
      use(.distance)
    }
    if let fuel = increase(of: .fuel) {
      day.fuelUsed = fuel
      use(.fuel)
    }
    day.firstTime = first
  }
}
