import FleetDomain
import FleetWork
import Telemetry

/// Compares the odometer readings of a vehicle with the distance of its trips.
///
/// Each reading is compared with the reading before it. A trip counts for the part of it that is between the two
/// readings.
public struct OdometerTruth: Equatable, Sendable {
  /// A reading of the odometer that is not void.
  public struct Reading: Equatable, Sendable {
    public let id: UUIDv7
    public let at: Timestamp
    /// Reading, km.
    public let value: Double
    public let source: MeterReading.Source
    /// Whether the odometer was replaced after the previous reading.
    public let isReplaced: Bool
    /// The reason why the reading is not used; `nil` if it is used.
    public let flag: MeterReading.Flag?

    public init(
      id: UUIDv7, at time: Timestamp, value: Double, source: MeterReading.Source = .manual, isReplaced: Bool = false,
      flag: MeterReading.Flag? = nil
    ) {
      (self.id, at, self.value, self.source) = (id, time, value, source)
      (self.isReplaced, self.flag) = (isReplaced, flag)
    }
  }

  /// The comparison of a reading with the reading before it.
  public struct Step: Equatable, Sendable {
    public let reading: Reading
    public let previous: Reading
    /// The reading minus the previous one, km.
    public let increase: Double
    /// The distance of the trips between the two readings, km; `nil` if there was no trip with a distance.
    public let telemetry: Double?

    /// ``increase`` minus ``telemetry``, km; `nil` if ``telemetry`` is unknown.
    public var difference: Double? { telemetry.map { increase - $0 } }
  }

  /// The comparison of each reading with the reading before it, in the order of their times. The first reading of a new
  /// odometer is not compared.
  public private(set) var steps: [Step] = []
  /// The sum of the increases of all steps that have telemetry and do not go backward, km.
  public private(set) var increase = 0.0
  /// The sum of the trips' distances in the steps that ``increase`` includes, km.
  public private(set) var telemetry = 0.0
  /// The readings at which the odometer may have been replaced, which a person should check: the reading is lower than
  /// the previous one, and the next readings continue from it.
  public private(set) var possibleReplacements: [Reading] = []

  /// The drift of the odometer: how much more it counts than the trips, %; negative if it counts less. `nil` if the
  /// trips have no distance.
  public var driftPercent: Double? { telemetry > 0 ? (increase - telemetry) / telemetry * 100 : nil }

  /// If a reading is lower than the previous one by less than this, it counts as the previous reading, rounded down by
  /// a person, km.
  static let rounding = 1.0
  /// The number of readings that must confirm a possible replacement. They follow the lower reading, do not decrease,
  /// and are all lower than the last reading before it.
  static let confirming = 2

  /// Compares readings with trips.
  ///
  /// - Parameters:
  ///   - readings: the readings in any order.
  ///   - trips: the trips in any order. A trip that occurs twice counts once.
  public init(_ readings: [Reading], _ trips: [EndedTrip]) {
    let sorted = readings.sorted { ($0.at, $0.id.high, $0.id.low) < ($1.at, $1.id.high, $1.id.low) }
    var seen: Set<UUIDv7> = []
    let trips = trips.filter { $0.distance != nil && seen.insert($0.id).inserted }.sorted { $0.to < $1.to }
    // For each trip, the earliest start of this trip and all later ones. The search can stop when this start is after
    // the reading.
    var starts = trips.map(\.from)
    for index in starts.indices.reversed().dropFirst() { starts[index] = min(starts[index], starts[index + 1]) }
    var first = 0
    for (previous, reading) in zip(sorted, sorted.dropFirst()) where !reading.isReplaced {
      while first < trips.count, trips[first].to <= previous.at { first += 1 }
      var driven: Double?
      for index in first..<trips.count {
        guard starts[index] <= reading.at else { break }
        guard let part = Self.part(of: trips[index], from: previous.at, to: reading.at) else { continue }
        driven = (driven ?? 0) + part
      }
      let step = Step(
        reading: reading, previous: previous, increase: reading.value - previous.value, telemetry: driven)
      steps.append(step)
      if let driven, step.increase > -Self.rounding {
        increase += step.increase
        telemetry += driven
      }
    }
    findReplacements(sorted)
  }

  /// Returns the distance of a trip between two times, km; `nil` if no part of the trip is between them.
  private static func part(of trip: EndedTrip, from start: Timestamp, to end: Timestamp) -> Double? {
    guard let distance = trip.distance, trip.to > start, trip.from < end || trip.from == trip.to && trip.to <= end
    else { return nil }
    let whole = trip.to.milliseconds - trip.from.milliseconds
    guard whole > 0 else { return distance }
    let inside = min(trip.to, end).milliseconds - max(trip.from, start).milliseconds
    return distance * Double(inside) / Double(whole)
  }

  private mutating func findReplacements(_ readings: [Reading]) {
    for index in readings.indices.dropFirst() where !readings[index].isReplaced {
      let later = readings[index...].prefix(Self.confirming + 1)
      guard readings[index].value < readings[index - 1].value - Self.rounding, later.count == Self.confirming + 1,
        zip(later, later.dropFirst()).allSatisfy({ $0.value <= $1.value }),
        later.allSatisfy({ $0.value < readings[index - 1].value - Self.rounding })
      else { continue }
      possibleReplacements.append(readings[index])
    }
  }
}
