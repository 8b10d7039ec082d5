import FleetDomain
import Telemetry

/// How good the time of a row is, as its column holds it; the lower the better.
enum StoredQuality: UInt8 {
  case gps, ntp, system, unset
  /// More than a day ahead of the server when it was received. The row has the time of its reception instead, is never
  /// the newest of anything, and takes any credible time that a copy brings.
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

  /// As records say it.
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

/// When a batch is received, and which times are credible then.
struct Reception {
  /// ms
  let time: Int64
  /// The last credible time, ms.
  private let limit: Int64

  /// How far ahead of the server's clock a gateway's may be, ms.
  static let tolerance: Int64 = 86_400_000

  init(at now: Timestamp) {
    time = now.milliseconds
    limit = now.milliseconds + Self.tolerance
  }

  /// The time and quality under which a record is kept.
  func place(_ own: Timestamp?, _ quality: TimeQuality) -> (time: Int64, quality: StoredQuality) {
    let column = StoredTime.column(own)
    return column > limit ? (time, .ahead) : (column, StoredQuality(quality))
  }
}
