import Telemetry

/// The date as an offset from the boot clock. Its source shows how reliable it is.
public struct WallTime: Equatable, Sendable {
  /// Time from 1970 to the start of the boot (time 0 of the boot clock), ns; meaningless if `quality` is `unset`.
  public var offset: Int64
  /// Source of the date; `unset` if the date is unknown.
  public var quality: TimeQuality

  /// Creates a date; the parameters are the properties of the same names.
  public init(offset: Int64, quality: TimeQuality) {
    self.offset = offset
    self.quality = quality
  }

  /// An unknown date.
  public static let unknown = WallTime(offset: 0, quality: .unset)

  /// Whether the date is final: it comes from GPS or NTP, so that it will not be corrected any more.
  var isFinal: Bool { rank == 2 }

  fileprivate var rank: Int {
    switch quality {
    case .gps, .ntp: 2
    case .system: 1
    case .unset: 0
    }
  }
}

/// For each boot, the known dates. Each date is stored with the time from which it applies.
///
/// - If a more reliable date becomes known, it applies to the whole boot so far. Therefore, records that were made
///   before the clock was right are also delivered with the right time.
/// - If the clock steps, and the new date is as reliable as the previous date, the new date applies from the time of
///   the step on.
/// - If the date is as reliable as before, and the clock has not stepped, nothing changes. (Linux slews the boot clock
///   and the system clock alike, so that the offset between them changes only in steps.)
/// - If a clock steps repeatedly, for example that of a receiver with wrong dates, only the last ``mostEntries`` steps
///   are stored. Waiting records that are older than these steps get the date of the first stored step.
struct ClockHistory: Equatable {
  /// A date that applies from a certain time of a boot on.
  struct Entry: Equatable {
    /// Time from which the date applies, ns since boot.
    var since: Int64
    var wall: WallTime
  }

  /// If the offsets of two readings of a clock differ by at most this much, the clock has not stepped, ns.
  static let tolerance: Int64 = 10_000_000
  /// If the offsets of two dates of a GPS receiver differ by at most this much, its clock has not stepped, ns. This is
  /// more than ``tolerance``, because the receiver reports dates with a varying delay, and the local clock drifts.
  static let receiverTolerance: Int64 = 500_000_000

  /// Maximum number of entries for one boot.
  static let mostEntries = 64

  /// The entries of each boot in ascending order of their times. The key is the boot's row number. If a boot has no
  /// entries, no date was known in it.
  private(set) var entries: [Int64: [Entry]] = [:]

  /// Returns the date that applies at the time `time` of a boot.
  func wall(boot: Int64, time: Int64) -> WallTime {
    guard let known = entries[boot] else { return .unknown }
    return (known.last { $0.since <= time } ?? known.first)?.wall ?? .unknown
  }

  /// Returns the last date that is known for a boot.
  func latest(boot: Int64) -> WallTime { entries[boot]?.last?.wall ?? .unknown }

  /// Adds an entry that was read from a file. The entries of a boot must be added in the order of their times.
  mutating func restore(_ entry: Entry, boot: Int64) {
    entries[boot, default: []].append(entry)
    if entries[boot, default: []].count > Self.mostEntries { entries[boot]?.removeFirst() }
  }

  /// Adds the date that is known at the time `now` (ns since boot).
  ///
  /// - Returns: whether the dates of any records change.
  mutating func learn(_ wall: WallTime, boot: Int64, at now: Int64) -> Bool {
    guard let last = entries[boot]?.last?.wall else {
      guard wall.quality != .unset else { return false }
      entries[boot] = [Entry(since: .min, wall: wall)]
      return true
    }
    // If a clock has lost its source, it continues from its last date, so nothing changes.
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
    // Each time has only one entry, so remove entries with the same or a later time.
    entries[boot]?.removeAll { $0.since >= now }
    restore(Entry(since: now, wall: wall), boot: boot)
    return true
  }

  /// Removes the entries of a boot. Call this when no records of the boot exist any more.
  mutating func forget(boot: Int64) { entries[boot] = nil }
}
