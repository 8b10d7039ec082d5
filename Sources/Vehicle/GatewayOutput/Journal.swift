import CSystemd
import Glibc
import Telemetry

/// Severity of a log line; the raw values are those of syslog(3).
public enum LogLevel: Int, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
}

/// A field of a log line. `journalctl` can select lines by the field's name and value.
package struct JournalField: Sendable, Equatable {
  package enum Name: String, Sendable {
    case device = "OBDGATE_DEVICE"
    case event = "OBDGATE_EVENT"
    case reason = "OBDGATE_REASON"
    case sink = "OBDGATE_SINK"
  }

  package let name: Name
  package let value: String

  package init(_ name: Name, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// systemd's journal, which the log uses if stderr is connected to it. Its entries have a severity and fields.
struct Journal: Sendable {
  private let descriptor: Int32

  /// Opens the journal; `nil` if stderr is not connected to it.
  init?() {
    descriptor = csystemd_journal_open(STDERR_FILENO)
    guard descriptor >= 0 else { return nil }
  }

  /// Writes a log line.
  ///
  /// - Returns: whether the journal has accepted the line.
  func write(_ line: String, _ importance: LogLevel, _ fields: [JournalField]) -> Bool {
    var entry = Self.field("MESSAGE", line) + Self.field("PRIORITY", "\(importance.rawValue)")
    entry += Self.field("SYSLOG_IDENTIFIER", "obdgated")
    for field in fields { entry += Self.field(field.name.rawValue, field.value) }
    return unsafe csystemd_journal_send(descriptor, entry, entry.count) == 0
  }

  /// Returns a field as one text line. A line feed in the value is escaped, because it would begin another field.
  private static func field(_ name: String, _ value: String) -> [UInt8] { Array("\(name)=\(value.printable)\n".utf8) }
}
