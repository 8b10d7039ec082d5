/// A period during which all readings have met a condition.
struct Run: BitwiseCopyable, Equatable {
  /// Time of the first reading of the period; `nil` if the last reading did not meet the condition.
  private(set) var since: Int64?
  /// Time of the newest reading that met the condition.
  private(set) var last: Int64 = .min

  /// Adds a reading, which meets the condition if `holds` is `true`. If more than `longestGap` (ns) has passed since
  /// the last reading that met the condition, a new period begins.
  mutating func update(_ holds: Bool, at time: Int64, longestGap: Int64) {
    guard holds else {
      since = nil
      return
    }
    if since == nil || time - last > longestGap { since = time }
    last = time
  }

  /// Ends the period, for example because it is unknown whether the condition still holds.
  mutating func end() { since = nil }

  /// Returns the time that is in both periods, this one and `other`; `nil` if there is none.
  func overlap(_ other: Run) -> (start: Int64, end: Int64)? {
    guard let since, let otherSince = other.since else { return nil }
    let (start, end) = (max(since, otherSince), min(last, other.last))
    return start < end ? (start, end) : nil
  }
}
