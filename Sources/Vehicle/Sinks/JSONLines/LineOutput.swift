import Glibc
import Ports

/// Writes text lines to a file descriptor whose reader may be slow or may disconnect: a pipe, a terminal or a socket.
public struct LineOutput: ~Copyable {
  /// The reason why not all bytes were written.
  public enum End: Equatable, Sendable {
    /// The reader has closed its end.
    case readerLeft
    /// The reader was too slow: the time limit after a requested stop has passed.
    case late
    /// Writing failed; the value is `errno`.
    case failed(Int32)
  }

  let descriptor: Int32
  /// Maximum number of bytes in one call of write(2). A pipe that poll(2) reports as writable accepts this many without
  /// blocking (PIPE_BUF, pipe(7)).
  private static let piece = 4_096
  /// Interval at which a write that waits for the reader checks whether it should stop, ms.
  private static let pollInterval: Int32 = 200

  /// Creates an output that writes to a file descriptor.
  ///
  /// - Parameter descriptor: an open file descriptor. The output does not close it.
  public init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes all bytes, or as many as possible.
  ///
  /// - Parameters:
  ///   - deadline: time at which writing ends, ns since boot. Pass `.max` if there is no deadline yet; it is then set
  ///     when `isEnding` returns `true`.
  ///   - patience: time for which writing may continue after `isEnding` has returned `true`, ns.
  ///   - isEnding: whether writing should end; called repeatedly.
  /// - Returns: number of bytes that were written, and the reason why not all were written; `nil` if all were.
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

  /// Whether events of poll(2) mean that the reader has disconnected: POLLERR for a pipe without a reader, POLLHUP for
  /// a closed socket or terminal. Unlike an error of write(2), these events occur even if there is nothing to write.
  ///
  /// - Parameter events: the events that poll(2) returned when none were requested.
  public static func hasReaderLeft(_ events: Int32) -> Bool { events & (POLLERR | POLLHUP | POLLNVAL) != 0 }

  /// Waits until the wake-up is signalled, the deadline has passed, or the reader has disconnected.
  ///
  /// - Returns: whether the reader has disconnected.
  func waitForReader(until deadline: Int64, _ wakeUp: SinkWakeUp) -> Bool {
    while BootClock.now < deadline {
      let ready = wakeUp.wait(for: descriptor, 0, until: deadline)
      if ready.isSignalled { return false }
      if Self.hasReaderLeft(ready.events) { return true }
    }
    return false
  }
}
