/// A limit on the cost of checking a set's polygons, in edge comparisons.
///
/// It bounds the time to a second or two, also for a file made to take long. The daemon handles no signals while it
/// checks. The limit allows several times the cost of 5,000,000 corners in 100,000 fences, or of a border with 100,000
/// corners and 1,000 holes.
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
