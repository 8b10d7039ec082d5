/// Counts events that may repeat without end, and limits the reports about them. The first event is reported
/// immediately. Later events are counted and reported together, at most once a minute.
package struct RateLimitedCount {
  /// Minimum time between two reports, ns.
  package static let pause: Int64 = 60_000_000_000
  private var count: UInt64 = 0
  /// The earliest time of the next report, ns since boot; `.min` if there was no report yet.
  private var notBefore = Int64.min

  package init() {}

  /// Time at which ``popDue(at:)`` will return a count, ns since boot; `.max` if no event waits for a report.
  package var due: Int64 { count > 0 ? notBefore : .max }

  /// Counts one event or several.
  ///
  /// - Returns: whether the caller must report these events now. If `false`, they are counted for a later report.
  package mutating func add(_ more: UInt64 = 1, at time: Int64) -> Bool {
    guard time >= notBefore, count == 0 else {
      count &+= more
      return false
    }
    notBefore = time &+ Self.pause
    return true
  }

  /// Removes and returns the count of the events that must be reported now.
  ///
  /// - Parameter now: time, ns since boot; `.max` to return the count even if it is not due.
  /// - Returns: the count and the time at which its report was due; `nil` if no report is due.
  package mutating func popDue(at now: Int64) -> (count: UInt64, due: Int64)? {
    guard count > 0, now >= notBefore else { return nil }
    defer {
      count = 0
      notBefore = now == .max ? .max : now + Self.pause
    }
    return (count, notBefore)
  }
}
