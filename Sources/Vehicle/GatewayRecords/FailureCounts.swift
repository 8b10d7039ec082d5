import GatewayOutput
import OBDWire

/// Counts failures by kind, and limits the reports about them. The first failure of a kind is reported at once; later
/// ones are counted and reported together, once a minute.
struct FailureCounts {
  /// A kind of failure. Failures of the same kind are counted together.
  enum Kind: Equatable, CustomStringConvertible {
    case wire(WireError.Kind)
    /// The prompt after a command was not read in time.
    case promptLost
    /// Answers belonged to earlier commands.
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
  /// Time at which ``due(at:)`` will return a result; `.max` for never.
  private(set) var nextReport: Int64 = .max

  /// Counts a failure.
  ///
  /// - Returns: the kind if this failure must be reported at once; otherwise `nil`.
  mutating func count(_ kind: Kind, at time: Int64) -> Kind? {
    // `NO DATA` is no failure of the link. An unknown command is a quirk of the adapter, which the session reports.
    if kind == .wire(.noData) || kind == .wire(.unknownCommand) { return nil }
    if entries[kind.index].add(at: time) { return kind }
    nextReport = min(nextReport, entries[kind.index].due)
    return nil
  }

  /// Removes and returns one kind whose failures are to be reported, with their number and the time at which the report
  /// was due; `nil` if there is none.
  mutating func due(at now: Int64) -> (Kind, UInt64, Int64)? {
    guard now >= nextReport else { return nil }
    nextReport = .max
    var found: (Kind, UInt64, Int64)?
    for index in entries.indices {
      if found == nil, let kind = Kind(index: index), let (count, due) = entries[index].take(at: now) {
        found = (kind, count, due)
      } else {
        nextReport = min(nextReport, entries[index].due)
      }
    }
    return found
  }
}
