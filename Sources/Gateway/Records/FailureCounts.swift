import OBDWire

/// Counts what could not be read, by kind: the first of a kind is said at once, further ones together, once a minute.
struct FailureCounts {
  private struct Entry {
    var count: UInt64 = 0
    /// When the next word about it may be said; `.min`: nothing was said yet.
    var notBefore: Int64 = .min
  }

  static let pause: Int64 = 60_000_000_000
  private var entries = [Entry](repeating: Entry(), count: 64)
  /// When ``due(at:)`` has something; `.max`: never.
  private(set) var nextReport: Int64 = .max

  /// Counts one.
  ///
  /// - Returns: the kind, where it is to be said now.
  mutating func count(_ kind: WireError.Kind, at time: Int64) -> WireError.Kind? {
    // What is not there is no error of the line; what an adapter does not know is a quirk, and the session says so.
    if kind == .noData || kind == .unknownCommand { return nil }
    let index = Int(kind.rawValue)
    guard time >= entries[index].notBefore, entries[index].count == 0 else {
      entries[index].count += 1
      nextReport = min(nextReport, entries[index].notBefore)
      return nil
    }
    entries[index].notBefore = time + Self.pause
    return kind
  }

  /// A kind whose count is to be said, with the count and when it was due; nil: none.
  mutating func due(at now: Int64) -> (WireError.Kind, UInt64, Int64)? {
    guard now >= nextReport else { return nil }
    nextReport = .max
    var found: (WireError.Kind, UInt64, Int64)?
    for index in entries.indices where entries[index].count > 0 {
      if found == nil, now >= entries[index].notBefore, let kind = WireError.Kind(rawValue: UInt8(index)) {
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
