import CSystemd
import Glibc
import Telemetry

/// How much a line for people matters, as syslog(3) counts.
public enum LogLevel: Int, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
}

/// What a line for people is about, by the name that `journalctl` shows it under.
struct JournalField: Sendable, Equatable {
  enum Name: String, Sendable {
    case device = "OBDGATE_DEVICE"
    case event = "OBDGATE_EVENT"
    case reason = "OBDGATE_REASON"
    case sink = "OBDGATE_SINK"
  }

  let name: Name
  let value: String

  init(_ name: Name, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// systemd's journal, where stderr is connected to it: lines go there with their importance and with fields.
struct Journal: Sendable {
  private let descriptor: Int32

  /// Nil: stderr goes elsewhere.
  init?() {
    descriptor = csystemd_journal_open(STDERR_FILENO)
    guard descriptor >= 0 else { return nil }
  }

  /// - Returns: false where the journal does not take it now.
  func write(_ line: String, _ importance: LogLevel, _ fields: [JournalField]) -> Bool {
    var entry = Self.field("MESSAGE", line) + Self.field("PRIORITY", "\(importance.rawValue)")
    entry += Self.field("SYSLOG_IDENTIFIER", "obdgated")
    for field in fields { entry += Self.field(field.name.rawValue, field.value) }
    return unsafe csystemd_journal_send(descriptor, entry, entry.count) == 0
  }

  /// A field is one line: a line end in its value would begin another field, and is escaped.
  private static func field(_ name: String, _ value: String) -> [UInt8] { Array("\(name)=\(value.printable)\n".utf8) }
}
