import Telemetry

/// The month (UTC) in which a record's ID was created, from 2020 to 2099. Earlier and later IDs, which come from wrong
/// clocks, have one value each. Partitions and retention use the month.
public struct IdMonth: Hashable, Comparable, Sendable {
  /// 0: before 2020; 1 to 960: a month; 961: after 2099.
  public let index: Int

  private static let firstYear = 2020
  private static let last = 961
  /// The usual maximum age of IDs in months. Backlogs of gateways are not older.
  private static let usual = 24

  /// Returns `nil` if the index is not 0 to 961.
  public init?(index: Int) {
    guard (0...Self.last).contains(index) else { return nil }
    self.index = index
  }

  public init(of id: UUIDv7) {
    let days = Int(id.milliseconds / 86_400_000)
    let first = Self.startDay(1)
    guard days >= first else {
      index = 0
      return
    }
    guard days < Self.startDay(Self.last) else {
      index = Self.last
      return
    }
    // This estimate assumes 31 days for each month. It is never too late, and at most 16 months too early in 80 years.
    var index = 1 + (days - first) / 31
    while Self.startDay(index + 1) <= days { index += 1 }
    self.index = index
  }

  /// The month of a time.
  public init(at time: Timestamp) {
    self.init(of: UUIDv7(milliseconds: UInt64(max(time.milliseconds, 0)), first: 0, rest: 0))
  }

  /// The last month in which IDs can be created if all clocks are right within a day.
  public static func newest(at now: Timestamp) -> IdMonth {
    let (tomorrow, overflow) = now.nanoseconds.addingReportingOverflow(86_400_000_000_000)
    return IdMonth(at: Timestamp(nanoseconds: overflow ? .max : tomorrow))
  }

  /// Whether IDs of this month are usual at a time: the month began at most a day after it, and is at most two years
  /// old. The values for before 2020 and after 2099 always count as usual.
  public func isUsual(at now: Timestamp) -> Bool {
    let newest = Self.newest(at: now).index
    return index == 0 || index == Self.last || (newest - Self.usual...newest).contains(index)
  }

  /// The first ID of the month, and the first ID after the month; `nil` if there is none.
  public var bounds: (from: UUIDv7?, to: UUIDv7?) {
    (index == 0 ? nil : Self.least(index), index == Self.last ? nil : Self.least(index + 1))
  }

  /// The end of the month; `nil` after 2099.
  public var end: Timestamp? {
    index == Self.last ? nil : Timestamp(nanoseconds: Int64(Self.startDay(index + 1)) * 86_400_000_000_000)
  }

  /// Whether retention up to `cutoff` includes the month: the month ended before `cutoff`, or begins more than a day
  /// after `now`, which means that a clock was wrong.
  public func isOver(by cutoff: Timestamp, at now: Timestamp) -> Bool {
    self > Self.newest(at: now) || end.map { $0 <= cutoff } ?? true
  }

  /// `202611`; `early` before 2020, `late` after 2099.
  public var name: String {
    switch index {
    case 0: return "early"
    case Self.last: return "late"
    default:
      let month = (index - 1) % 12 + 1
      return "\(Self.firstYear + (index - 1) / 12)" + (month < 10 ? "0" : "") + "\(month)"
    }
  }

  public static func < (left: IdMonth, right: IdMonth) -> Bool { left.index < right.index }

  /// The days from 1970 to the first day of a month.
  private static func startDay(_ index: Int) -> Int {
    Timestamp.days(year: firstYear + (index - 1) / 12, month: (index - 1) % 12 + 1, day: 1)
  }

  private static func least(_ index: Int) -> UUIDv7 {
    UUIDv7(milliseconds: UInt64(startDay(index)) * 86_400_000, first: 0, rest: 0)
  }
}
