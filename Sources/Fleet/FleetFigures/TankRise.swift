import FleetWork
import Telemetry

/// Compares the quantity of a fill with the rise of the fuel level that the vehicle reported.
public struct TankRise: Equatable, Sendable {
  public typealias Verdict = FuelEntry.Check.Verdict

  /// The level of the tank at a time.
  public struct Level: Equatable, Sendable {
    public let at: Timestamp
    /// Level in % of the tank's volume.
    public let percent: Double

    public init(at: Timestamp, percent: Double) { (self.at, self.percent) = (at, percent) }
  }

  public let verdict: Verdict
  /// The greatest rise of the level, L; `nil` if unknown.
  public let litres: Double?
  /// The time of the last level before the rise; `nil` if unknown, or if the level did not rise.
  public let lastLow: Timestamp?
  /// The time at which the level had risen: the time of the first level after the rise. `nil` if unknown, or if the
  /// level did not rise.
  public let at: Timestamp?

  /// The rise is searched for within this time before and after the entry, s. People often enter a fill later.
  public static let reach: Int64 = 7_200
  /// Number of reported levels that are used on each side of the rise, before it and after it. The rise is the
  /// difference between the medians of these two groups. Fuel moves in the tank, so a single level is not exact.
  static let levels = 5
  /// Possible error of the reported rise, as a fraction of the tank's volume.
  static let tankTolerance = 0.08
  /// Additional possible error of the reported rise, as a fraction of the filled quantity. It exists because tanks are
  /// not equally wide at all heights.
  static let quantityTolerance = 0.15

  /// Compares a fill with levels.
  ///
  /// - Parameters:
  ///   - quantity: the quantity of the fill, L.
  ///   - capacity: the volume of the tank, L; `nil` if unknown.
  ///   - levels: levels around the time of the entry, in any order.
  public init(quantity: Double, capacity: Double?, levels: [Level]) {
    let sorted = levels.filter { (0...100).contains($0.percent) }.sorted { $0.at < $1.at }
    guard let capacity, sorted.count >= 2 * Self.levels else {
      (verdict, litres, lastLow, at) = (.noData, nil, nil, nil)
      return
    }
    var best = (rise: -Double.infinity, index: 0)
    for index in Self.levels...(sorted.count - Self.levels) {
      let rise =
        Self.median(sorted[index..<(index + Self.levels)]) - Self.median(sorted[(index - Self.levels)..<index])
      if rise > best.rise { best = (rise, index) }
    }
    let rise = best.rise * capacity / 100
    let tolerance = capacity * Self.tankTolerance + quantity * Self.quantityTolerance
    // A rise within the error of the sensor does not count as a rise.
    let isSeen = rise > capacity * Self.tankTolerance / 2
    litres = rise
    let risen = isSeen ? Self.firstRisen(sorted, around: best.index) : nil
    lastLow = risen.map { sorted[$0 - 1].at }
    at = risen.map { sorted[$0].at }
    if abs(rise - quantity) <= tolerance {
      verdict = .agrees
    } else if !isSeen {
      verdict = .none
    } else {
      verdict = rise < quantity ? .less : .more
    }
  }

  /// Returns the index of the first level after a rise. Several neighbouring places have the same difference of medians,
  /// so the levels around `index` are divided where the most levels lie on their side of the middle of the rise.
  ///
  /// - Parameter index: a place at which the median of the levels after it is greater than the median of those before it.
  private static func firstRisen(_ sorted: [Level], around index: Int) -> Int {
    let window = (index - levels)..<(index + levels)
    let middle = (median(sorted[window.lowerBound..<index]) + median(sorted[index..<window.upperBound])) / 2
    // The number of levels on the wrong side if all levels of the window are after the rise.
    var wrong = sorted[window].count { $0.percent <= middle }
    var best = (wrong: wrong, index: window.lowerBound)
    for place in window {
      wrong += sorted[place].percent <= middle ? -1 : 1
      if wrong < best.wrong { best = (wrong, place + 1) }
    }
    return best.index
  }

  private static func median(_ levels: ArraySlice<Level>) -> Double {
    levels.map(\.percent).sorted()[levels.count / 2]
  }
}
