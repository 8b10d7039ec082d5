import FleetDomain
import Telemetry

/// The quality of a row's time, as stored in a column. Lower values are better.
enum StoredQuality: UInt8 {
  case gps, ntp, system, unset
  /// The time was more than a day ahead of the server's at reception. The row has the time of its reception instead, is
  /// never the newest record, and is replaced by any credible time of a copy.
  case ahead

  init(_ quality: TimeQuality) {
    self =
      switch quality {
      case .gps: .gps
      case .ntp: .ntp
      case .system: .system
      case .unset: .unset
      }
  }

  /// The quality in records.
  var timeQuality: TimeQuality {
    switch self {
    case .gps: .gps
    case .ntp: .ntp
    case .system: .system
    case .unset, .ahead: .unset
    }
  }

  func isBetter(than other: StoredQuality) -> Bool { rawValue < other.rawValue }
}

/// The time at which a batch is received, and the limit of credible times.
struct Reception {
  /// Time of reception, ms since 1970.
  let time: Int64
  /// The last credible time, ms since 1970.
  private let limit: Int64

  /// Largest credible difference by which a gateway's clock is ahead of the server's, ms.
  static let tolerance: Int64 = 86_400_000

  init(at now: Timestamp) {
    time = now.milliseconds
    limit = now.milliseconds + Self.tolerance
  }

  /// Returns the time and the quality to store for a record.
  func place(_ own: Timestamp?, _ quality: TimeQuality) -> (time: Int64, quality: StoredQuality) {
    let column = StoredTime.column(own)
    return column > limit ? (time, .ahead) : (column, StoredQuality(quality))
  }
}
