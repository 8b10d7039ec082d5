import GatewayOutput
import OBDWire

/// Counts failures by their kinds, and limits the reports about them. The first failure of a kind is reported
/// immediately. Later failures of this kind are counted and reported together, at most once a minute.
struct FailureCounts {
  /// A kind of failure. Failures of the same kind are counted together.
  enum Kind: Equatable, CustomStringConvertible {
    case wire(WireError.Kind)
    /// The prompt after a command was not received in time.
    case promptLost
    /// Answers were received that belong to earlier commands.
    case outOfStep

    var description: String {
      switch self {
      case .wire(let kind): "\(kind)"
      case .promptLost: "promptLost"
      case .outOfStep: "outOfStep"
      }
    }

    fileprivate static let count = 64

    fileprivate var index: Int {
      switch self {
      case .wire(let kind): Int(kind.rawValue)
      case .promptLost: Self.count - 1
      case .outOfStep: Self.count - 2
      }
    }

    fileprivate init?(index: Int) {
      switch index {
      case Self.count - 1: self = .promptLost
      case Self.count - 2: self = .outOfStep
      default:
        guard let kind = WireError.Kind(rawValue: UInt8(index)) else { return nil }
        self = .wire(kind)
      }
    }
  }

  private var entries = [RateLimitedCount](repeating: RateLimitedCount(), count: Kind.count)
  /// Time at which ``due(at:)`` will return a result, ns since boot; `.max` if no failure waits for a report.
  private(set) var nextReport: Int64 = .max

  /// Counts a failure.
  ///
  /// - Returns: the kind if the caller must report this failure now; otherwise `nil`.
  mutating func count(_ kind: Kind, at time: Int64) -> Kind? {
    // `NO DATA` is not a failure of the link. An unknown command is a quirk of the adapter, which the session reports.
    if kind == .wire(.noData) || kind == .wire(.unknownCommand) { return nil }
    if entries[kind.index].add(at: time) { return kind }
    nextReport = min(nextReport, entries[kind.index].due)
    return nil
  }

  /// Removes and returns a kind whose failures must be reported now, their number, and the time at which the report was
  /// due; `nil` if no report is due.
  mutating func due(at now: Int64) -> (Kind, UInt64, Int64)? {
    guard now >= nextReport else { return nil }
    nextReport = .max
    var found: (Kind, UInt64, Int64)?
    for index in entries.indices {
      if found == nil, let kind = Kind(index: index), let (count, due) = entries[index].popDue(at: now) {
        found = (kind, count, due)
      } else {
        nextReport = min(nextReport, entries[index].due)
      }
    }
    return found
  }
}
