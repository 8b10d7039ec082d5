import FleetDomain
import FleetWork
import Telemetry

/// The consumption of a vehicle, computed for each interval from one full tank to the next.
///
/// From one full tank to the next, the vehicle uses exactly the quantity that is filled meanwhile: the fill at the end
/// and all partial fills before it. Each kind of energy has its own intervals, because a vehicle may have a tank for
/// each.
public struct FuelEconomy: Equatable, Sendable {
  /// The time from one full tank to the next.
  public struct Interval: Equatable, Sendable {
    public let from: Timestamp
    public let to: Timestamp
    public let energy: FuelEntry.Energy
    /// Distance, km; above 0.
    public let distance: Double
    /// The quantity that was used, in the energy's own unit: L, kWh or kg.
    public let quantity: Double

    public init(from: Timestamp, to: Timestamp, energy: FuelEntry.Energy, distance: Double, quantity: Double) {
      (self.from, self.to, self.energy) = (from, to, energy)
      (self.distance, self.quantity) = (distance, quantity)
    }

    /// Consumption per 100 km, in the energy's own unit.
    public var quantityPer100km: Double { quantity / distance * 100 }
  }

  /// The sums over all intervals of one kind of energy.
  public struct Average: Equatable, Sendable {
    /// Distance, km.
    public fileprivate(set) var distance = 0.0
    /// The quantity that was used, in the energy's own unit.
    public fileprivate(set) var quantity = 0.0

    /// The sum of the quantities divided by the sum of the distances. It is not the mean of the intervals'
    /// consumptions, in which a short interval would count as much as a long one.
    public var quantityPer100km: Double { quantity / distance * 100 }
  }

  /// The intervals, in the order of their ends.
  public private(set) var intervals: [Interval] = []

  public init() {}

  /// Computes the intervals of a vehicle's entries.
  /// - A void entry does not count.
  /// - A partial fill before the first full one belongs to no interval.
  /// - If an entry is missing, its quantity is unknown. There is no interval that includes the missing entry.
  /// - A full fill without an odometer reading counts as a partial fill.
  /// - If the odometer does not increase, one of the two readings is wrong. The next interval then begins at the later
  ///   reading.
  ///
  /// - Parameter entries: the entries of a vehicle in any order.
  public init(_ entries: [FuelEntry]) {
    var chains: [FuelEntry.Energy: Chain] = [:]
    for entry in entries.filter({ !$0.isVoid }).sorted(by: Self.precedes) {
      if let interval = chains[entry.energy, default: Chain()].add(entry) { intervals.append(interval) }
    }
  }

  /// Returns the intervals that end in a time range. If several ranges follow one another without gaps, each interval
  /// is therefore in exactly one of them.
  ///
  /// - Parameters:
  ///   - from: the start of the range; `nil` for no limit.
  ///   - to: the end of the range, which is not included; `nil` for no limit.
  public func ending(from: Timestamp?, to: Timestamp?) -> FuelEconomy {
    var part = self
    part.intervals = intervals.filter { interval in
      (from.map { interval.to >= $0 } ?? true) && (to.map { interval.to < $0 } ?? true)
    }
    return part
  }

  public var averages: [FuelEntry.Energy: Average] {
    var averages: [FuelEntry.Energy: Average] = [:]
    for interval in intervals {
      averages[interval.energy, default: Average()].distance += interval.distance
      averages[interval.energy, default: Average()].quantity += interval.quantity
    }
    return averages
  }

  /// Whether an entry comes before another one. Entries with the same time, such as two entries of one day without a
  /// time of day, are sorted by their odometer readings.
  static func precedes(_ left: FuelEntry, _ right: FuelEntry) -> Bool {
    if left.at != right.at { return left.at < right.at }
    return left.odometer ?? .infinity < right.odometer ?? .infinity
  }

  /// The entries for one kind of energy since the last full tank.
  private struct Chain {
    /// The time and odometer reading of the last full tank; `nil` if there was none, or if a quantity since then is
    /// unknown.
    private var start: (at: Timestamp, odometer: Double)?
    private var quantity = 0.0

    mutating func add(_ entry: FuelEntry) -> Interval? {
      if entry.missedPrevious { start = nil }
      quantity += entry.standardQuantity
      guard entry.isFull, let odometer = entry.odometer else { return nil }
      defer { (start, quantity) = ((entry.at, odometer), 0) }
      guard let start, odometer > start.odometer else { return nil }
      return Interval(
        from: start.at, to: entry.at, energy: entry.energy, distance: odometer - start.odometer, quantity: quantity)
    }
  }
}
