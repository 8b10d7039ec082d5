import FleetDomain
import FleetWork
import Telemetry

extension MeterReading.Comparison {
  /// Compares a reading with the previous one, and with the vehicle's estimated reading, which contains the trips since
  /// then.
  ///
  /// - Parameters:
  ///   - value: the reading.
  ///   - at: the time of the reading.
  ///   - last: the newest used reading before it.
  ///   - estimate: the estimate from `last` and the trips that have ended since; `nil` if there is none. An estimate
  ///     that contains trips after the reading is ignored.
  init(of value: Double, at time: Timestamp, after last: Meter.Point, estimate: Meter.Point?) {
    self.init()
    (previous, previousAt, increase) = (last.value, last.at, Self.rounded(value - last.value))
    if let estimate, estimate.at >= last.at, estimate.at <= time {
      let driven = Self.rounded(estimate.lifetime - last.lifetime)
      (telemetry, difference) = (driven, Self.rounded(increase - driven))
    }
  }

  /// Compares a reading with the previous one again, when the reading is judged again. Returns `nil` if there is no
  /// earlier reading of the same odometer or hour meter, or if the meter was replaced at this reading.
  ///
  /// The vehicle's estimate that was used for the first comparison is not stored. Therefore ``telemetry``, which was
  /// computed from it, is kept if the previous reading is still the same; otherwise it is `nil`.
  static func of(_ reading: MeterReading, _ meter: Meter, after previous: Meter.Point?) -> Self? {
    guard let previous, !reading.isReplaced, let value = meter.value(of: reading) else { return nil }
    var new = Self(of: value, at: reading.at, after: previous, estimate: nil)
    if let known = reading.comparison, known.previous == new.previous, known.previousAt == new.previousAt {
      new.telemetry = known.telemetry
      new.difference = known.telemetry.map { rounded(new.increase - $0) }
    }
    return new
  }

  private static func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }

  /// The figures as text in all languages, for example `45000 → 12000 km (-33000 km; OBD/GPS: +120 km)`.
  public func text(of meter: Meter) -> String {
    let unit = meter == .odometer ? "km" : "h"
    func signed(_ number: Double) -> String { (number > 0 ? "+" : "") + Self.rounded(number).json.canonicalText }
    let value = Self.rounded(previous + increase).json.canonicalText
    let driven = telemetry.map { "; OBD/GPS: \(signed($0)) \(unit)" } ?? ""
    return "\(previous.json.canonicalText) → \(value) \(unit) (\(signed(increase)) \(unit)\(driven))"
  }
}

extension FleetTransaction {
  /// Returns the figures of a reading; `nil` if there is no earlier reading of the same odometer or hour meter.
  ///
  /// - Parameter last: the newest used reading of the vehicle; `nil` if there is none.
  func comparison(
    of reading: MeterReading, _ meter: Meter, after last: Meter.Point?
  ) throws(ThingError) -> MeterReading.Comparison? {
    guard !reading.isReplaced, let value = meter.value(of: reading), let last else { return nil }
    guard reading.at < last.at else {
      let vehicle = try vehicle(named: reading.vehicle)?.value
      let estimate = vehicle.flatMap { $0.isEstimated(meter) ? $0.point(of: meter) : nil }
      return MeterReading.Comparison(of: value, at: reading.at, after: last, estimate: estimate)
    }
    guard let earlier = try point(of: meter, vehicle: reading.vehicle, until: reading.at) else { return nil }
    return MeterReading.Comparison(of: value, at: reading.at, after: earlier, estimate: nil)
  }

  /// Adds an event for a new reading that contradicts the previous ones. Adds no event if another reading of the meter
  /// in the last 24 hours has the same ``FleetWork/MeterReading/flag``. Otherwise a gateway, which sends a reading
  /// after each trip, would cause many events.
  func announceContradiction(of reading: Stored<MeterReading>, _ meter: Meter) throws(ThingError) {
    guard let flag = reading.value.flag, flag != .outOfOrder, let comparison = reading.value.comparison,
      let vehicle = try vehicle(named: reading.value.vehicle)
    else { return }
    let same = ThingQuery<MeterReading>(
      .oneOf(key: "vehicleId", [.text(vehicle.value.id)]), .isSet(key: meter.rawValue),
      .oneOf(key: "flag", [flag.json]), .atLeast(key: "at", reading.value.at.adding(seconds: -86_400).json),
      order: [.init("at")], limit: 2)
    guard try list(same).items.allSatisfy({ $0.id == reading.id }) else { return }
    var event = FleetEvent(.meterSuspicious, MeterReading.self, reading.id)
    (event.vehicleID, event.item, event.at) = (vehicle.value.id, comparison.text(of: meter), reading.value.at)
    try emit(event)
  }
}
