import Telemetry

/// The comparison of a fill with the rise of the fuel level that the vehicle reported.
public struct TankRise: Equatable, Sendable {
  public enum Verdict: String, Sendable {
    /// The level rose by the quantity of the fill.
    case agrees
    /// The level rose, but by less than the quantity.
    case less
    /// The level rose by more than the quantity.
    case more
    /// The level did not rise.
    case none
    /// The vehicle reported too few levels, or the size of its tank is unknown.
    case noData
  }

  /// The level of the tank at a time.
  public struct Level: Equatable, Sendable {
    public let at: Timestamp
    /// Level in % of the tank's volume.
    public let percent: Double

    public init(at: Timestamp, percent: Double) { (self.at, self.percent) = (at, percent) }
  }

  public let verdict: Verdict
  /// The rise of the level with which the fill was compared, L; `nil` if unknown.
  public let litres: Double?
  /// The time at which the level had risen; `nil` if unknown, or if the level did not rise.
  public let at: Timestamp?

  /// The rise is searched within this time before and after the time of the entry, s. People often enter a fill later.
  public static let reach: Int64 = 7_200
  /// The rise is the difference between the medians of this many levels before it and after it. Fuel moves in the tank,
  /// so a single level is not exact.
  static let levels = 5
  /// Error of level sensors as a part of the tank's volume.
  static let tankTolerance = 0.08
  /// Additional error of level sensors as a part of the filled quantity, because tanks are not equally wide at all
  /// heights.
  static let quantityTolerance = 0.15

  /// Compares a fill with levels.
  ///
  /// - Parameters:
  ///   - quantity: the quantity of the fill, L.
  ///   - others: the quantity of the other fills in the same time, L. The level may show them as one rise.
  ///   - capacity: the volume of the tank, L; `nil` if unknown.
  ///   - levels: levels around the time of the entry, in any order.
  public init(quantity: Double, others: Double = 0, capacity: Double?, levels: [Level]) {
    let sorted = levels.filter { (0...100).contains($0.percent) }.sorted { $0.at < $1.at }
    guard let capacity, sorted.count >= 2 * Self.levels else {
      (verdict, litres, at) = (.noData, nil, nil)
      return
    }
    func tolerance(_ quantity: Double) -> Double {
      capacity * Self.tankTolerance + quantity * Self.quantityTolerance
    }
    // A rise within the error of the sensor does not count as a rise.
    let least = capacity * Self.tankTolerance / 2
    let peaks = Self.peaks(sorted, capacity)
    let greatest = peaks[0]
    let nearest = peaks.prefix { $0.rise > least }.min { abs($0.rise - quantity) < abs($1.rise - quantity) } ?? greatest
    let isTogether = others > 0 && abs(greatest.rise - quantity - others) <= tolerance(quantity + others)
    let agrees = abs(nearest.rise - quantity) <= tolerance(quantity)
    let found = agrees ? nearest : greatest
    let isSeen = found.rise > least
    litres = found.rise
    at = isSeen ? sorted[found.index].at : nil
    if agrees || isTogether {
      verdict = .agrees
    } else if !isSeen {
      verdict = .none
    } else {
      verdict = found.rise < quantity ? .less : .more
    }
  }

  /// Returns the rises of the level, L, the greatest first. Two rises are at least ``levels`` levels apart.
  private static func peaks(_ sorted: [Level], _ capacity: Double) -> [(rise: Double, index: Int)] {
    let rises = (levels...(sorted.count - levels)).map { index in
      let rise = median(sorted[index..<(index + levels)]) - median(sorted[(index - levels)..<index])
      return (rise: rise * capacity / 100, index: index)
    }
    var peaks: [(rise: Double, index: Int)] = []
    for candidate in rises.sorted(by: { ($1.rise, $0.index) < ($0.rise, $1.index) })
    where !peaks.contains(where: { abs($0.index - candidate.index) < levels }) {
      peaks.append(candidate)
      // A tank is not filled more often within the time that is searched.
      if peaks.count == 16 { break }
    }
    return peaks
  }

  private static func median(_ levels: ArraySlice<Level>) -> Double {
    levels.map(\.percent).sorted()[levels.count / 2]
  }
}
