import Glibc
import Ports

/// Writes lines to a descriptor whose reader may be slow or may close it: a pipe, a terminal or a socket.
public struct LineOutput: ~Copyable {
  /// Reason why not all bytes were written.
  public enum End: Equatable, Sendable {
    /// The reader closed its end.
    case readerLeft
    /// A stop was requested, and the reader was too slow.
    case late
    /// Writing failed with this `errno`.
    case failed(Int32)
  }

  let descriptor: Int32
  /// Number of bytes that a pipe reported as writable by poll(2) accepts without blocking (PIPE_BUF, pipe(7)).
  private static let piece = 4_096
  /// Interval at which a blocked write checks whether it should stop, ms.
  private static let pollInterval: Int32 = 200

  /// Creates an output.
  ///
  /// - Parameter descriptor: an open descriptor, which stays open.
  public init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes all bytes, or as many as possible.
  ///
  /// - Parameters:
  ///   - deadline: latest boot time to write, ns; `.max` while there is none. It is set when `isEnding` returns `true`.
  ///   - patience: time that writing may continue after that, ns.
  ///   - isEnding: called repeatedly.
  /// - Returns: number of bytes written; reason why not all were written, or `nil`.
  public func write(
    _ bytes: ArraySlice<UInt8>, until deadline: inout Int64, patience: Int64, isEnding: () -> Bool
  ) -> (count: Int, end: End?) {
    var done = 0
    while done < bytes.count {
      if deadline == .max, isEnding() { deadline = BootClock.now &+ patience }
      if BootClock.now >= deadline { return (done, .late) }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = unsafe poll(&waiting, 1, min(Self.pollInterval, SinkWakeUp.milliseconds(until: deadline)))
      if ready < 0, errno != EINTR { return (done, .failed(errno)) }
      guard ready > 0 else { continue }
      let piece = min(Self.piece, bytes.count - done)
      let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress! + done, piece) }
      if written >= 0 {
        done += written
      } else if errno == EPIPE {
        return (done, .readerLeft)
      } else if errno != EINTR, errno != EAGAIN {
        return (done, .failed(errno))
      }
    }
    return (done, nil)
  }

  /// Whether poll(2) events mean that the reader is gone: POLLERR for a pipe without reader, POLLHUP for a closed
  /// socket or terminal. It detects this without a write.
  ///
  /// - Parameter events: the result of poll(2) with no events requested.
  public static func hasReaderLeft(_ events: Int32) -> Bool { events & (POLLERR | POLLHUP | POLLNVAL) != 0 }

  /// Waits until the wake-up is signalled, the deadline passes, or the reader is gone.
  ///
  /// - Returns: whether the reader is gone.
  func waitForReader(until deadline: Int64, _ wakeUp: SinkWakeUp) -> Bool {
    while BootClock.now < deadline {
      let ready = wakeUp.wait(for: descriptor, 0, until: deadline)
      if ready.isSignalled { return false }
      if Self.hasReaderLeft(ready.events) { return true }
    }
    return false
  }
}
