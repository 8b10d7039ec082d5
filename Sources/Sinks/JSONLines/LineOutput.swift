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

  public init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes all bytes, or as many as go.
  ///
  /// - Parameter patience: ns that writing may go on once the bell rings for the end.
  /// - Returns: how many, and why not all.
  func write(_ bytes: [UInt8], patience: Int64, _ bell: SinkBell) -> (count: Int, end: End?) {
    var done = 0
    var deadline = Int64.max
    while done < bytes.count {
      if deadline == .max, bell.isStopping { deadline = BootClock.now &+ patience }
      if BootClock.now >= deadline { return (done, .late) }
      // Ringing for the end, the bell would end every waiting at once.
      let ready = deadline == .max ? bell.wait(for: descriptor, POLLOUT, until: .max).events : wait(until: deadline)
      guard ready != 0 else { continue }
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

  private func wait(until deadline: Int64) -> Int32 {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&waiting, 1, SinkBell.milliseconds(until: deadline)) > 0 ? Int32(waiting.revents) : 0
  }

  /// Waits until the bell rings, that moment comes, or the reader leaves, which no write would show.
  ///
  /// - Returns: whether the reader has left. A pipe without a reader is an error, a socket or terminal without a peer has
  ///   hung up.
  func waitForReader(until deadline: Int64, _ bell: SinkBell) -> Bool {
    while BootClock.now < deadline {
      let ready = bell.wait(for: descriptor, 0, until: deadline)
      if ready.isRung { return false }
      if ready.events & (POLLERR | POLLHUP | POLLNVAL) != 0 { return true }
    }
    return false
  }
}
