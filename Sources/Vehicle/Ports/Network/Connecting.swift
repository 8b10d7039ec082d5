import CPorts
import Glibc

/// Waits until a non-blocking socket is connected.
enum Connecting {
  /// The result of a connection attempt.
  enum Outcome: Equatable {
    case connected
    case timedOut
    case interrupted
    /// The attempt failed. The value is `errno`.
    case failed(Int32)
  }

  /// Waits until a connection attempt has succeeded or failed.
  ///
  /// - Parameters:
  ///   - socket: the socket.
  ///   - code: result of connect(2): 0, or the negated `errno`.
  ///   - deadline: time of ``BootClock`` at which the wait ends.
  ///   - wakeUp: ends the wait when it is signalled.
  static func finish(
    _ socket: borrowing Descriptor, code: Int32, until deadline: Int64, unless wakeUp: WakeUp?
  ) -> Outcome {
    if code == 0 { return .connected }
    guard code == -EINPROGRESS || code == -EAGAIN || code == -EINTR else { return .failed(-code) }
    switch wait(socket, for: POLLOUT, until: deadline, unless: wakeUp) {
    case .timedOut: return .timedOut
    case .interrupted: return .interrupted
    case .failed(let code): return .failed(code)
    case .connected: break
    }
    var result: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &result, &size) == 0 else { return .failed(errno) }
    return result == 0 ? .connected : .failed(result)
  }

  /// Waits until the socket is ready for the given events; the result is then `connected`.
  static func wait(
    _ socket: borrowing Descriptor, for events: Int32, until deadline: Int64, unless wakeUp: WakeUp?
  ) -> Outcome {
    while true {
      var waiting: InlineArray<2, pollfd> = [
        pollfd(fd: socket.number, events: Int16(events), revents: 0),
        pollfd(fd: wakeUp?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      var span = waiting.mutableSpan
      // Wait for at most one second at a time, because poll(2) does not count the time in which the machine sleeps.
      let limit = min(BootClock.milliseconds(until: deadline), 1_000)
      let count = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), limit) }
      if count < 0 && errno != EINTR { return .failed(errno) }
      if count > 0 && span[1].revents != 0 { return .interrupted }
      if count > 0 { return .connected }
      if BootClock.now >= deadline { return .timedOut }
    }
  }
}
