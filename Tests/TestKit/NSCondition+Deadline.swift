import Foundation

extension NSCondition {
  /// Waits, locked, until it is signalled or the deadline has passed; may return early.
  ///
  /// It waits in steps of a second, because the condition's own deadline uses the wall clock, which may be set.
  ///
  /// - Returns: `false` if the deadline had passed before. After `true`, the caller checks its condition again, also
  ///   after the deadline.
  public func wait(until deadline: ContinuousClock.Instant) -> Bool {
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { return false }
    _ = wait(until: Date(timeIntervalSinceNow: min(left, .seconds(1)) / .seconds(1)))
    return true
  }
}
