/// Numbers of records, by the result of storing them.
public struct IngestCounts: Equatable, Sendable {
  public var stored = 0
  public var duplicates = 0
  /// The number of those ``duplicates`` that contained a better (more accurate) time, which replaced the stored time.
  public var improved = 0
  public var refused = 0

  public init() {}

  public init(_ outcomes: some Sequence<IngestOutcome>) {
    for outcome in outcomes {
      switch outcome {
      case .stored: stored += 1
      case .duplicate: duplicates += 1
      case .improved:
        duplicates += 1
        improved += 1
      case .refused: refused += 1
      }
    }
  }

  public static func += (counts: inout IngestCounts, more: IngestCounts) {
    counts.stored += more.stored
    counts.duplicates += more.duplicates
    counts.improved += more.improved
    counts.refused += more.refused
  }
}
