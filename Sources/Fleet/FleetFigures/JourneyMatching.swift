import FleetDomain
import FleetWork
import Telemetry

/// Compares the journeys that drivers declared with the trips that gateways recorded.
///
/// A trip belongs to the journey that covers the longest part of it, if this part is at least half of the trip. A
/// journey can have several trips, because the engine may be switched off during the journey.
public struct JourneyMatching: Sendable {
  /// A journey that was started and not cancelled.
  public struct Declared: Equatable, Sendable {
    public let id: UUIDv7
    public let from: Timestamp
    /// The end; `nil` if the journey has not ended.
    public let to: Timestamp?
    /// Reading of the odometer at the start, km; `nil` if unknown.
    public let startOdometer: Double?
    /// Reading of the odometer at the end, km; `nil` if unknown.
    public let endOdometer: Double?

    public init(id: UUIDv7, from: Timestamp, to: Timestamp?, startOdometer: Double? = nil, endOdometer: Double? = nil) {
      (self.id, self.from, self.to) = (id, from, to)
      (self.startOdometer, self.endOdometer) = (startOdometer, endOdometer)
    }

    /// Creates the value for a journey; `nil` if the journey was not started, or was cancelled.
    public init?(_ journey: Stored<Journey>) {
      let value = journey.value
      guard let from = value.startTime, value.status != .cancelled else { return nil }
      self.init(
        id: journey.id, from: from, to: value.endTime, startOdometer: value.startOdometer,
        endOdometer: value.endOdometer)
    }
  }

  /// A trip that has ended.
  public typealias Trip = EndedTrip

  /// The difference between the odometer readings at the end of a journey and at the start of the next one.
  public struct Gap: Equatable, Sendable {
    public let after: UUIDv7
    public let before: UUIDv7
    /// The difference in km, not 0; negative if the second reading is lower.
    public let kilometers: Double
  }

  /// The journeys that have trips, each with its trips. Journeys and trips are in the order of their starts.
  public private(set) var matches: [(journey: Declared, trips: [Trip])] = []
  /// Trips that belong to no journey.
  public private(set) var unclaimed: [Trip] = []
  /// Journeys without a trip.
  public private(set) var withoutTrip: [Declared] = []
  /// Differences between the odometer readings of successive journeys.
  public private(set) var gaps: [Gap] = []
  /// Pairs of journeys whose times overlap.
  public private(set) var overlaps: [(first: UUIDv7, second: UUIDv7)] = []

  /// Compares the journeys and trips of one vehicle. Trips that several gateways report must be merged
  /// (``EndedTrip/merged(_:)``).
  public init(_ journeys: [Declared], _ trips: [Trip]) {
    let journeys = journeys.sorted(by: Self.precedes)
    // For each journey, the latest end of this journey and all earlier ones. A backward search can stop when this end
    // is before the start of the trip.
    var latestEnds: [Timestamp] = []
    for journey in journeys { latestEnds.append(max(latestEnds.last ?? journey.end, journey.end)) }
    var found: [Int: [Trip]] = [:]
    for trip in trips.sorted(by: { ($0.from, $0.id.high, $0.id.low) < ($1.from, $1.id.high, $1.id.low) }) {
      // Begin with the last journey that starts before the trip ends; later ones cannot cover the trip.
      var index = journeys.partitioningIndex { $0.from > trip.to }
      var best: (index: Int, covered: Int64)?
      while index > 0, latestEnds[index - 1] >= trip.from {
        index -= 1
        let covered = journeys[index].covered(of: trip)
        if covered >= 0, covered >= best?.covered ?? 0 { best = (index, covered) }
      }
      if let best, best.covered * 2 >= trip.nanoseconds {
        found[best.index, default: []].append(trip)
      } else {
        unclaimed.append(trip)
      }
    }
    for (index, journey) in journeys.enumerated() {
      if let trips = found[index] { matches.append((journey, trips)) } else { withoutTrip.append(journey) }
    }
    compare(journeys)
  }

  /// Finds overlapping journeys, and differences between the odometer readings of successive journeys.
  ///
  /// - Parameter journeys: in the order of their starts.
  private mutating func compare(_ journeys: [Declared]) {
    var previous: Declared?
    for (index, journey) in journeys.enumerated() {
      for next in journeys[(index + 1)...] {
        guard next.from < journey.end else { break }
        overlaps.append((journey.id, next.id))
      }
      if let last = previous, let end = last.endOdometer, let start = journey.startOdometer, start != end {
        gaps.append(Gap(after: last.id, before: journey.id, kilometers: start - end))
      }
      if journey.to != nil { previous = journey }
    }
  }

  static func precedes(_ left: Declared, _ right: Declared) -> Bool {
    (left.from, left.id.high, left.id.low) < (right.from, right.id.high, right.id.low)
  }
}

extension JourneyMatching.Declared {
  /// The end, or the latest possible time if the journey has not ended.
  fileprivate var end: Timestamp { to ?? Timestamp(nanoseconds: .max) }

  /// Returns the duration of the part of a trip that the journey covers, ns; negative if it covers none.
  fileprivate func covered(of trip: JourneyMatching.Trip) -> Int64 {
    min(end, trip.to).nanoseconds(since: max(from, trip.from))
  }
}

extension JourneyMatching.Trip {
  fileprivate var nanoseconds: Int64 { to.nanoseconds(since: from) }
}

extension Array {
  /// Returns the index of the first element that satisfies a condition. The elements must be sorted so that all later
  /// elements also satisfy it.
  fileprivate func partitioningIndex(where condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
