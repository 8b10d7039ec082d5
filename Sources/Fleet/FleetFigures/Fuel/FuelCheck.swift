import FleetDomain
import FleetWork
import Telemetry

extension FuelEntry.Check {
  /// The speed up to which a vehicle counts as standing still, km/h. GPS receivers at rest do not report exactly 0.
  static let standing = 3.0
  /// The vehicle stood still for a fill if it reported a speed of at most ``standing`` during the rise of the level, or
  /// within this time before or after it, s. Without a rise, the time of the entry counts.
  static let stop: Int64 = 900

  /// Compares a fill with what the vehicle reported.
  ///
  /// - Parameters:
  ///   - entry: a fill of petrol, diesel or LPG.
  ///   - capacity: the volume of the tank, L; `nil` if unknown.
  ///   - others: the times of the vehicle's other fills. A rise belongs to the fill that is nearest in time.
  ///   - samples: what the vehicle reported around the time of the fill, in any order.
  public init(of entry: FuelEntry, capacity: Double?, others: [Timestamp], _ samples: [TelemetrySample]) {
    self.init()
    func distance(_ time: Timestamp, _ sample: TelemetrySample) -> Int64 {
      abs(time.milliseconds - sample.at.milliseconds)
    }
    let own = samples.filter { sample in
      distance(entry.at, sample) <= TankRise.reach * 1_000
        && others.allSatisfy { distance(entry.at, sample) <= distance($0, sample) }
    }
    let levels = own.compactMap { sample in
      sample.values.fuelLevel.map { TankRise.Level(at: sample.at, percent: $0) }
    }
    let rise = TankRise(quantity: entry.standardQuantity, capacity: capacity, levels: levels)
    func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }
    tankRise = rise.verdict
    quantity = rounded(entry.standardQuantity)
    risenLitres = rise.litres.map(rounded)
    difference = rise.litres.map { rounded($0 - entry.standardQuantity) }
    risenAt = rise.at
    self.levels = Int64(levels.count)
    let first = (rise.lastLow ?? entry.at).milliseconds - Self.stop * 1_000
    let last = (rise.at ?? entry.at).milliseconds + Self.stop * 1_000
    let speeds = samples.filter { (first...last).contains($0.at.milliseconds) }
      .compactMap { $0.values.speed ?? $0.values.gpsSpeed }
    positionAgrees = speeds.isEmpty ? nil : speeds.contains { $0 <= Self.standing }
  }
}

extension FleetView {
  /// Returns the data with which a fuel entry is checked: the volume of the tank, and the times of the vehicle's other
  /// fills near the entry.
  public func checkData(
    of entry: Stored<FuelEntry>
  ) throws(ThingError) -> (capacity: Double?, others: [Timestamp]) {
    var query = ThingQuery<FuelEntry>(
      .oneOf(key: "vehicleId", [.text(entry.value.vehicle)]), .oneOf(key: "void", [.bool(false)]),
      .atLeast(key: "at", entry.value.at.adding(seconds: -2 * Int(TankRise.reach)).json),
      .atMost(key: "at", entry.value.at.adding(seconds: 2 * Int(TankRise.reach)).json))
    query.limit = 100
    let others = try list(query).items.filter { $0.id != entry.id && $0.value.isComparedWithTank }
    return (try vehicle(named: entry.value.vehicle)?.value.tankCapacity, others.map(\.value.at))
  }
}
