import OBDWire

/// Counts what could not be read, by kind: the first of a kind is said at once, further ones together, once a minute.
struct FailureCounts {
  /// What is counted together.
  enum Kind: Equatable, CustomStringConvertible {
    case wire(WireError.Kind)
    /// A command's prompt did not come in time.
    case promptLost

    var description: String {
      switch self {
      case .wire(let kind): "\(kind)"
      case .promptLost: "promptLost"
      }
    }

    fileprivate static let count = 64

    fileprivate var index: Int {
      switch self {
      case .wire(let kind): Int(kind.rawValue)
      case .promptLost: Self.count - 1
      }
    }

    fileprivate init?(index: Int) {
      if index == Self.count - 1 {
        self = .promptLost
      } else {
        guard let kind = WireError.Kind(rawValue: UInt8(index)) else { return nil }
        self = .wire(kind)
      }
    }
  }

  private struct Entry {
    var count: UInt64 = 0
    /// When the next word about it may be said; `.min`: nothing was said yet.
    var notBefore: Int64 = .min
  }

  static let pause: Int64 = 60_000_000_000
  private var entries = [Entry](repeating: Entry(), count: Kind.count)
  /// When ``due(at:)`` has something; `.max`: never.
  private(set) var nextReport: Int64 = .max

  /// Counts one.
  ///
  /// - Returns: the kind, where it is to be said now.
  mutating func count(_ kind: Kind, at time: Int64) -> Kind? {
    // What is not there is no error of the line; what an adapter does not know is a quirk, and the session says so.
    if kind == .wire(.noData) || kind == .wire(.unknownCommand) { return nil }
    let index = kind.index
    guard time >= entries[index].notBefore, entries[index].count == 0 else {
      entries[index].count += 1
      nextReport = min(nextReport, entries[index].notBefore)
      return nil
    }
    entries[index].notBefore = time + Self.pause
    return kind
  }

  /// A kind whose count is to be said, with the count and when it was due; nil: none.
  mutating func due(at now: Int64) -> (Kind, UInt64, Int64)? {
    guard now >= nextReport else { return nil }
    nextReport = .max
    var found: (Kind, UInt64, Int64)?
    for index in entries.indices where entries[index].count > 0 {
      if found == nil, now >= entries[index].notBefore, let kind = Kind(index: index) {
        found = (kind, entries[index].count, entries[index].notBefore)
        entries[index].count = 0
        entries[index].notBefore = now == .max ? .max : now + Self.pause
      } else {
        nextReport = min(nextReport, entries[index].notBefore)
      }
    }
    return found
  }
}
