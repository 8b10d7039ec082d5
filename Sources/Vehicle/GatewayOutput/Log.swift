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

/// Writes log lines to stderr without blocking, so that a full pipe or a suspended terminal does not delay the daemon.
/// A line that cannot be written within 100 ms is discarded and counted. The next line that is written reports the
/// count.
final class StandardErrorLog: Sendable {
  private let descriptor: Int32
  /// Number of lines that were discarded since a line was last written. The lock is held during a write, so that the
  /// lines of several threads do not mix.
  private let dropped = Mutex(0)
  /// Maximum time to wait for a slow reader, ms. After a line was discarded, each later line is written only if this is
  /// possible without waiting. The log waits again after it has written such a line.
  private static let patience: Int32 = 100
  /// Maximum number of bytes in one call of write(2). A pipe that poll(2) reports as writable accepts this many without
  /// blocking (PIPE_BUF, pipe(7)).
  private static let piece = 4_096

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func write(_ line: String) {
    dropped.withLock { dropped in
      var text = "obdgated: \(line.printable)\n"
      if dropped > 0 { text = "obdgated: lines that nobody read: \(dropped)\n" + text }
      // If the previous line was discarded, do not wait for the reader.
      dropped = send(text, patience: dropped == 0 ? Self.patience : 0) ? 0 : dropped + 1
    }
  }

  /// Writes a text, unless the reader is too slow.
  ///
  /// - Returns: whether the whole text was written.
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
