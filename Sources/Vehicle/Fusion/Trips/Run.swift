/// A period during which all readings met a condition.
struct Run: BitwiseCopyable, Equatable {
  /// First reading of the period; `nil` if the last reading did not meet the condition.
  private(set) var since: Int64?
  /// Newest reading that met the condition.
  private(set) var last: Int64 = .min

  /// Adds a reading. A longer gap starts a new period.
  mutating func update(_ holds: Bool, at time: Int64, longestGap: Int64) {
    guard holds else {
      since = nil
      return
    }
    if since == nil || time - last > longestGap { since = time }
    last = time
  }

  /// Ends the period, for example because its continuation is unknown.
  mutating func end() { since = nil }

  /// Returns the time during which both conditions held; `nil` if there is none.
  func overlap(_ other: Run) -> (start: Int64, end: Int64)? {
    guard let since, let otherSince = other.since else { return nil }
    let (start, end) = (max(since, otherSince), min(last, other.last))
    return start < end ? (start, end) : nil
  }
}
