import Glibc
import Ports

/// Writes lines to a descriptor whose reader may be slow or may close it: a pipe, a terminal or a socket.
public struct LineOutput: ~Copyable {
  /// The reason why not all bytes were written.
  public enum End: Equatable, Sendable {
    /// The reader closed its end.
    case readerLeft
    /// The time limit after a requested stop has passed, because the reader was too slow.
    case late
    /// Writing failed with this value of `errno`.
    case failed(Int32)
  }

  let descriptor: Int32
  /// Number of bytes that are written at once. If poll(2) reports a pipe as writable, it accepts this many without
  /// blocking (PIPE_BUF, pipe(7)).
  private static let piece = 4_096
  /// Time after which a write that waits for the reader checks again whether to stop, ms.
  private static let pollInterval: Int32 = 200

  /// Creates an output.
  ///
  /// - Parameter descriptor: an open descriptor. It is not closed.
  public init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes all bytes, or as many as possible.
  ///
  /// - Parameters:
  ///   - deadline: boot time at which writing ends, ns; `.max` if there is none yet. It is set when `isEnding` returns
  ///     `true`.
  ///   - patience: time for which writing may continue after `isEnding` has returned `true`, ns.
  ///   - isEnding: whether writing should end; called again and again.
  /// - Returns: number of bytes that were written, and the reason why not all were; `nil` if all were written.
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

  /// Whether events of poll(2) mean that the reader is gone. They are POLLERR for a pipe without a reader, and POLLHUP
  /// for a socket or terminal that was closed. Unlike an error of write(2), they show this even if there is nothing to
  /// write.
  ///
  /// - Parameter events: the result of poll(2) when no events were requested.
  public static func hasReaderLeft(_ events: Int32) -> Bool { events & (POLLERR | POLLHUP | POLLNVAL) != 0 }

  /// Waits until the wake-up is signalled, the deadline has passed, or the reader is gone.
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
