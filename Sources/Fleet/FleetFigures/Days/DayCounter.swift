import FleetDomain
import Telemetry

/// A value of a vehicle or machine that only increases. The figure of a day is the counter's last value on this day
/// minus its last value on the day before.
public enum DayCounter: Int, CaseIterable, Sendable {
  /// The operating time of the engine, h.
  case engineTime
  /// The part of ``engineTime`` in which the machine did not work, h.
  case idleTime
  /// The distance, km.
  case distance
  /// The fuel used, L.
  case fuel

  /// A value of a counter with its time.
  public struct Reading: Equatable, Sendable {
    /// Time of the record, ms since 1970.
    public var time: Int64
    public var value: Double

    public init(time: Int64, value: Double) { (self.time, self.value) = (time, value) }
  }

  /// The maximum plausible consumption, L/h. The largest mining machines use less.
  private static let greatestConsumption = 2_000.0
  /// Some machines report their counters of time in whole hours. Therefore such a counter may increase by this much
  /// more than the time between two readings, ms.
  private static let resolution: Int64 = 3_600_000

  /// Returns the value of this counter in a record; `nil` if the record does not contain it.
  public func value(in values: TelemetryValues) -> Double? {
    switch self {
    case .engineTime: values.engineRunTime.map { $0 / 3_600 }
    case .idleTime: values.idleHours
    case .distance: values.odometer
    case .fuel: values.totalFuelUsed
    }
  }

  /// Whether the counter can have increased by an amount.
  ///
  /// - Parameters:
  ///   - time: the time between the two readings, ms.
  ///   - day: the length of the day, ms.
  func canIncrease(by amount: Double, in time: Int64, ofDay day: Int64) -> Bool {
    func hours(_ milliseconds: Int64) -> Double { Double(milliseconds) / 3_600_000 }
    return switch self {
    case .engineTime, .idleTime: amount <= hours(min(time, day) + Self.resolution)
    case .distance: amount <= DayBuilder.greatestSpeed * hours(time)
    case .fuel: amount <= Self.greatestConsumption * hours(time)
    }
  }
}

/// The readings of a counter on a day, and its last reading on the day before.
struct CounterSpan {
  /// The last reading on the day before; `nil` if unknown.
  var start: DayCounter.Reading?
  let first: DayCounter.Reading
  private(set) var last: DayCounter.Reading
  /// Whether a reading was lower than the reading before it. The counter was then reset or replaced, or the records
  /// contain the values of several counters.
  private(set) var hasDecreased = false

  init(_ reading: DayCounter.Reading) { (first, last) = (reading, reading) }

  mutating func add(_ reading: DayCounter.Reading) {
    if reading.value < last.value { hasDecreased = true }
    last = reading
  }

  /// Returns the increase of the counter since the last reading on the day before; `nil` if it is unknown.
  ///
  /// - Parameter day: the length of the day, ms.
  func increase(of counter: DayCounter, onDay day: Int64) -> Double? {
    guard let start, !hasDecreased, start.value <= first.value else { return nil }
    let amount = last.value - start.value
    return counter.canIncrease(by: amount, in: last.time - start.time, ofDay: day) ? amount : nil
  }
}
