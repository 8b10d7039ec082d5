/// Counts an event that may repeat for ever, and limits the reports about it. The first event is reported at once;
/// later ones are counted and reported together, once a minute.
package struct RateLimitedCount {
  /// Minimum time between two reports, ns.
  package static let pause: Int64 = 60_000_000_000
  private var count: UInt64 = 0
  /// The earliest time of the next report; `.min` if there was none yet.
  private var notBefore = Int64.min

  package init() {}

  /// Time at which ``take(at:)`` will return a count; `.max` if nothing is to be reported.
  package var due: Int64 { count > 0 ? notBefore : .max }

  /// Counts one or several events.
  ///
  /// - Returns: whether to report these events at once. If not, they are counted for a later report.
  package mutating func add(_ more: UInt64 = 1, at time: Int64) -> Bool {
    guard time >= notBefore, count == 0 else {
      count &+= more
      return false
    }
    notBefore = time &+ Self.pause
    return true
  }

  /// Removes and returns the count to report.
  ///
  /// - Parameter now: boot time, ns; `.max` to return the count at once.
  /// - Returns: the count and the time at which it was due; `nil` if there is nothing to report.
  package mutating func take(at now: Int64) -> (count: UInt64, due: Int64)? {
    guard count > 0, now >= notBefore else { return nil }
    defer {
      count = 0
      notBefore = now == .max ? .max : now + Self.pause
    }
    return (count, notBefore)
  }
}
