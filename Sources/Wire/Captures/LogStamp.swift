/// A time in a log line, in one of three forms. ``LogClock`` converts it to the time of an event.
enum LogStamp: Equatable {
  /// A number of seconds, converted to ns. It may count from 1970, from the start of the capture or of a device, or
  /// from the previous line.
  case seconds(Int64)
  /// A date with a time, in ns since 1970 UTC.
  case wall(Int64)
  /// A time without a date, in ns since midnight.
  case timeOfDay(Int64)

  static let second: Int64 = 1_000_000_000
  static let day: Int64 = 86_400 * second

  /// Reads the time at `index` and moves `index` to its end. If there is none, returns `nil` and leaves `index`
  /// unchanged.
  ///
  ///     2017-11-09⇥06:25:41.243    2026-11-21 09:41:34,434    2015/07/10 05:57:32.249713
  ///     2026-06-27T04:04:59.906Z   10:36:50.980               1436509052.249713          0.200
  static func parse(_ text: Span<UInt8>, at index: inout Int) -> LogStamp? {
    var i = index
    guard let stamp = scan(text, &i) else { return nil }
    index = i
    return stamp
  }

  private static func scan(_ text: Span<UInt8>, _ i: inout Int) -> LogStamp? {
    guard let first = digits(text, at: &i) else { return nil }
    switch i < text.count ? text[i] : 0 {
    case 0x2D where first.count == 4, 0x2F where first.count == 4:  // "-", "/"
      guard let days = date(text, year: first.value, at: &i) else { return nil }
      return dateTime(text, days: days, at: &i)
    case 0x3A:  // ":"
      return clock(text, hour: first.value, at: &i).map { .timeOfDay($0) }
    default:
      // 9,000,000,000 s after 1970 is in the year 2255. Larger numbers would not fit 64-bit nanoseconds.
      guard first.value <= 9_000_000_000 else { return nil }
      return .seconds(first.value * second + fraction(text, at: &i))
    }
  }

  private static func dateTime(_ text: Span<UInt8>, days: Int64, at i: inout Int) -> LogStamp? {
    let afterDate = i
    if i < text.count, text[i] == 0x54 || text[i] == 0x74 || text[i] == 0x5F {  // "T", "t", "_"
      i += 1
    } else {
      i = text.skippingBlanks(from: i)
    }
    guard i > afterDate, let hour = digits(text, at: &i), let time = clock(text, hour: hour.value, at: &i) else {
      return nil
    }
    return .wall(days * day + time - zone(text, at: &i))
  }

  /// Reads month and day, `-07-10` or `/07/10`, after the year. Returns the number of days since 1970-01-01; `nil` if
  /// the date is invalid.
  private static func date(_ text: Span<UInt8>, year: Int64, at i: inout Int) -> Int64? {
    let separator = text[i]
    i += 1
    guard let month = digits(text, at: &i), (1...12) ~= month.value, i < text.count, text[i] == separator else {
      return nil
    }
    i += 1
    guard let day = digits(text, at: &i), day.count <= 2, (1...31) ~= day.value, (1970...2261) ~= year else {
      return nil
    }
    return daysSinceEpoch(year: year, month: month.value, day: day.value)
  }

  /// Reads minutes and seconds, `:57:32.249713`, after the hour. Returns the time since midnight, ns; `nil` if it is
  /// invalid. Seconds are optional, and `,` may replace the decimal point.
  private static func clock(_ text: Span<UInt8>, hour: Int64, at i: inout Int) -> Int64? {
    guard (0...23) ~= hour, i < text.count, text[i] == 0x3A else { return nil }
    i += 1
    guard let minute = digits(text, at: &i), minute.count == 2, (0...59) ~= minute.value else { return nil }
    var seconds = (hour * 60 + minute.value) * 60
    var nanoseconds: Int64 = 0
    if i < text.count, text[i] == 0x3A {
      var next = i + 1
      guard let second = digits(text, at: &next), second.count == 2, (0...60) ~= second.value else { return nil }
      seconds += second.value
      i = next
      nanoseconds = fraction(text, at: &i)
    }
    return seconds * second + nanoseconds
  }

  /// Reads a time zone such as `Z`, `+02:00` or `-0500`. Returns the offset from UTC in ns, positive to the east; 0
  /// without a zone.
  private static func zone(_ text: Span<UInt8>, at i: inout Int) -> Int64 {
    guard i < text.count else { return 0 }
    if text[i] == 0x5A || text[i] == 0x7A {
      i += 1
      return 0
    }
    guard text[i] == 0x2B || text[i] == 0x2D else { return 0 }
    var next = i + 1
    guard var hours = digits(text, at: &next) else { return 0 }
    var minutes: Int64 = 0
    if hours.count == 4 {
      minutes = hours.value % 100
      hours.value /= 100
    } else if hours.count == 2, next < text.count, text[next] == 0x3A {
      next += 1
      guard let more = digits(text, at: &next), more.count == 2 else { return 0 }
      minutes = more.value
    } else {
      return 0
    }
    guard hours.value <= 23, minutes <= 59 else { return 0 }
    let east = (hours.value * 60 + minutes) * 60 * second
    defer { i = next }
    return text[i] == 0x2D ? -east : east
  }

  /// Reads the decimals of the seconds, such as `.249713` or `,412`. Returns ns; 0 if there are none. Digits after the
  /// ninth are ignored.
  private static func fraction(_ text: Span<UInt8>, at i: inout Int) -> Int64 {
    guard i + 1 < text.count, text[i] == 0x2E || text[i] == 0x2C, text[i + 1].isDigit else { return 0 }
    i += 1
    var value: Int64 = 0
    var places = 0
    while i < text.count, text[i].isDigit {
      if places < 9 {
        value = value * 10 + Int64(text[i] - 0x30)
        places += 1
      }
      i += 1
    }
    while places < 9 {
      value *= 10
      places += 1
    }
    return value
  }

  /// Reads a number of decimal digits. Returns its value and how many digits it has; `nil` if it has none or more than
  /// 18.
  static func digits(_ text: Span<UInt8>, at i: inout Int) -> (value: Int64, count: Int)? {
    var value: Int64 = 0
    var next = i
    while next < text.count, text[next].isDigit {
      guard next - i < 18 else { return nil }
      value = value * 10 + Int64(text[next] - 0x30)
      next += 1
    }
    guard next > i else { return nil }
    defer { i = next }
    return (value, next - i)
  }

  /// Returns the days from 1970-01-01 to a date in the Gregorian calendar. The computation begins each year in March,
  /// so that a leap day is the last day of the year.
  private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    let y = month <= 2 ? year - 1 : year
    let era = y / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

/// Converts the times of one log to times of events.
struct LogClock {
  private var base: Int64?
  private var last: Int64 = 0
  private var days: Int64 = 0
  /// Time of the last event, for lines without a time.
  private(set) var now = CaptureTime.none

  /// Smallest time that is taken to count from 1970, ns (March 1973). A smaller time counts from the start of the
  /// capture or of a device.
  static let firstWall: Int64 = 100_000_000 * LogStamp.second

  /// A time of day that is earlier than the previous one by at most this, ns, is on the same day. Lines may be out of
  /// order, because several threads may write a log.
  private static let jitter = 60 * LogStamp.second

  /// Converts a time. A time of day that is earlier than that of the last line is on the next day, unless the lines are
  /// merely out of order.
  mutating func time(_ stamp: LogStamp) -> CaptureTime {
    switch stamp {
    case .wall(let time): now = .wall(time)
    case .seconds(let time): now = time >= Self.firstWall ? .wall(time) : .offset(time)
    case .timeOfDay(let time):
      let start = base ?? time
      if base == nil { last = time }
      if last - time > Self.jitter {
        days += 1
      } else if time - last > LogStamp.day - Self.jitter, days > 0 {
        days -= 1
      }
      base = start
      last = time
      now = .offset(max(0, days * LogStamp.day + time - start))
    }
    return now
  }

  /// Converts a time as ``time(_:)`` does. But if the stamp is a number of seconds that do not count from 1970, the
  /// result is the time since the first stamp of this kind.
  mutating func timeFromFirst(_ stamp: LogStamp) -> CaptureTime {
    guard case .seconds(let time) = stamp, time < Self.firstWall else { return self.time(stamp) }
    let start = base ?? time
    base = start
    now = .offset(max(0, time - start))
    return now
  }
}
