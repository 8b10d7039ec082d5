/// A set of sequence numbers, stored as ranges. A thousand consecutive numbers take no more memory than a single one.
public struct SequenceSet: Equatable, Sendable {
  /// The ranges in ascending order. Between two ranges, at least one number is missing.
  public private(set) var ranges: [ClosedRange<UInt64>] = []

  /// Creates an empty set.
  public init() {}

  /// Creates a set of all numbers in a range.
  public init(_ range: ClosedRange<UInt64>) { ranges = [range] }

  /// Whether the set is empty.
  public var isEmpty: Bool { ranges.isEmpty }

  /// Number of sequence numbers in the set.
  var count: UInt64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }

  /// Returns the range that contains a number; `nil` if the set does not contain it.
  func range(containing number: UInt64) -> ClosedRange<UInt64>? {
    let index = firstIndex(endingFrom: number)
    guard index < ranges.count, ranges[index].lowerBound <= number else { return nil }
    return ranges[index]
  }

  /// Whether the set contains a number.
  public func contains(_ number: UInt64) -> Bool { range(containing: number) != nil }

  /// Inserts all numbers of a range.
  public mutating func insert(_ range: ClosedRange<UInt64>) {
    // Merge the range with the ranges that overlap it or are next to it.
    let first = firstIndex(endingFrom: range.lowerBound == 0 ? 0 : range.lowerBound - 1)
    var end = first
    var merged = range
    while end < ranges.count, ranges[end].lowerBound <= (range.upperBound == .max ? .max : range.upperBound + 1) {
      merged = min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: CollectionOfOne(merged))
  }

  /// Removes all numbers of a range.
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

  /// Returns the numbers that are in both sets.
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

  /// Returns the index of the first range that ends at `number` or after it.
  private func firstIndex(endingFrom number: UInt64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
