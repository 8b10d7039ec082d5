import Testing

@testable import Spool

@Suite struct SequenceSetTests {
  @Test func neighbours_become_one_range() {
    var set = SequenceSet()
    for number: UInt64 in [3, 1, 2, 9, 7, 8] { set.insert(number...number) }
    #expect(set.ranges == [1...3, 7...9])
    set.insert(4...6)
    #expect(set.ranges == [1...9])
  }

  @Test func removing_the_middle_leaves_both_ends() {
    var set = SequenceSet(1...9)
    set.remove(4...6)
    #expect(set.ranges == [1...3, 7...9])
    set.remove(0...1)
    set.remove(9...100)
    #expect(set.ranges == [2...3, 7...8])
  }

  @Test func the_whole_range_of_numbers_can_be_inserted() {
    var set = SequenceSet(5...6)
    set.insert(0...UInt64.max)
    #expect(set.ranges == [0...UInt64.max])
    set.remove(0...UInt64.max)
    #expect(set.isEmpty)
  }

  /// A comparison with Swift's own sets, with random operations.
  @Test(arguments: 0..<20) func a_sequence_set_equals_a_set_of_numbers(_ seed: Int) {
    var random = Reproducible(seed)
    var set = SequenceSet()
    var other = SequenceSet()
    var model: Set<UInt64> = []
    var otherModel: Set<UInt64> = []
    for _ in 0..<300 {
      let start = UInt64.random(in: 0...200, using: &random)
      let range = start...(start + UInt64.random(in: 0...20, using: &random))
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        set.insert(range)
        model.formUnion(range)
      case 1:
        set.remove(range)
        model.subtract(range)
      default:
        other.insert(range.lowerBound...range.lowerBound)
        otherModel.insert(range.lowerBound)
      }
      #expect(Set(set.ranges.joined()) == model)
      #expect(set.count == model.count)
      #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
      #expect(Set(set.intersection(other).ranges.joined()) == model.intersection(otherModel))
      let number = UInt64.random(in: 0...220, using: &random)
      #expect(set.contains(number) == model.contains(number))
    }
  }
}

/// The same numbers for the same seed (SplitMix64).
struct Reproducible: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}
