import Glibc
import Ports

/// Writes lines to a descriptor whose reader may be slow, or leave: a pipe, a terminal, a socket.
public struct LineOutput: ~Copyable {
  /// Why writing ended before its end.
  public enum End: Equatable, Sendable {
    /// Nobody reads any more.
    case readerLeft
    /// Told to stop, and the reader took nothing for too long.
    case late
    /// `errno`
    case failed(Int32)
  }

  let descriptor: Int32
  /// A pipe that poll(2) calls writable takes so many bytes at once without blocking (pipe(7), PIPE_BUF).
  private static let piece = 4_096
  /// How often it is asked whether the end has come while the reader takes nothing, ms.
  private static let look: Int32 = 200

  public init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes all bytes, or as many as go.
  ///
  /// - Parameters:
  ///   - deadline: `.max`, and where `isEnding` has said true, the boot time in ns at which writing ends.
  ///   - patience: ns that writing may go on from then on.
  ///   - isEnding: asked again and again.
  /// - Returns: how many, and why not all.
  public func write(
    _ bytes: ArraySlice<UInt8>, until deadline: inout Int64, patience: Int64, isEnding: () -> Bool
  ) -> (count: Int, end: End?) {
    var done = 0
    while done < bytes.count {
      if deadline == .max, isEnding() { deadline = BootClock.now &+ patience }
      if BootClock.now >= deadline { return (done, .late) }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = unsafe poll(&waiting, 1, min(Self.look, SinkBell.milliseconds(until: deadline)))
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

  /// Whether what poll(2) says of it, asked for nothing, means that nobody reads any more: a pipe without a reader is an
  /// error, a socket or terminal without a peer has hung up. No write would show it while there is nothing to write.
  public static func hasReaderLeft(_ events: Int32) -> Bool { events & (POLLERR | POLLHUP | POLLNVAL) != 0 }

  /// Waits until the bell rings, that moment comes, or the reader leaves.
  ///
  /// - Returns: whether the reader has left.
  func waitForReader(until deadline: Int64, _ bell: SinkBell) -> Bool {
    while BootClock.now < deadline {
      let ready = bell.wait(for: descriptor, 0, until: deadline)
      if ready.isRung { return false }
      if Self.hasReaderLeft(ready.events) { return true }
    }
    return false
  }
}
