import Glibc
import Ports

/// Writes a ``RecordQueue`` out, in a thread of its own: a reader that takes nothing holds nobody else up.
struct LineWriter: ~Copyable {
  /// Why it ended.
  enum End: Sendable, Equatable {
    /// The queue has ended, and everything is written.
    case finished
    /// Nobody reads any more.
    case readerLeft
    /// The time to write what was left has run out.
    case late
    /// `errno`
    case failed(Int32)
  }

  private let descriptor: Int32
  private let queue: RecordQueue
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  /// A pipe that poll(2) calls writable takes so many bytes at once without blocking (pipe(7), PIPE_BUF).
  private static let piece = 4_096

  init(_ descriptor: Int32, _ queue: RecordQueue) {
    self.descriptor = descriptor
    self.queue = queue
  }

  /// Writes until the queue ends.
  ///
  /// - Parameters:
  ///   - patience: ns that writing may go on once `isEnding` says true.
  ///   - isEnding: asked again and again.
  mutating func run(patience: Int64 = 1_000_000_000, isEnding: () -> Bool) -> End {
    var deadline = Int64.max
    while true {
      guard let count = queue.take(into: &buffer) else { return .finished }
      if count > 0 {
        if let end = write(count, &deadline, patience, isEnding) { return end }
      } else if hasReaderLeft() {
        return .readerLeft
      }
    }
  }

  /// Waits for records, or for the reader to leave, which no write would show while there are none.
  private func hasReaderLeft() -> Bool {
    var waiting: InlineArray<2, pollfd> = [
      pollfd(fd: queue.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: 0, revents: 0),
    ]
    var span = waiting.mutableSpan
    _ = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), -1) }
    let hasRung = span[0].revents != 0
    if hasRung { queue.wakeUp.silence() }
    // A pipe without a reader is an error, a socket or terminal without a peer has hung up; poll(2) says either at once
    // and for ever, so that going on would be a busy loop.
    return !hasRung && Int32(span[1].revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
  }

  private func write(_ count: Int, _ deadline: inout Int64, _ patience: Int64, _ isEnding: () -> Bool) -> End? {
    var done = 0
    while done < count {
      if deadline == .max, isEnding() { deadline = BootClock.now + patience }
      if BootClock.now >= deadline { return .late }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = unsafe poll(&waiting, 1, 200)
      if ready < 0, errno != EINTR { return .failed(errno) }
      guard ready > 0 else { continue }
      let piece = min(Self.piece, count - done)
      let written = unsafe buffer.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress! + done, piece)
      }
      if written >= 0 {
        done += written
      } else if errno == EPIPE {
        return .readerLeft
      } else if errno != EINTR, errno != EAGAIN {
        return .failed(errno)
      }
    }
    return nil
  }
}
