import FleetDomain
import Telemetry

/// One trip that is made from the overlapping trips of one vehicle.
///
/// If a vehicle has several gateways, each of them reports the same drive, with an amount such as the distance or the
/// fuel. In the amount of the merged trip, no moment is counted twice: at each moment, only the longest trip whose
/// amount is known counts. A shorter trip adds only the share of its amount for the time that longer trips do not cover.
struct MergedTrip: Equatable {
  /// A trip as one gateway reports it.
  struct Part {
    /// The start and the end, ms since 1970.
    var time: ClosedRange<Int64>
    /// The distance, fuel or another amount that increases evenly during the trip; `nil` if unknown.
    var amount: Double?
  }

  /// The earliest start and the latest end, ms since 1970.
  var time: ClosedRange<Int64>
  /// The amount of the whole trip; `nil` if no part has one.
  var amount: Double?
  /// The indices of the parts, in the order of their precedence: the longest part with a known amount is the first.
  var parts: [Int]

  /// Merges trips whose times overlap. A trip that starts when another one ends is a trip of its own.
  ///
  /// - Parameter parts: the trips of one vehicle in any order.
  /// - Returns: the merged trips in the order of their starts. Their times do not overlap.
  static func merge(_ parts: [Part]) -> [MergedTrip] {
    var merged: [MergedTrip] = []
    let order = parts.indices.sorted {
      (parts[$0].time.lowerBound, parts[$0].time.upperBound) < (parts[$1].time.lowerBound, parts[$1].time.upperBound)
    }
    for index in order {
      let time = parts[index].time
      if let last = merged.last?.time,
        time.lowerBound < last.upperBound || time.lowerBound == last.lowerBound
      {
        merged[merged.count - 1].time = last.lowerBound...max(last.upperBound, time.upperBound)
        merged[merged.count - 1].parts.append(index)
      } else {
        merged.append(MergedTrip(time: time, amount: nil, parts: [index]))
      }
    }
    for index in merged.indices { merged[index].sum(parts) }
    return merged
  }

  /// Sorts the parts by their precedence, and adds their amounts.
  private mutating func sum(_ all: [Part]) {
    func precedence(_ index: Int) -> (Int, Int64, Double, Int) {
      let part = all[index]
      let length = part.time.upperBound - part.time.lowerBound
      return (part.amount == nil ? 1 : 0, -length, -(part.amount ?? 0), index)
    }
    parts.sort { precedence($0) < precedence($1) }
    var covered = CoveredTime()
    for index in parts {
      guard let part = all[index].amount else { break }
      amount = (amount ?? 0) + part * covered.add(all[index].time)
    }
  }
}

/// The time that trips cover. Time that several trips cover is contained once.
private struct CoveredTime {
  /// The covered ranges in ascending order. Ranges that touch are stored as one range.
  private var ranges: [ClosedRange<Int64>] = []

  /// Adds the time of a trip.
  ///
  /// - Returns: the share of the time that was not covered yet, from 0 to 1.
  mutating func add(_ time: ClosedRange<Int64>) -> Double {
    let first = index { $0.upperBound >= time.lowerBound }
    let end = index { $0.lowerBound > time.upperBound }
    let touched = ranges[first..<end]
    var free = time.upperBound - time.lowerBound
    let isMoment = free == 0
    for range in touched {
      free -= min(range.upperBound, time.upperBound) - max(range.lowerBound, time.lowerBound)
    }
    let share = isMoment ? (touched.isEmpty ? 1 : 0) : Double(free) / Double(time.upperBound - time.lowerBound)
    let lower = min(touched.first?.lowerBound ?? time.lowerBound, time.lowerBound)
    let upper = max(touched.last?.upperBound ?? time.upperBound, time.upperBound)
    ranges.replaceSubrange(first..<end, with: [lower...upper])
    return share
  }

  /// Returns the index of the first range that satisfies a condition, which all later ranges also satisfy.
  private func index(where condition: (ClosedRange<Int64>) -> Bool) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if condition(ranges[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension EndedTrip {
  /// Merges the trips of one vehicle that several gateways report: trips whose times overlap become one trip.
  ///
  /// - Parameter trips: in any order. A trip that occurs twice counts once.
  /// - Returns: the trips in the order of their starts. A merged trip has the id of the longest trip with a distance.
  public static func merged(_ trips: [EndedTrip]) -> [EndedTrip] {
    var seen: Set<UUIDv7> = []
    let trips = trips.filter { seen.insert($0.id).inserted }
    let parts = trips.map { trip in
      MergedTrip.Part(time: trip.from.milliseconds...trip.to.milliseconds, amount: trip.distance)
    }
    return MergedTrip.merge(parts).map { merged in
      let parts = merged.parts.map { trips[$0] }
      let (first, rest) = (parts[0], parts.dropFirst())
      guard !rest.isEmpty else { return first }
      return EndedTrip(
        id: first.id, from: rest.reduce(first.from) { min($0, $1.from) }, to: rest.reduce(first.to) { max($0, $1.to) },
        distance: merged.amount, endOdometer: parts.compactMap(\.endOdometer).max())
    }
  }
}
