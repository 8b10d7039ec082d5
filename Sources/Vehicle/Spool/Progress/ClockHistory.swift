import Telemetry

/// The date at boot time 0, and how reliable it is.
public struct WallTime: Equatable, Sendable {
  /// ns from 1970 to boot time 0; meaningless if `quality` is `unset`.
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

  /// Whether the date is final: it comes from GPS or NTP.
  var isFinal: Bool { rank == 2 }

  fileprivate var rank: Int {
    switch quality {
    case .gps, .ntp: 2
    case .system: 1
    case .unset: 0
    }
  }
}

/// The date's history in each boot.
///
/// - A more reliable date applies to the whole boot so far: records made before the clock was right are delivered with
///   the right time.
/// - A step of an equally reliable clock applies from then on.
/// - An equally reliable clock without a step changes nothing. (The offset between the two clocks changes only in
///   steps, because Linux slews both alike.)
/// - If a clock keeps stepping (a receiver with wrong dates), only the last ``mostEntries`` steps are kept. Older
///   records that still wait get the date of the first of these.
struct ClockHistory: Equatable {
  /// A date that applies from a moment of the boot on.
  struct Entry: Equatable {
    /// Boot time, ns.
    var since: Int64
    var wall: WallTime
  }

  /// Largest difference between two readings that is not a step, ns.
  static let tolerance: Int64 = 10_000_000
  /// Largest difference between two dates of a GPS receiver that is not a step, ns. The receiver reports dates with a
  /// varying delay, and the local clock drifts.
  static let receiverTolerance: Int64 = 500_000_000

  /// Maximum number of entries for one boot.
  static let mostEntries = 64

  /// Entries by the boot's row, ascending by time. A boot without entries had no date.
  private(set) var entries: [Int64: [Entry]] = [:]

  /// Returns the date that applies to a moment of a boot.
  func wall(boot: Int64, time: Int64) -> WallTime {
    guard let known = entries[boot] else { return .unknown }
    return (known.last { $0.since <= time } ?? known.first)?.wall ?? .unknown
  }

  /// Returns the latest date of a boot.
  func latest(boot: Int64) -> WallTime { entries[boot]?.last?.wall ?? .unknown }

  /// Adds a stored entry; the entries of a boot must be added in the order of their time.
  mutating func restore(_ entry: Entry, boot: Int64) {
    entries[boot, default: []].append(entry)
    if entries[boot, default: []].count > Self.mostEntries { entries[boot]?.removeFirst() }
  }

  /// Adds a reading of the clock at `now`.
  ///
  /// - Returns: whether it changes anything.
  mutating func learn(_ wall: WallTime, boot: Int64, at now: Int64) -> Bool {
    guard let last = entries[boot]?.last?.wall else {
      guard wall.quality != .unset else { return false }
      entries[boot] = [Entry(since: .min, wall: wall)]
      return true
    }
    // A clock that loses its source continues from its last date.
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
    // Replace earlier entries of the same moment; each moment has one.
    entries[boot]?.removeAll { $0.since >= now }
    restore(Entry(since: now, wall: wall), boot: boot)
    return true
  }

  /// Removes a boot that has no records.
  mutating func forget(boot: Int64) { entries[boot] = nil }
}
