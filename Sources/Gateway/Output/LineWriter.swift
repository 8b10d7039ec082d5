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
  /// - Parameter patience: ns that writing may go on once `isEnding` says true.
  mutating func run(patience: Int64 = 1_000_000_000, isEnding: () -> Bool) -> End {
    while true {
      guard let count = queue.take(into: &buffer) else { return .finished }
      if count == 0 {
        _ = queue.wakeUp.wait(until: .max)
        queue.wakeUp.silence()
        continue
      }
      if let end = write(count, patience, isEnding) { return end }
    }
  }

  private mutating func write(_ count: Int, _ patience: Int64, _ isEnding: () -> Bool) -> End? {
    var done = 0
    var deadline = Int64.max
    while done < count {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = unsafe poll(&waiting, 1, 200)
      if ready == 0 {
        if deadline == .max, isEnding() { deadline = BootClock.now + patience }
        if BootClock.now >= deadline { return .late }
        continue
      }
      if ready < 0, errno != EINTR { return .failed(errno) }
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
