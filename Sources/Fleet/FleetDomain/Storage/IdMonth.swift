import Telemetry

/// The month (UTC) in which a record's ID was created, from 2020 to 2099. All IDs from before 2020 have one common
/// value, and all from after 2099 another; both come from wrong clocks. Partitions and retention use the month.
public struct IdMonth: Hashable, Comparable, Sendable {
  /// The number of the month, 1 to 960; 0 for all times before 2020, 961 for all after 2099.
  public let index: Int

  private static let firstYear = 2020
  private static let last = 961
  /// An ID counts as usual if it is at most this old, in months. Gateways rarely have an older backlog.
  private static let usual = 24

  /// Creates a month from its number; `nil` if it is not 0 to 961.
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
    // The estimate assumes 31 days for each month. It is never later than the right month, and over 80 years at most 16
    // months earlier.
    var index = 1 + (days - first) / 31
    while Self.startDay(index + 1) <= days { index += 1 }
    self.index = index
  }

  /// Creates the month that contains a time.
  public init(at time: Timestamp) {
    self.init(of: UUIDv7(milliseconds: UInt64(max(time.milliseconds, 0)), first: 0, rest: 0))
  }

  /// Returns the last month in which a gateway can create IDs if no clock is wrong by more than a day.
  public static func newest(at now: Timestamp) -> IdMonth {
    let (tomorrow, overflow) = now.nanoseconds.addingReportingOverflow(86_400_000_000_000)
    return IdMonth(at: Timestamp(nanoseconds: overflow ? .max : tomorrow))
  }

  /// Whether IDs that were created in this month are usual at a time. The month must be at most two years old, and must
  /// not begin more than a day after that time. The two values for times before 2020 and after 2099 always count as
  /// usual.
  public func isUsual(at now: Timestamp) -> Bool {
    let newest = Self.newest(at: now).index
    return index == 0 || index == Self.last || (newest - Self.usual...newest).contains(index)
  }

  /// The first ID of the month, and the first ID after the month. `from` is `nil` for the value before 2020; `to` is
  /// `nil` for the value after 2099.
  public var bounds: (from: UUIDv7?, to: UUIDv7?) {
    (index == 0 ? nil : Self.least(index), index == Self.last ? nil : Self.least(index + 1))
  }

  /// The time at which the month ends; `nil` for the value after 2099.
  public var end: Timestamp? {
    index == Self.last ? nil : Timestamp(nanoseconds: Int64(Self.startDay(index + 1)) * 86_400_000_000_000)
  }

  /// Whether retention may remove records of the month: the month ended before `cutoff`, or begins more than a day
  /// after `now`. Only a wrong clock can cause the second case.
  public func isOver(by cutoff: Timestamp, at now: Timestamp) -> Bool {
    self > Self.newest(at: now) || end.map { $0 <= cutoff } ?? true
  }

  /// The name of the month, for example `202611`; `early` for before 2020, `late` for after 2099.
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

  /// Returns the number of days from 1970-01-01 to the first day of a month.
  private static func startDay(_ index: Int) -> Int {
    Timestamp.days(year: firstYear + (index - 1) / 12, month: (index - 1) % 12 + 1, day: 1)
  }

  private static func least(_ index: Int) -> UUIDv7 {
    UUIDv7(milliseconds: UInt64(startDay(index)) * 86_400_000, first: 0, rest: 0)
  }
}
