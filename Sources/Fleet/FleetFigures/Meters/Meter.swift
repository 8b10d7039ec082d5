import FleetDomain
import FleetWork
import Telemetry

/// The odometer or the hour meter of a vehicle. Both only count up.
public enum Meter: String, CaseIterable, Sendable {
  /// The unit is km.
  case odometer
  /// The unit is h.
  case engineHours

  /// Maximum plausible increase per day, km or h.
  public var mostPerDay: Double { self == .odometer ? 2_000 : 24 }

  /// Maximum plausible reading, km or h.
  var most: Double { self == .odometer ? 5_000_000 : 300_000 }

  /// If a reading is lower than the previous one by less than this, it counts as the previous reading, rounded down by
  /// a person, km or h.
  var rounding: Double { self == .odometer ? 1 : 0.1 }

  /// Returns the value that a reading has for this meter; `nil` if it is a reading of the other meter.
  public func value(of reading: MeterReading) -> Double? {
    self == .odometer ? reading.odometer : reading.engineHours
  }

  /// Returns the meter of a reading; `nil` if the reading has values for none or both.
  public init?(of reading: MeterReading) {
    let meters = Meter.allCases.filter { $0.value(of: reading) != nil }
    guard meters.count == 1, let meter = meters.first else { return nil }
    self = meter
  }

  // MARK: Judgement of readings

  /// A used reading of a meter (``FleetWork/MeterReading``).
  public struct Point: Equatable, Sendable {
    public let at: Timestamp
    /// The value that the odometer (km) or hour meter (h) shows.
    public let value: Double
    /// The total that the current and all replaced odometers (km) or hour meters (h) of the vehicle have counted.
    public let lifetime: Double

    public init(at: Timestamp, value: Double, lifetime: Double) {
      (self.at, self.value, self.lifetime) = (at, value, lifetime)
    }
  }

  /// The decision about a reading.
  public enum Judgement: Equatable, Sendable {
    /// The reading is used.
    case used(lifetime: Double)
    /// The reading is not used, because it differs from the previous reading only by rounding.
    case agrees
    case flagged(MeterReading.Flag)
  }

  /// Decides whether a reading is used. Readings are judged in the order in which they arrive (``Place``).
  ///
  /// - Parameters:
  ///   - last: the newest used reading; `nil` if there is none.
  ///   - day: the oldest used reading of the 24 hours before this reading; `nil` if there is none.
  public func judge(_ reading: MeterReading, after last: Point?, day: Point?) -> Judgement {
    guard let value = value(of: reading) else { return .agrees }
    guard value <= most else { return .flagged(.wrongUnit) }
    guard let last else { return .used(lifetime: value) }
    guard reading.at >= last.at else { return .flagged(.outOfOrder) }
    guard !reading.isReplaced else { return .used(lifetime: last.lifetime) }
    if isPossible(value, at: reading.at, last, day) {
      return value >= last.value ? .used(lifetime: last.lifetime - last.value + value) : .agrees
    }
    // The reading is in metres but the previous ones are in kilometres, or the other way round.
    let isOtherUnit =
      isPossible(value / 1_000, at: reading.at, last, day)
      || isPossible(value * 1_000, at: reading.at, last, day, in: 1_000)
    if self == .odometer, isOtherUnit { return .flagged(.wrongUnit) }
    return .flagged(value < last.value ? .backward : .tooFast)
  }

  /// Whether a value is plausible after the previous readings.
  ///
  /// - Parameter unit: the factor by which all limits are multiplied: 1,000 if the previous readings of an odometer
  ///   were in metres instead of kilometres, otherwise 1.
  private func isPossible(
    _ value: Double, at time: Timestamp, _ last: Point, _ day: Point?, in unit: Double = 1
  ) -> Bool {
    guard value > last.value - rounding * unit else { return false }
    let lifetime = last.lifetime - last.value + value
    return [last, day].compactMap { $0 }.allSatisfy { point in
      lifetime - point.lifetime <= mostPerDay * unit * max(Self.days(from: point.at, to: time), 1)
    }
  }

  /// The length of the period before a reading in which the meter's increase is limited, ns.
  static let day: Int64 = 86_400_000_000_000

  static func days(from start: Timestamp, to end: Timestamp) -> Double {
    Double(end.milliseconds - start.milliseconds) / 86_400_000
  }

  // MARK: Figures

  /// A value that is older than this number of days is not used as today's reading.
  static let presentDays = 7

  /// The length of the period before the last reading for which ``daily(from:to:)`` is computed, days.
  public static let usageDays = 90

  /// Returns the average distance or time per day; `nil` if the readings span less than a day.
  public static func daily(from first: Point, to last: Point) -> Double? {
    let days = days(from: first.at, to: last.at)
    return days >= 1 ? (last.lifetime - first.lifetime) / days : nil
  }
}
