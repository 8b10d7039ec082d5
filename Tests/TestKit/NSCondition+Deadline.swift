import Foundation

extension NSCondition {
  /// Waits, locked, until it is signalled or that moment has come; now and then for no reason.
  ///
  /// In pieces of a second: what it has of its own goes by the clock on the wall, which somebody may set.
  ///
  /// - Returns: false: the moment had come before. Who is told true looks once more, also behind the deadline.
  public func wait(until deadline: ContinuousClock.Instant) -> Bool {
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { return false }
    _ = wait(until: Date(timeIntervalSinceNow: min(left, .seconds(1)) / .seconds(1)))
    return true
  }
}
