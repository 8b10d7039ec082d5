import Telemetry

/// What date it was at the boot clock's 0, and how that is known.
public struct WallTime: Equatable, Sendable {
  /// ns from 1970 to the boot clock's 0; without meaning where `quality` is `unset`.
  public var offset: Int64
  /// Where it is known from; `unset`: it is not.
  public var quality: TimeQuality

  public init(offset: Int64, quality: TimeQuality) {
    self.offset = offset
    self.quality = quality
  }

  /// The date is not known.
  public static let unknown = WallTime(offset: 0, quality: .unset)

  /// Whether what is known can still turn out to be wrong: what GPS or NTP gave is not doubted any more.
  var isFinal: Bool { rank == 2 }

  fileprivate var rank: Int {
    switch quality {
    case .gps, .ntp: 2
    case .system: 1
    case .unset: 0
    }
  }
}

/// What is known of the date in each boot, from when on.
///
/// - What is better known holds for the whole boot so far: records made before the clock was right leave with the right
///   time.
/// - A step of a clock that is no better known than before holds from then on.
/// - One that is known no better and says the same is nothing new. (The distance between the two clocks changes in
///   steps only: Linux slews both alike.)
/// - Of a clock that steps all the time (a receiver that lies about the date) the last ``mostEntries`` steps are known;
///   records from before that still wait leave with the time of the first of them.
struct ClockBook: Equatable {
  /// From a moment of the boot on.
  struct Entry: Equatable {
    /// Boot time, ns.
    var since: Int64
    var wall: WallTime
  }

  /// Two readings of the clocks may lie so far apart, ns.
  static let tolerance: Int64 = 10_000_000
  /// The same of two dates that a receiver gave: it says them late, now more and now less, and our clock drifts against
  /// its own.
  static let receiverTolerance: Int64 = 500_000_000

  /// So much is known of one boot.
  static let mostEntries = 64

  /// By the number of the boot, ascending by time; a boot without an entry had no clock.
  private(set) var entries: [Int64: [Entry]] = [:]

  /// What is known of a moment.
  func wall(boot: Int64, time: Int64) -> WallTime {
    guard let known = entries[boot] else { return .unknown }
    return (known.last { $0.since <= time } ?? known.first)?.wall ?? .unknown
  }

  /// What is known of now.
  func latest(boot: Int64) -> WallTime { entries[boot]?.last?.wall ?? .unknown }

  /// Takes in what a stored row says; rows of a boot in the order of their time.
  mutating func restore(_ entry: Entry, boot: Int64) {
    entries[boot, default: []].append(entry)
    if entries[boot, default: []].count > Self.mostEntries { entries[boot]?.removeFirst() }
  }

  /// Takes in what the clocks say at `now`.
  ///
  /// - Returns: whether that is new.
  mutating func learn(_ wall: WallTime, boot: Int64, at now: Int64) -> Bool {
    guard let last = entries[boot]?.last?.wall else {
      guard wall.quality != .unset else { return false }
      entries[boot] = [Entry(since: .min, wall: wall)]
      return true
    }
    // A clock that is not kept any more goes on from where it was.
    guard wall.quality != .unset else { return false }
    let (difference, overflow) = wall.offset.subtractingReportingOverflow(last.offset)
    let tolerance = wall.quality == .gps && last.quality == .gps ? Self.receiverTolerance : Self.tolerance
    let isStep = overflow || difference.magnitude > UInt64(tolerance)
    if wall.rank > last.rank {
      let better = (entries[boot] ?? []).filter { $0.wall.rank >= wall.rank }
      entries[boot] = better.isEmpty ? [Entry(since: .min, wall: wall)] : better + [Entry(since: now, wall: wall)]
      return true
    }
    guard isStep else { return false }
    // What was said of this same moment is corrected: each has one entry.
    entries[boot]?.removeAll { $0.since >= now }
    restore(Entry(since: now, wall: wall), boot: boot)
    return true
  }

  /// Forgets a boot of which no record is left.
  mutating func forget(boot: Int64) { entries[boot] = nil }
}
