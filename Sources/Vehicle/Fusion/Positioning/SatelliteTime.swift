import NMEAWire
import Telemetry

/// Derives the date from the fixes of a GNSS receiver, and decides whether to trust it.
///
///     var time = SatelliteTime(notBefore: Version.released)
///     time.fix(fix, at: bootTime, machine: nil)
///     time.offset                                  // ns from 1970 to the start of the boot; nil if unknown
///
/// A date is trusted if it comes from valid fixes and is not before the release of this program, and if ``leastFixes``
/// fixes in a row agree with the boot clock.
///
/// A date before the release has one of two causes. Some receivers have a 10-bit week counter. After it overflows
/// (rollover), their date is 1,024 weeks, or a multiple of it, too early (IS-GPS-200, section 20.3.3.3.1.1). Such a
/// date is corrected if the system clock roughly confirms the result, or if the system clock cannot be trusted. Any
/// other early date is rejected. An example is 2006, which some receivers report before their first fix.
///
/// A fix arrives with a delay that varies with the length of its sentences, so the fix with the shortest delay
/// determines the date. If the receiver's time steps, the new time is accepted after the receiver has reported it for
/// ``proofOfStep``. A step occurs, for example, when a receiver learns the number of leap seconds, which can take a
/// quarter of an hour.
public struct SatelliteTime: ~Copyable {
  /// A change in the knowledge of the date.
  public enum Event: Equatable, Sendable {
    /// The date was unknown and is now known.
    case known
    /// The date was unknown and is now known. The receiver's own date is `count` rollovers (of 1,024 weeks) too early.
    case rolledOver(count: Int)
    /// The date was rejected, because it is before the release of this program or too far from the system clock. This
    /// is reported only once.
    case impossible
    /// The receiver's time has stepped by this many ns (positive if the new time is later), and the new time was
    /// accepted.
    case stepped(by: Int64)
  }

  /// Number of fixes in a row that must agree before their date is trusted.
  public static let leastFixes = 3
  /// If a date is already known, a different date is accepted only after the receiver has reported it for this time,
  /// ns.
  static let proofOfStep: Int64 = 10_000_000_000
  /// Maximum difference between the dates of two fixes that agree, ns. Sentences arrive up to a second late.
  static let tolerance: Int64 = 1_000_000_000
  /// Maximum drift between the receiver's clock and the boot clock, ns per second. A boot clock with a poor crystal can
  /// drift this much.
  static let drift: Int64 = 100_000
  /// Years that are accepted. Dates in other years do not fit in 64-bit nanoseconds, or cannot be right.
  private static let years = 1980...2200
  private static let day: Int64 = 86_400_000_000_000
  private static let rollover: Int64 = 1_024 * 7 * day
  /// The system clock confirms a date if the clock is behind the date by less than this, ns. Without a clock battery, a
  /// system continues with the date of its last shutdown, so its clock may be far behind.
  private static let behind = 400 * day
  /// The system clock confirms a date if the clock is ahead of the date by less than this, ns.
  private static let ahead = day

  /// Time from 1970 to time 0 of the boot clock, ns; `nil` if no date is trusted yet.
  public private(set) var offset: Int64?
  private let notBefore: Int64
  private var candidate: (offset: Int64, count: Int, since: Int64, rollovers: Int)?
  private var lastTime: Int64 = 0
  private var saidImpossible = false
  private var rollovers = 0

  /// Creates a value without a date.
  ///
  /// - Parameter notBefore: earliest plausible date, ns since 1970.
  public init(notBefore: Int64) { self.notBefore = notBefore }

  /// Evaluates a fix.
  ///
  /// - Parameters:
  ///   - time: time at which the first byte of the fix arrived, ns since boot.
  ///   - machine: the system clock at that time, ns since 1970; `nil` if it cannot be trusted.
  /// - Returns: what changed; `nil` if nothing did.
  public mutating func fix(_ fix: Fix, at time: Int64, machine: Int64?) -> Event? {
    guard fix.latitude != nil, let date = fix.date, let ofDay = fix.time else { return nil }
    var right: (moment: Int64, rollovers: Int)?
    if Self.years.contains(date.year) {
      let days = Timestamp.days(year: date.year, month: date.month, day: date.day)
      let said = Int64(days) * Self.day + Int64(ofDay.secondOfDay) * 1_000_000_000 + Int64(ofDay.nanosecond)
      right = corrected(said, machine)
    }
    guard let (moment, count) = right else {
      candidate = nil
      defer { saidImpossible = true }
      return saidImpossible ? nil : .impossible
    }
    let found = moment - time
    defer { lastTime = time }
    if let offset, abs(found - offset) <= Self.tolerance {
      candidate = nil
      follow(found, from: offset, at: time)
      return nil
    }
    return prove(found, rollovers: count, at: time)
  }

  /// Returns the date after correction of rollovers, and the number of rollovers; `nil` if the date is implausible.
  private func corrected(_ said: Int64, _ machine: Int64?) -> (moment: Int64, rollovers: Int)? {
    guard said < notBefore else {
      // A date that is more than 1,024 weeks after the release is implausible.
      return said - notBefore < Self.rollover ? (said, 0) : nil
    }
    let count = (notBefore - said + Self.rollover - 1) / Self.rollover
    let moment = said + count * Self.rollover
    if let machine {
      guard moment - machine < Self.behind, machine - moment < Self.ahead else { return nil }
    }
    return (moment, Int(count))
  }

  /// Updates the offset from a fix that agrees with it. A fix with a shorter delay increases the offset. The offset
  /// decreases only as much as the clocks may have drifted apart since the last fix.
  private mutating func follow(_ found: Int64, from offset: Int64, at time: Int64) {
    let pause = min(max(time - lastTime, 0), 86_400_000_000_000)
    let slack = pause / 1_000_000 * Self.drift / 1_000
    self.offset = found > offset ? found : max(found, offset - slack)
  }

  private mutating func prove(_ found: Int64, rollovers: Int, at time: Int64) -> Event? {
    guard var candidate, abs(candidate.offset - found) <= Self.tolerance else {
      candidate = (found, 1, time, rollovers)
      return nil
    }
    candidate.count += 1
    candidate.offset = max(candidate.offset, found)
    self.candidate = candidate
    guard candidate.count >= Self.leastFixes else { return nil }
    guard let before = offset else {
      offset = candidate.offset
      self.candidate = nil
      return candidate.rollovers > 0 ? .rolledOver(count: candidate.rollovers) : .known
    }
    guard time - candidate.since >= Self.proofOfStep else { return nil }
    offset = candidate.offset
    self.candidate = nil
    return .stepped(by: candidate.offset - before)
  }
}
