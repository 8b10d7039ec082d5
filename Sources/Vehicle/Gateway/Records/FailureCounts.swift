import OBDWire

/// Counts what could not be read, by kind: the first of a kind is said at once, further ones together, once a minute.
struct FailureCounts {
  /// What is counted together.
  enum Kind: Equatable, CustomStringConvertible {
    case wire(WireError.Kind)
    /// A command's prompt did not come in time.
    case promptLost
    /// Answers were those of the commands before.
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
  /// When ``due(at:)`` has something; `.max`: never.
  private(set) var nextReport: Int64 = .max

  /// Counts one.
  ///
  /// - Returns: the kind, where it is to be said now.
  mutating func count(_ kind: Kind, at time: Int64) -> Kind? {
    // What is not there is no error of the line; what an adapter does not know is a quirk, and the session says so.
    if kind == .wire(.noData) || kind == .wire(.unknownCommand) { return nil }
    if entries[kind.index].add(at: time) { return kind }
    nextReport = min(nextReport, entries[kind.index].due)
    return nil
  }

  /// A kind whose count is to be said, with the count and when it was due; nil: none.
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
