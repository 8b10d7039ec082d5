import FleetDomain
import FleetWork
import Telemetry

/// A meter reading that a thing such as a journey contains.
public struct StatedReading: Equatable, Sendable {
  public enum Time: Equatable, Sendable {
    case at(Timestamp)
    /// Only the date is known, not the time of day.
    case on(CalendarDate)
  }

  public let meter: Meter
  public let value: Double
  public let time: Time
  /// Distinguishes several readings of the same meter in one thing; `nil` if the thing has only one.
  public let part: MeterReading.Part?
  /// The value as a person entered it; `nil` if it was entered in km or h.
  public let entered: EnteredAmounts.Amount?

  public init(
    _ meter: Meter, _ value: Double, _ time: Time, part: MeterReading.Part? = nil,
    entered: EnteredAmounts.Amount? = nil
  ) {
    (self.meter, self.value, self.time, self.part, self.entered) = (meter, value, time, part, entered)
  }
}

/// A thing that contains meter readings of its vehicle, such as a journey or a fuel entry.
public protocol MeterSource: Kind {
  static var readingSource: MeterReading.Source { get }
  /// The id of the vehicle.
  var meteredVehicle: String { get }
  /// The meter readings that the thing contains now.
  var statedReadings: [StatedReading] { get }
}

extension Journey: MeterSource {
  public static var readingSource: MeterReading.Source { .journey }
  public var meteredVehicle: String { vehicle }

  public var statedReadings: [StatedReading] {
    guard status != .cancelled else { return [] }
    var readings: [StatedReading] = []
    if let startOdometer, let startTime {
      readings.append(
        StatedReading(.odometer, startOdometer, .at(startTime), part: .start, entered: entered["startOdometer"]))
    }
    if let endOdometer, let endTime {
      readings.append(StatedReading(.odometer, endOdometer, .at(endTime), part: .end, entered: entered["endOdometer"]))
    }
    return readings
  }
}

extension FuelEntry: MeterSource {
  public static var readingSource: MeterReading.Source { .fuel }
  public var meteredVehicle: String { vehicle }

  /// The reading of the odometer. A void entry has none.
  public var statedReadings: [StatedReading] {
    guard !isVoid, let odometer else { return [] }
    return [StatedReading(.odometer, odometer, .at(at), entered: entered["odometer"])]
  }
}

extension Inspection: MeterSource {
  public static var readingSource: MeterReading.Source { .inspection }
  public var meteredVehicle: String { vehicle }

  /// The reading of the odometer. A draft has none, and neither has a report that was corrected.
  public var statedReadings: [StatedReading] {
    guard status != .draft, supersededBy == nil, let odometer else { return [] }
    return [StatedReading(.odometer, odometer, .at(at), entered: entered["odometer"])]
  }
}

extension MaintenanceRecord: MeterSource {
  public static var readingSource: MeterReading.Source { .service }
  public var meteredVehicle: String { vehicle }

  public var statedReadings: [StatedReading] {
    guard status == .completed, let completedDate else { return [] }
    return [(Meter.odometer, odometer), (.engineHours, engineHours)].compactMap { meter, value in
      value.map { StatedReading(meter, $0, .on(completedDate), entered: entered[meter.rawValue]) }
    }
  }
}

extension FleetTransaction {
  /// Updates the stored meter readings of a thing. Adds new readings, corrects readings whose value, time or vehicle
  /// has changed, and removes readings that the thing no longer contains. A reading that a person has marked as void
  /// remains void until its value, time or vehicle changes in the thing.
  ///
  /// - Returns: the readings of the thing.
  @discardableResult
  public func followReadings<Value: MeterSource>(
    of stored: Stored<Value>
  ) throws(ThingError) -> [Stored<MeterReading>] {
    let stated = stored.value.statedReadings
    let known = try list(ThingQuery<MeterReading>(.oneOf(key: "originId", [stored.id.json]), limit: 100)).items
    func isOf(_ item: StatedReading, _ reading: Stored<MeterReading>) -> Bool {
      Meter(of: reading.value) == item.meter && reading.value.part == item.part
    }
    var readings: [Stored<MeterReading>] = []
    // Readings are judged in the order in which they arrive, so removed readings must not affect the decisions about
    // new ones.
    for reading in known where !stated.contains(where: { isOf($0, reading) }) {
      // The decision may have changed with another reading of the thing.
      let present = try existing(reading.id, MeterReading.self)
      try remove(present, action: "remove")
      try judgeAfterRemoval(of: present)
    }
    for item in stated {
      let old = known.first { isOf(item, $0) }
      var reading = old?.value ?? MeterReading()
      reading.vehicle = stored.value.meteredVehicle
      reading.at = try time(of: item, vehicle: reading.vehicle, known: old?.value.at)
      (reading.odometer, reading.engineHours) = item.meter == .odometer ? (item.value, nil) : (nil, item.value)
      reading.entered[item.meter.rawValue] = item.entered
      (reading.source, reading.originID, reading.part) = (Value.readingSource, stored.id, item.part)
      guard let old else {
        readings.append(try add(reading))
        continue
      }
      if reading != old.value {
        reading.isVoid = false
        // The decisions may have changed with another reading of the thing.
        let present = try existing(old.id, MeterReading.self)
        let corrected = try update(old, to: reading, action: "correct")
        if old.value.vehicle == reading.vehicle {
          try follow(corrected, after: .corrected(present))
        } else {
          try judgeAfterRemoval(of: present)
          try follow(corrected, after: .moved)
        }
      }
      readings.append(try existing(old.id, MeterReading.self))
    }
    return readings
  }

  private func time(
    of item: StatedReading, vehicle: String, known: Timestamp?
  ) throws(ThingError) -> Timestamp {
    switch item.time {
    // The clock of a phone may be ahead. A reading must not be rejected because of that.
    case .at(let time): return min(time, now)
    case .on(let date):
      let zone = try zone(ofVehicle: vehicle)
      if let known, zone.day(of: known) == date { return known }
      return date == zone.day(of: now) ? now : min(zone.time(43_200, on: date), now)
    }
  }
}
