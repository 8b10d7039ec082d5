import FleetDomain
import FleetWork
import Telemetry

/// An instrument of a vehicle that counts up.
public enum Meter: String, CaseIterable, Sendable {
  /// km.
  case odometer
  /// h.
  case engineHours

  /// The most that it can count in a day.
  public var mostPerDay: Double { self == .odometer ? 2_000 : 24 }

  /// The most that any vehicle's instrument shows.
  var most: Double { self == .odometer ? 5_000_000 : 300_000 }

  /// A reading that is lower by less than this is the same one, rounded down by a person.
  var rounding: Double { self == .odometer ? 1 : 0.1 }

  /// The reading of this meter; `nil` if it is of the other one.
  public func value(of reading: MeterReading) -> Double? {
    self == .odometer ? reading.odometer : reading.engineHours
  }

  /// The meter of a reading; `nil` if it has none or both.
  public init?(of reading: MeterReading) {
    let meters = Meter.allCases.filter { $0.value(of: reading) != nil }
    guard meters.count == 1, let meter = meters.first else { return nil }
    self = meter
  }

  // MARK: Judgement of readings

  /// A reading that is used.
  public struct Point: Equatable, Sendable {
    public let at: Timestamp
    /// What the instrument shows.
    public let value: Double
    /// The total of all instruments that the vehicle has had, including replaced ones.
    public let lifetime: Double

    public init(at: Timestamp, value: Double, lifetime: Double) {
      (self.at, self.value, self.lifetime) = (at, value, lifetime)
    }
  }

  /// The decision about a reading.
  public enum Judgement: Equatable, Sendable {
    /// The reading is used.
    case used(lifetime: Double)
    /// The reading agrees with the one before, but it was rounded down, so it changes nothing.
    case agrees
    case flagged(MeterReading.Flag)
  }

  /// Decides about a reading. Readings are judged in the order of their arrival.
  ///
  /// - Parameters:
  ///   - last: the newest used reading; `nil` if there is none.
  ///   - day: the oldest used reading of the 24 hours before this one; `nil` if there is none.
  public func judge(_ reading: MeterReading, after last: Point?, day: Point?) -> Judgement {
    guard let value = value(of: reading) else { return .agrees }
    guard value <= most else { return .flagged(.wrongUnit) }
    guard let last else { return .used(lifetime: value) }
    guard reading.at >= last.at else { return .flagged(.outOfOrder) }
    guard !reading.isReplaced else { return .used(lifetime: last.lifetime) }
    if isPossible(value, at: reading.at, last, day) {
      return value >= last.value ? .used(lifetime: last.lifetime - last.value + value) : .agrees
    }
    // In metres after kilometres, or in kilometres after metres.
    let isOtherUnit =
      isPossible(value / 1_000, at: reading.at, last, day)
      || isPossible(value * 1_000, at: reading.at, last, day, in: 1_000)
    if self == .odometer, isOtherUnit { return .flagged(.wrongUnit) }
    return .flagged(value < last.value ? .backward : .tooFast)
  }

  /// - Parameter unit: the readings before are in this fraction of the unit.
  private func isPossible(
    _ value: Double, at time: Timestamp, _ last: Point, _ day: Point?, in unit: Double = 1
  ) -> Bool {
    guard value > last.value - rounding * unit else { return false }
    let lifetime = last.lifetime - last.value + value
    return [last, day].compactMap { $0 }.allSatisfy { point in
      lifetime - point.lifetime <= mostPerDay * unit * max(Self.days(from: point.at, to: time), 1)
    }
  }

  static func days(from start: Timestamp, to end: Timestamp) -> Double {
    Double(end.milliseconds - start.milliseconds) / 86_400_000
  }

  // MARK: Figures

  /// The time from which ``daily(from:to:)`` is computed, in days before the last reading.
  public static let usageDays = 90

  /// The mean distance or time of a day; `nil` if the readings span less than a day.
  public static func daily(from first: Point, to last: Point) -> Double? {
    let days = days(from: first.at, to: last.at)
    return days >= 1 ? (last.lifetime - first.lifetime) / days : nil
  }
}
