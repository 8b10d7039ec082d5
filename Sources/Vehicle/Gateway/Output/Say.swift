import Glibc
import Synchronization
import Telemetry

/// A line for people, on stderr; where that is systemd's journal, with how much it matters.
public func say(_ line: String, _ importance: Importance = .notice) { say(line, importance, []) }

/// The same with what it is about.
func say(_ line: String, _ importance: Importance, _ fields: [JournalField]) {
  if let journal, journal.write(line, importance, fields) { return }
  standardError.say(line)
}

/// Whether lines go to systemd's journal.
var sayingToJournal: Bool { journal != nil }

private let journal = Journal()
private let standardError = PeopleLines(STDERR_FILENO)

/// Lines for people who may not be reading: a full pipe or a stopped terminal must not hold the daemon up. What finds no
/// room in a moment is dropped, counted, and told of with the next line that does.
final class PeopleLines: Sendable {
  private let descriptor: Int32
  /// Lines dropped since the last that was written. Locked while writing: lines do not mix.
  private let dropped = Mutex(0)
  /// How long a reader that was quick so far is waited for, ms.
  private static let patience: Int32 = 100
  /// A pipe that poll(2) calls writable takes so many bytes at once without blocking (pipe(7), PIPE_BUF).
  private static let piece = 4_096

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func say(_ line: String) {
    dropped.withLock { dropped in
      var text = "obdgated: \(line.printable)\n"
      if dropped > 0 { text = "obdgated: lines that nobody read: \(dropped)\n" + text }
      // Once nobody has read, no line waits again.
      dropped = write(text, patience: dropped == 0 ? Self.patience : 0) ? 0 : dropped + 1
    }
  }

  /// - Returns: false where not all of it was written.
  private func write(_ text: String, patience: Int32) -> Bool {
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
