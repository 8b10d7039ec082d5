import FleetDomain
import Telemetry

/// The quality of a row's time, as it is stored in a column. Lower values are better.
enum StoredQuality: UInt8 {
  case gps, ntp, system, unset
  /// The record's time was more than a day later than the server's time at reception. The row has the time of reception
  /// instead, and never counts as the newest record. If the record is sent again with a credible time, that time
  /// replaces the stored one.
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

  /// The quality that clients see.
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

/// The time of a batch's reception, and the limit of credible times that is derived from it.
struct Reception {
  /// Time of reception, ms since 1970.
  let time: Int64
  /// The last credible time, ms since 1970.
  private let limit: Int64

  /// Maximum time by which a gateway's clock may be ahead of the server's, ms. Later times are not credible.
  static let tolerance: Int64 = 86_400_000

  init(at now: Timestamp) {
    time = now.milliseconds
    limit = now.milliseconds + Self.tolerance
  }

  /// Returns the time and the quality that are stored for a record. If the record's own time is not credible, they are
  /// the time of reception and ``StoredQuality/ahead``.
  func place(_ own: Timestamp?, _ quality: TimeQuality) -> (time: Int64, quality: StoredQuality) {
    let column = StoredTime.column(own)
    return column > limit ? (time, .ahead) : (column, StoredQuality(quality))
  }
}
