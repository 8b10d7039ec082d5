import Foundation

extension NSCondition {
  /// Waits until the condition is signalled or the deadline has passed. It may also return earlier. The caller must
  /// hold the lock.
  ///
  /// The function waits in steps of one second, because the condition's own deadline uses the wall clock, which may be
  /// set meanwhile.
  ///
  /// - Returns: `false` if the deadline had passed before the call. After `true`, the caller must check its condition
  ///   again.
  public func wait(until deadline: ContinuousClock.Instant) -> Bool {
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { return false }
    _ = wait(until: Date(timeIntervalSinceNow: min(left, .seconds(1)) / .seconds(1)))
    return true
  }
}
