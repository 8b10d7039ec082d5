/// A limit on the cost of checking a set's polygons, in edge comparisons.
///
/// It limits the time to one or two seconds, even for a file that is designed to take long. The daemon handles no
/// signals during the check. The limit allows several times the cost of 5,000,000 corners in 100,000 fences, or of a
/// border with 100,000 corners and 1,000 holes.
struct CheckBudget: BitwiseCopyable, Sendable {
  private(set) var left: Int

  init(_ edges: Int = 1_000_000_000) { left = edges }

  /// Subtracts a number of comparisons.
  ///
  /// - Throws: ``FenceError`` of the kind `tooIntricate` if the budget is used up.
  @inline(__always)
  mutating func spend(_ edges: Int) throws(FenceError) {
    left -= edges
    guard left >= 0 else { throw FenceError(.tooIntricate) }
  }
}
