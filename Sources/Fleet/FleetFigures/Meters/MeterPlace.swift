import FleetDomain
import FleetWork
import Telemetry

extension Meter {
  /// The place of a reading in the order in which readings are judged: the order in which they arrived.
  ///
  /// A replacement that was entered late is judged immediately before the first reading of the new odometer or hour
  /// meter (``FleetWork/MeterReading/judgedFrom``). Readings that arrived at the same time are judged in the order of
  /// their own times.
  struct Place: Comparable, Sendable {
    let created: Timestamp
    let at: Timestamp
    let isLateReplacement: Bool
    let id: UUIDv7

    init(_ stored: Stored<MeterReading>) {
      created = stored.value.judgedFrom ?? stored.createdAt
      (at, isLateReplacement, id) = (stored.value.at, stored.value.judgedFrom != nil, stored.id)
    }

    /// Creates a place that is before the places of all readings that were created at a time.
    init(first created: Timestamp) {
      (self.created, at, isLateReplacement) = (created, Timestamp(nanoseconds: .min), true)
      id = UUIDv7(milliseconds: 0, first: 0, rest: 0)
    }

    static func < (left: Place, right: Place) -> Bool {
      if left.created != right.created { return left.created < right.created }
      if left.at != right.at { return left.at < right.at }
      if left.isLateReplacement != right.isLateReplacement { return left.isLateReplacement }
      return (left.id.high, left.id.low) < (right.id.high, right.id.low)
    }
  }

  /// The maximum number of late replacements of one meter of a vehicle.
  static let mostLateReplacements = 100
}

/// A change of a reading, after which other readings must be judged again.
public enum MeterChange: Equatable, Sendable {
  case added
  /// The reading became void, or valid again.
  case validity
  /// The value or time of the reading was corrected. The associated value is the reading before the correction.
  case corrected(Stored<MeterReading>)
  /// The reading was moved to another vehicle.
  case moved
  case removed
}

extension FleetView {
  /// Returns the conditions for the readings of a vehicle's meter.
  static func readings(of meter: Meter, vehicle: String) -> [ThingQuery<MeterReading>.Condition] {
    [.oneOf(key: "vehicleId", [.text(vehicle)]), .isSet(key: meter.rawValue)]
  }

  /// Returns ``FleetWork/MeterReading/judgedFrom`` for a new reading: a time if the reading is a replacement that was
  /// entered late, otherwise `nil`.
  ///
  /// - Throws: `limitReached`.
  func placeOfReplacement(_ reading: MeterReading, _ meter: Meter) throws(ThingError) -> Timestamp? {
    guard reading.isReplaced else { return nil }
    var query = ThingQuery<MeterReading>(.atLeast(key: "at", reading.at.json), order: [.init("at")], limit: 8)
    query.conditions += Self.readings(of: meter, vehicle: reading.vehicle)
    let later = try list(query)
    guard var first = later.items.min(by: { $0.createdAt < $1.createdAt }) else { return nil }
    if later.next != nil {
      // Many readings have later times. Therefore a search in the order of creation soon finds the one that was created
      // first.
      query.conditions.append(.atMost(key: "createdAt", Self.latest.json))
      query.order = [.init("createdAt")]
      first = try self.first(query) ?? first
    }
    let late = try lateReplacements(of: meter, vehicle: reading.vehicle)
    guard late.count < Meter.mostLateReplacements else {
      throw .rule(
        code: "limitReached",
        message: "a vehicle can have at most \(Meter.mostLateReplacements) replacements that were entered late")
    }
    return late.filter { $0.value.at >= reading.at }.map { Meter.Place($0).created }
      .reduce(Meter.Place(first).created, min)
  }

  /// Returns the replacements of a vehicle's meter that were entered late, in the order in which they are judged.
  func lateReplacements(of meter: Meter, vehicle: String) throws(ThingError) -> [Stored<MeterReading>] {
    // The databases use an index of the times only if the query limits them.
    var query = ThingQuery<MeterReading>(
      .isSet(key: "judgedFrom"), .atLeast(key: "judgedFrom", Timestamp(nanoseconds: 0).json),
      order: [.init("judgedFrom")], limit: 1_000)
    query.conditions += Self.readings(of: meter, vehicle: vehicle)
    return try list(query).items.sorted { Meter.Place($0) < Meter.Place($1) }
  }

  /// Returns the used reading that is judged last before a place; `nil` if there is none.
  ///
  /// - Parameter late: the late replacements of the meter.
  func lastUsed(
    before place: Meter.Place, of meter: Meter, vehicle: String, _ late: [Stored<MeterReading>]
  ) throws(ThingError) -> Meter.Point? {
    func isBefore(_ stored: Stored<MeterReading>) -> Bool {
      Meter.Place(stored) < place && stored.value.lifetime != nil
    }
    var query = ThingQuery<MeterReading>(
      .isSet(key: "lifetime"), .atMost(key: "createdAt", place.created.json),
      order: [.init("createdAt", isDescending: true), .init("at", isDescending: true)], limit: 4)
    query.conditions += Self.readings(of: meter, vehicle: vehicle)
    var found = late.last(where: isBefore)
    repeat {
      let page = try list(query)
      if let newest = page.items.filter({ $0.value.judgedFrom == nil && isBefore($0) })
        .max(by: { Meter.Place($0) < Meter.Place($1) })
      {
        if found.map({ Meter.Place($0) < Meter.Place(newest) }) ?? true { found = newest }
        break
      }
      query.cursor = page.next
    } while query.cursor != nil
    return found.flatMap { Meter.Point($0.value, of: meter) }
  }
  /// Returns a used reading of a vehicle's meter, of those that are judged before a place; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - start: if `nil`, the newest reading is returned; otherwise the oldest one since this time.
  ///   - end: the latest time of the reading.
  ///   - late: the late replacements of the meter.
  func point(
    of meter: Meter, vehicle: String, since start: Timestamp? = nil, until end: Timestamp, before place: Meter.Place,
    _ late: [Stored<MeterReading>]
  ) throws(ThingError) -> Meter.Point? {
    var query = ThingQuery<MeterReading>(
      .isSet(key: "lifetime"), .atMost(key: "at", end.json),
      order: [.init("at", isDescending: start == nil), .init("lifetime", isDescending: start == nil)], limit: 2)
    query.conditions += Self.readings(of: meter, vehicle: vehicle)
    if let start { query.conditions.append(.atLeast(key: "at", start.json)) }
    var found = late.filter {
      Meter.Place($0) < place && $0.value.lifetime != nil && $0.value.at <= end && $0.value.at >= start ?? $0.value.at
    }
    repeat {
      let page = try list(query)
      if let first = page.items.first(where: { $0.value.judgedFrom == nil && Meter.Place($0) < place }) {
        found.append(first)
        break
      }
      query.cursor = page.next
    } while query.cursor != nil
    // For used readings, the order of the places is also the order of the times.
    found.sort { Meter.Place($0) < Meter.Place($1) }
    return (start == nil ? found.last : found.first).flatMap { Meter.Point($0.value, of: meter) }
  }
}
