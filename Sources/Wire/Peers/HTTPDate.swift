/// Parses HTTP dates (RFC 9110, section 5.6.7). They have one of three formats:
///
///     Sun, 06 Nov 1994 08:49:37 GMT
///     Sunday, 06-Nov-94 08:49:37 GMT
///     Sun Nov  6 08:49:37 1994
public enum HTTPDate {
  /// Returns a date in seconds since 1970; `nil` if the text is not an HTTP date.
  public static func seconds(_ text: String) -> Int64? {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).map(String.init)
    let parts: (day: String, month: String, year: String, time: String)
    switch words.count {
    case 6 where words[5] == "GMT": parts = (words[1], words[2], words[3], words[4])
    case 5: parts = (words[2], words[1], words[4], words[3])
    default: return nil
    }
    let clock = parts.time.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) ?? -1 }
    guard let day = Int64(parts.day), (1...31).contains(day), let month = months.firstIndex(of: parts.month),
      var year = Int64(parts.year), (0...9_999).contains(year), clock.count == 3, (0...23).contains(clock[0]),
      (0...59).contains(clock[1]), (0...60).contains(clock[2])
    else { return nil }
    // RFC 9110 treats a year of two digits that is more than 50 years ahead as past. That rule is not needed here,
    // because no server sends a date of the last century.
    if parts.year.count == 2 { year += 2_000 }
    return days(year, Int64(month) + 1, day) * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns the number of days since 1970-01-01 in the Gregorian calendar. The calculation lets the year begin in
  /// March, so that a leap day is the last day.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }
}

/// Parses `Retry-After` (RFC 9110, section 10.2.3).
public enum RetryAfter {
  /// Returns the time for which the server asks to wait.
  ///
  /// - Parameters:
  ///   - text: value of `Retry-After`: a number of seconds, or a date.
  ///   - date: value of `Date` in the same reply. The difference of both dates needs no local clock, which may be
  ///     wrong.
  /// - Returns: the time to wait, ns; `nil` if the value is missing or invalid.
  public static func nanoseconds(_ text: String, date: String) -> Int64? {
    if let seconds = Int64(text), !text.hasPrefix("+") {
      return seconds < 0
        ? nil : seconds.multipliedReportingOverflow(by: 1_000_000_000).overflow ? .max : seconds * 1_000_000_000
    }
    guard let then = HTTPDate.seconds(text), let now = HTTPDate.seconds(date) else { return nil }
    let (nanoseconds, isForEver) = max(0, then - now).multipliedReportingOverflow(by: 1_000_000_000)
    return isForEver ? .max : nanoseconds
  }
}
