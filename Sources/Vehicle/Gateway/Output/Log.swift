import Glibc
import Synchronization
import Telemetry

/// The log of the daemon: systemd's journal if stderr is connected to it, otherwise stderr.
public enum Log {
  private static let journal = Journal()
  private static let standardError = StandardErrorLog(STDERR_FILENO)

  /// Whether lines go to systemd's journal.
  static var isJournal: Bool { journal != nil }

  /// Writes a line.
  public static func write(_ line: String, _ level: LogLevel = .notice) { write(line, level, []) }

  /// Writes a line with fields for `journalctl`.
  static func write(_ line: String, _ level: LogLevel, _ fields: [JournalField]) {
    if let journal, journal.write(line, level, fields) { return }
    standardError.write(line)
  }
}

/// Lines for people who may not be reading: a full pipe or a stopped terminal must not hold the daemon up. What finds no
/// room in a moment is dropped, counted, and told of with the next line that does.
final class StandardErrorLog: Sendable {
  private let descriptor: Int32
  /// Lines dropped since the last that was written. Locked while writing: lines do not mix.
  private let dropped = Mutex(0)
  /// How long a reader that was quick so far is waited for, ms.
  private static let patience: Int32 = 100
  /// A pipe that poll(2) calls writable takes so many bytes at once without blocking (pipe(7), PIPE_BUF).
  private static let piece = 4_096

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func write(_ line: String) {
    dropped.withLock { dropped in
      var text = "obdgated: \(line.printable)\n"
      if dropped > 0 { text = "obdgated: lines that nobody read: \(dropped)\n" + text }
      // Once nobody has read, no line waits again.
      dropped = send(text, patience: dropped == 0 ? Self.patience : 0) ? 0 : dropped + 1
    }
  }

  /// - Returns: false where not all of it was written.
  private func send(_ text: String, patience: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&waiting, 1, patience) > 0 else { return false }
      let piece = min(bytes.count, Self.piece)
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, piece) }
      if count < 0, errno == EINTR { continue }
      // Closed: there is nobody left to tell.
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}
