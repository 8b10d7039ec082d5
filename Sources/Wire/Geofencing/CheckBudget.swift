/// The limit on the work for checking the polygons of a set, counted in comparisons of edges.
///
/// The limit keeps the time of the check to one or two seconds, even for a file that is designed to take long, because
/// the daemon cannot handle signals during the check. 5,000,000 corners in 100,000 fences, or a border with 100,000
/// corners and 1,000 holes, need only a fraction of the limit.
struct CheckBudget: BitwiseCopyable, Sendable {
  private(set) var left: Int

  init(_ edges: Int = 1_000_000_000) { left = edges }

  /// Subtracts a number of comparisons from the limit.
  ///
  /// - Throws: ``FenceError`` of the kind `tooIntricate` if the limit is exceeded.
  @inline(__always)
  mutating func spend(_ edges: Int) throws(FenceError) {
    left -= edges
    guard left >= 0 else { throw FenceError(.tooIntricate) }
  }
}
