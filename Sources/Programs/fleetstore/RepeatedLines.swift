import Synchronization

/// Counts repeated lines of a log, so that an error that affects every request is written only once a minute:
///
///     fleetstore: error: storage: fleet.db: database or disk is full (SQLite 13)
///     fleetstore: error: storage: fleet.db: database or disk is full (SQLite 13) (412 more times within 60 s)
final class RepeatedLines: Sendable {
  private struct Line {
    /// The time at which the line was last written.
    var written: ContinuousClock.Instant
    /// The number of repetitions since the line was last written. They were counted instead of written.
    var unwritten = 0
  }

  /// The minimum time from one write of a line to the next.
  static let period = Duration.seconds(60)
  /// The maximum number of lines that are remembered. If there are more, the oldest is forgotten.
  private static let most = 256

  private let lines = Mutex<[String: Line]>([:])

  /// Counts a line.
  ///
  /// - Returns: the lines to write now: this line if it is not a repetition, and counts that are due.
  func linesToWrite(for text: String, at now: ContinuousClock.Instant) -> [String] {
    lines.withLock { lines in
      guard var line = lines[text] else {
        var due: [String] = []
        if lines.count >= Self.most, let oldest = lines.min(by: { $0.value.written < $1.value.written }) {
          lines[oldest.key] = nil
          due = Self.summary(oldest.key, oldest.value, at: now).map { [$0] } ?? []
        }
        lines[text] = Line(written: now)
        return due + [text]
      }
      line.unwritten += 1
      lines[text] = line
      return Self.due(&lines, text, at: now).map { [$0] } ?? []
    }
  }

  /// Returns the counts that are due, and forgets lines that did not occur for a whole period.
  ///
  /// - Parameter isLast: whether to return all counts, because the log ends.
  func flush(at now: ContinuousClock.Instant, isLast: Bool = false) -> [String] {
    lines.withLock { lines in
      Array(lines.keys).sorted().compactMap { text in
        isLast
          ? lines.removeValue(forKey: text).flatMap { Self.summary(text, $0, at: now) }
          : Self.due(&lines, text, at: now)
      }
    }
  }

  private static func due(
    _ lines: inout [String: Line], _ text: String, at now: ContinuousClock.Instant
  ) -> String? {
    guard let line = lines[text], now - line.written >= period else { return nil }
    lines[text] = line.unwritten > 0 ? Line(written: now) : nil
    return summary(text, line, at: now)
  }

  private static func summary(_ text: String, _ line: Line, at now: ContinuousClock.Instant) -> String? {
    guard line.unwritten > 0 else { return nil }
    let times = line.unwritten == 1 ? "1 more time" : "\(line.unwritten) more times"
    return "\(text) (\(times) within \(Int((now - line.written) / .seconds(1))) s)"
  }
}
