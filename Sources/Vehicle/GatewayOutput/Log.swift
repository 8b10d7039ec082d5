import Glibc
import Synchronization
import Telemetry

/// The log of the daemon: systemd's journal if stderr is connected to it, otherwise stderr.
public enum Log {
  private static let journal = Journal()
  private static let standardError = StandardErrorLog(STDERR_FILENO)

  /// Whether log lines go to systemd's journal.
  package static var isJournal: Bool { journal != nil }

  /// Writes a log line.
  public static func write(_ line: String, _ level: LogLevel = .notice) { write(line, level, []) }

  /// Writes a log line with fields for `journalctl`.
  package static func write(_ line: String, _ level: LogLevel, _ fields: [JournalField]) {
    if let journal, journal.write(line, level, fields) { return }
    standardError.write(line)
  }
}

/// Writes log lines to stderr without blocking, so that a full pipe or a stopped terminal does not delay the daemon. A
/// line that cannot be written within a moment is dropped and counted. The next line reports the count.
final class StandardErrorLog: Sendable {
  private let descriptor: Int32
  /// Number of lines that were dropped since a line was last written. The lock is held during a write, so that lines do
  /// not mix.
  private let dropped = Mutex(0)
  /// Maximum time to wait for a slow reader, ms. Once a line has been dropped, the log does not wait for later lines,
  /// until one can be written at once.
  private static let patience: Int32 = 100
  /// Number of bytes that are written at once. If poll(2) reports a pipe as writable, it accepts this many without
  /// blocking (pipe(7), PIPE_BUF).
  private static let piece = 4_096

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func write(_ line: String) {
    dropped.withLock { dropped in
      var text = "obdgated: \(line.printable)\n"
      if dropped > 0 { text = "obdgated: lines that nobody read: \(dropped)\n" + text }
      // After a line was dropped, do not wait for the reader again until a line could be written.
      dropped = send(text, patience: dropped == 0 ? Self.patience : 0) ? 0 : dropped + 1
    }
  }

  /// Writes a text completely, unless the reader is too slow.
  ///
  /// - Returns: `false` if it was not written completely.
  private func send(_ text: String, patience: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&waiting, 1, patience) > 0 else { return false }
      let piece = min(bytes.count, Self.piece)
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, piece) }
      if count < 0, errno == EINTR { continue }
      // stderr is closed.
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}
