import Telemetry

/// A part of the week in which the vehicles of a fleet are used.
public struct WorkingHours: NestedValue, Sendable {
  public enum Weekday: String, FieldChoice, Sendable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// The weekday of a date.
    public init(of date: CalendarDate) {
      // 1970-01-01 was a Thursday.
      self = Self.allCases[((date.dayNumber + 3) % 7 + 7) % 7]
    }
  }

  public var days: [Weekday] = []
  /// Local time at the start, from `00:00` to `24:00`.
  public var from = "00:00"
  /// Local time at the end, from `00:00` to `24:00`; later than ``from``.
  public var to = "24:00"

  public init() {}

  public init(_ days: [Weekday], from: String, to: String) { (self.days, self.from, self.to) = (days, from, to) }

  public static let fields: [Field<WorkingHours>] = [
    Field("days", \.days) { days throws(FieldError) in
      guard !days.isEmpty, Set(days).count == days.count else {
        throw FieldError("", "expected at least one day, each once")
      }
    }.required(),
    Field("from", \.from, isClock).required(), Field("to", \.to, isClock).required(),
  ]

  private static let isClock: @Sendable (String) throws(FieldError) -> Void = { text throws(FieldError) in
    if seconds(text) == nil { throw FieldError("", "expected a time from 00:00 to 24:00") }
  }

  public func check() throws(FieldError) {
    guard let from = Self.seconds(from), let to = Self.seconds(to), from < to else {
      throw FieldError("to", "expected a time after from")
    }
  }

  /// Parses a time of day, such as `08:30`.
  ///
  /// - Returns: the time since midnight, s; `nil` for any other text.
  private static func seconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"), let hours = Int64(text.prefix(2)),
      let minutes = Int64(text.suffix(2)), bytes[0] != UInt8(ascii: "+"), bytes[0] != UInt8(ascii: "-"),
      bytes[3] != UInt8(ascii: "+"), bytes[3] != UInt8(ascii: "-"), (0...59).contains(minutes),
      (0...24).contains(hours), hours < 24 || minutes == 0
    else { return nil }
    return hours * 3_600 + minutes * 60
  }

  /// Returns for how many seconds of a day vehicles are expected to be used. If clocks are changed within the working
  /// hours, the result is usually an hour longer or shorter. Overlapping parts count once.
  ///
  /// - Parameter hours: the parts of the week; if there are none, the whole day counts.
  public static func seconds(_ hours: [WorkingHours], on date: CalendarDate, in zone: ZoneRules) -> Int64 {
    guard !hours.isEmpty else { return (zone.start(of: date.next) - zone.start(of: date)) / 1_000 }
    let today = Weekday(of: date)
    let parts = hours.filter { $0.days.contains(today) }.compactMap { part -> (from: Int64, to: Int64)? in
      guard let from = seconds(part.from), let to = seconds(part.to), from < to else { return nil }
      let end = to == 86_400 ? zone.time(0, on: date.next) : zone.time(to, on: date)
      return (zone.time(from, on: date).milliseconds, end.milliseconds)
    }.sorted { $0.from < $1.from }
    var (sum, counted) = (Int64(0), Int64.min)
    for part in parts {
      sum += max(part.to - max(part.from, counted), 0)
      counted = max(counted, part.to)
    }
    return sum / 1_000
  }
}
