/// Time in which readings said the same again and again.
struct Run: BitwiseCopyable, Equatable {
  /// The first reading of the run; nil: the last reading said otherwise, or there was none.
  private(set) var since: Int64?
  /// The newest one.
  private(set) var last: Int64 = .min

  /// Takes what a reading says. After a longer gap a new run begins.
  mutating func note(_ holds: Bool, at time: Int64, longestGap: Int64) {
    guard holds else {
      since = nil
      return
    }
    if since == nil || time - last > longestGap { since = time }
    last = time
  }

  /// It has ended, or it is not known whether it goes on.
  mutating func end() { since = nil }

  /// When both hold by their readings; nil: never now.
  func overlap(_ other: Run) -> (start: Int64, end: Int64)? {
    guard let since, let otherSince = other.since else { return nil }
    let (start, end) = (max(since, otherSince), min(last, other.last))
    return start < end ? (start, end) : nil
  }
}
