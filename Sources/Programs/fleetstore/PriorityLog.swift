import CSystemd
import CommandLineSupport
import Glibc
import Logging

/// A log on stderr. In systemd's journal, lines begin with their priority (sd-daemon(3)), elsewhere with a word:
///
///     <4>2000 connections: new ones are refused until some end (limits.connections)
///     fleetstore: warning: 2000 connections: new ones are refused until some end (limits.connections)
///
/// Repeated warnings and errors with the same text are counted (``RepeatedLines``).
struct PriorityLog: LogHandler {
  /// Whether stderr is connected to systemd's journal.
  static let isJournal = csystemd_is_journal(STDERR_FILENO) != 0

  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  let repeated: RepeatedLines

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    // Line ends are replaced, so that an entry is always one line, whatever a client has sent.
    let text = String(event.message.description.map { $0.isNewline ? " " : $0 })
    let details = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
      .map { " \($0.key)=\($0.value)" }.joined()
    let line = Self.prefix(event.level, isJournal: Self.isJournal) + text + details
    guard event.level >= .warning else { return StandardError.print(line) }
    for line in repeated.linesToWrite(for: line, at: .now) { StandardError.print(line) }
  }

  static func prefix(_ level: Logger.Level, isJournal: Bool) -> String {
    guard isJournal else {
      return switch level {
      case .trace, .debug: "fleetstore: debug: "
      case .info, .notice: "fleetstore: "
      case .warning: "fleetstore: warning: "
      case .error, .critical: "fleetstore: error: "
      }
    }
    let priority =
      switch level {
      case .trace, .debug: 7
      case .info: 6
      case .notice: 5
      case .warning: 4
      case .error: 3
      case .critical: 2
      }
    return "<\(priority)>"
  }
}
