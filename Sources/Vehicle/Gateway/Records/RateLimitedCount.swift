/// How often something has happened that may go on for ever: the first time is said at once, what follows together, once a
/// minute.
struct RateLimitedCount {
  /// ns
  static let pause: Int64 = 60_000_000_000
  private var count: UInt64 = 0
  /// When the next word about it may be said; `.min`: nothing was said yet.
  private var notBefore = Int64.min

  /// When ``take(at:)`` has something; `.max`: never.
  var due: Int64 { count > 0 ? notBefore : .max }

  /// Counts so many more.
  ///
  /// - Returns: whether these are to be said now.
  mutating func add(_ more: UInt64 = 1, at time: Int64) -> Bool {
    guard time >= notBefore, count == 0 else {
      count &+= more
      return false
    }
    notBefore = time &+ Self.pause
    return true
  }

  /// What is to be said by now.
  ///
  /// - Parameter now: ns; `.max`: whatever was not said yet.
  /// - Returns: how many, and when that was due; nil: nothing.
  mutating func take(at now: Int64) -> (count: UInt64, due: Int64)? {
    guard count > 0, now >= notBefore else { return nil }
    defer {
      count = 0
      notBefore = now == .max ? .max : now + Self.pause
    }
    return (count, notBefore)
  }
}
