/// Numbers of records, kept as the ranges that they form: a thousand in a row cost as much as one.
public struct SequenceSet: Equatable, Sendable {
  /// Ascending, at least one number apart from each other.
  public private(set) var ranges: [ClosedRange<UInt64>] = []

  public init() {}

  public init(_ range: ClosedRange<UInt64>) { ranges = [range] }

  /// Whether there is none.
  public var isEmpty: Bool { ranges.isEmpty }

  /// How many there are.
  var count: UInt64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }

  /// The range that a number lies in; nil: it is not in the set.
  func range(containing number: UInt64) -> ClosedRange<UInt64>? {
    let index = firstIndex(endingFrom: number)
    guard index < ranges.count, ranges[index].lowerBound <= number else { return nil }
    return ranges[index]
  }

  /// Whether a number is in the set.
  public func contains(_ number: UInt64) -> Bool { range(containing: number) != nil }

  /// Puts all numbers of a range in.
  public mutating func insert(_ range: ClosedRange<UInt64>) {
    // The neighbours that it touches become one with it.
    let first = firstIndex(endingFrom: range.lowerBound == 0 ? 0 : range.lowerBound - 1)
    var end = first
    var merged = range
    while end < ranges.count, ranges[end].lowerBound <= (range.upperBound == .max ? .max : range.upperBound + 1) {
      merged = min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: CollectionOfOne(merged))
  }

  /// Takes all numbers of a range out.
  mutating func remove(_ range: ClosedRange<UInt64>) {
    let first = firstIndex(endingFrom: range.lowerBound)
    var end = first
    var kept: [ClosedRange<UInt64>] = []
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
      let old = ranges[end]
      if old.lowerBound < range.lowerBound { kept.append(old.lowerBound...(range.lowerBound - 1)) }
      if old.upperBound > range.upperBound { kept.append((range.upperBound + 1)...old.upperBound) }
      end += 1
    }
    if first < end { ranges.replaceSubrange(first..<end, with: kept) }
  }

  /// The numbers that are in both.
  func intersection(_ other: SequenceSet) -> SequenceSet {
    var result = SequenceSet()
    var (left, right) = (0, 0)
    while left < ranges.count, right < other.ranges.count {
      let (one, two) = (ranges[left], other.ranges[right])
      let lower = max(one.lowerBound, two.lowerBound)
      let upper = min(one.upperBound, two.upperBound)
      if lower <= upper { result.ranges.append(lower...upper) }
      if one.upperBound <= two.upperBound { left += 1 } else { right += 1 }
    }
    return result
  }

  /// Index of the first range that does not end before `number`.
  private func firstIndex(endingFrom number: UInt64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
