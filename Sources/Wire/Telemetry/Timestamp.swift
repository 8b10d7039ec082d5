/// A moment, as nanoseconds since 1970-01-01T00:00:00Z without leap seconds, in the years 1677 to 2262.
public struct Timestamp: BitwiseCopyable, Equatable, Comparable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z.
  public var nanoseconds: Int64

  /// Creates a timestamp from nanoseconds since 1970-01-01T00:00:00Z.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates a timestamp from a date of the proleptic Gregorian calendar and a time in UTC.
  ///
  /// The values are not checked. Second 60 becomes the first second of the next minute.
  ///
  /// - Returns: `nil` if the nanoseconds do not fit 64 bits.
  public init?(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0
  ) {
    let days = Self.days(year: year, month: month, day: day)
    let seconds = Int64(days) * 86_400 + Int64(hour) * 3_600 + Int64(minute) * 60 + Int64(second)
    // Before 1970, compute from the next whole second, and subtract the time until then. The product for the whole
    // second before could overflow although the result fits 64 bits.
    let borrowed: Int64 = seconds < 0 && nanosecond > 0 ? 1 : 0
    let (whole, tooLarge) = (seconds + borrowed).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = whole.addingReportingOverflow(Int64(nanosecond) - borrowed * 1_000_000_000)
    guard !tooLarge, !overflow else { return nil }
    nanoseconds = sum
  }

  /// Returns whether the left timestamp is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Milliseconds since 1970, rounded down, so that a record's time is never in the future.
  public var milliseconds: Int64 {
    let quotient = nanoseconds / 1_000_000
    return nanoseconds < 0 && nanoseconds % 1_000_000 != 0 ? quotient - 1 : quotient
  }

  /// Returns the number of days from 1970-01-01 to a date of the proleptic Gregorian calendar.
  ///
  /// The computation begins each year in March, so that the leap day is the last day of a year. 400 years have 146,097
  /// days.
  public static func days(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Returns the date for a number of days since 1970-01-01, the inverse of ``days(year:month:day:)``.
  static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

extension Timestamp: JSONLineValue {
  /// The timestamp as text in records: RFC 3339 in UTC, with milliseconds.
  ///
  ///     2024-12-18T07:41:06.250Z
  public var text: InlineArray<24, UInt8> {
    let total = milliseconds
    let days = total >= 0 ? total / 86_400_000 : (total - 86_399_999) / 86_400_000
    var rest = Int(total - days * 86_400_000)
    let date = Self.date(days: Int(days))
    var out = InlineArray<24, UInt8>(repeating: UInt8(ascii: "Z"))
    Self.put(date.year, digits: 4, at: 0, before: UInt8(ascii: "-"), &out)
    Self.put(date.month, digits: 2, at: 5, before: UInt8(ascii: "-"), &out)
    Self.put(date.day, digits: 2, at: 8, before: UInt8(ascii: "T"), &out)
    Self.put(rest / 3_600_000, digits: 2, at: 11, before: UInt8(ascii: ":"), &out)
    rest %= 3_600_000
    Self.put(rest / 60_000, digits: 2, at: 14, before: UInt8(ascii: ":"), &out)
    rest %= 60_000
    Self.put(rest / 1_000, digits: 2, at: 17, before: UInt8(ascii: "."), &out)
    Self.put(rest % 1_000, digits: 3, at: 20, before: UInt8(ascii: "Z"), &out)
    return out
  }

  @inline(__always)
  private static func put(
    _ number: Int, digits: Int, at place: Int, before separator: UInt8, _ out: inout InlineArray<24, UInt8>
  ) {
    // Division is faster with 32 bits, and every part of a time fits them.
    var rest = UInt32(truncatingIfNeeded: number)
    var index = place + digits
    out[index] = separator
    while index > place {
      index -= 1
      out[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  public func write(to line: inout JSONLineEncoder) -> Bool {
    let text = text
    return line.value(text.span)
  }
}
