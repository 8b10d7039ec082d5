import NMEAWire
import Telemetry

/// What date a receiver's fixes say it is, and whether that may be believed.
///
///     var time = SatelliteTime(notBefore: Version.released)
///     time.fix(fix, at: bootTime, machine: nil)
///     time.offset                                  // ns from 1970 to the boot clock's 0; nil: not known
///
/// Believed is a date of valid fixes that is not before the day on which this program was made, once ``leastFixes`` of
/// them in a row agree with the boot clock. An earlier date is one of two things. A receiver that counts its weeks with
/// ten bits and is past its rollover is 1,024 weeks or a multiple behind (IS-GPS-200, 20.3.3.3.1.1): its date is put
/// right where the machine's own clock says about the same, or says nothing. Everything else (2006, as receivers say when
/// they have never seen the sky) is no date.
///
/// A fix arrives some time after its moment, sooner or later by the length of its sentences: the earliest counts. A step
/// of the receiver's time (leap seconds that it learns only after a quarter of an hour) is followed once it has lasted.
public struct SatelliteTime: ~Copyable {
  /// What there is to say.
  public enum News: Equatable, Sendable {
    /// The date is known from now on.
    case known
    /// It is known, and the receiver is so many rollovers behind.
    case rolledOver(count: Int)
    /// The date cannot be: before this program was made, or too far from what the machine says. Said once.
    case impossible
    /// The receiver's time was another for a while, and now counts: so many ns later than before.
    case stepped(by: Int64)
  }

  /// Fixes in a row that must agree.
  public static let leastFixes = 3
  /// … over at least this time where a date was known before.
  static let proofOfStep: Int64 = 10_000_000_000
  /// How far two fixes' arrivals may differ and agree: a receiver's sentences come up to a second late.
  static let tolerance: Int64 = 1_000_000_000
  /// How fast two clocks may drift apart, ns in a second: what a bad crystal does.
  static let drift: Int64 = 100_000
  /// What no receiver can mean does not fit 64 bits of nanoseconds either.
  private static let years = 1980...2200
  private static let day: Int64 = 86_400_000_000_000
  private static let rollover: Int64 = 1_024 * 7 * day
  /// A machine without a battery keeps the date of its last shutdown: it may be behind, hardly ahead.
  private static let behind = 400 * day
  private static let ahead = day

  /// ns from 1970 to the boot clock's 0; nil: no date is believed yet.
  public private(set) var offset: Int64?
  private let notBefore: Int64
  private var candidate: (offset: Int64, count: Int, since: Int64, rollovers: Int)?
  private var lastTime: Int64 = 0
  private var saidImpossible = false
  private var rollovers = 0

  /// - Parameter notBefore: ns since 1970; no right date is earlier.
  public init(notBefore: Int64) { self.notBefore = notBefore }

  /// Takes a fix.
  ///
  /// - Parameters:
  ///   - time: when its first byte came, ns on the boot clock.
  ///   - machine: what the machine's own clock says then, ns since 1970; nil where that is not to be believed either.
  public mutating func fix(_ fix: Fix, at time: Int64, machine: Int64?) -> News? {
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

  /// The date that the receiver means; nil where it cannot be.
  private func corrected(_ said: Int64, _ machine: Int64?) -> (moment: Int64, rollovers: Int)? {
    guard said < notBefore else {
      // No rollover is that far ahead.
      return said - notBefore < Self.rollover ? (said, 0) : nil
    }
    let count = (notBefore - said + Self.rollover - 1) / Self.rollover
    let moment = said + count * Self.rollover
    if let machine {
      guard moment - machine < Self.behind, machine - moment < Self.ahead else { return nil }
    }
    return (moment, Int(count))
  }

  /// Keeps the earliest arrival, and lets it go slowly: the crystals drift.
  private mutating func follow(_ found: Int64, from offset: Int64, at time: Int64) {
    let pause = min(max(time - lastTime, 0), 86_400_000_000_000)
    let slack = pause / 1_000_000 * Self.drift / 1_000
    self.offset = found > offset ? found : max(found, offset - slack)
  }

  private mutating func prove(_ found: Int64, rollovers: Int, at time: Int64) -> News? {
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
