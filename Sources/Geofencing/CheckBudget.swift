/// What checking the polygons of a set may cost, in edges that are looked at: a file that is made to take for ever is
/// refused within a second or two, in which the daemon heeds no signal.
///
/// Five million corners of a hundred thousand fences fit several times; so does a border of 100,000 corners with 1,000
/// holes.
struct CheckBudget: BitwiseCopyable, Sendable {
  private(set) var left: Int

  init(_ edges: Int = 1_000_000_000) { left = edges }

  /// - Throws: where nothing is left.
  @inline(__always)
  mutating func spend(_ edges: Int) throws(FenceError) {
    left -= edges
    guard left >= 0 else { throw FenceError(.tooIntricate) }
  }
}
