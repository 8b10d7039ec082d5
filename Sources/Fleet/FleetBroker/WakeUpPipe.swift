import Glibc

/// Wakes the worker's thread: after a commit, or to stop it.
final class WakeUpPipe: Sendable {
  /// The end of the pipe from which wake-ups are read.
  private let output: Int32
  private let input: Int32

  init() throws(BrokerFailure) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw BrokerFailure(.unreachable, "pipe", "no descriptor is left") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (output, input) = (ends[0], ends[1])
  }

  deinit {
    close(output)
    close(input)
  }

  /// Wakes the thread. If the pipe is full, a wake-up is already waiting.
  func wake() {
    var byte: UInt8 = 1
    _ = unsafe write(input, &byte, 1)
  }

  /// Waits for a wake-up, for the deadline, or for an event of the socket. A `socket` of -1 means none.
  ///
  /// - Parameter deadline: a time on the clock ``Clock/now``.
  func wait(until deadline: Int64, socket: Int32 = -1, _ events: Int32 = POLLIN) {
    let rest = max(0, deadline &- Clock.now)
    var polled = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: socket, events: Int16(events), revents: 0),
    ]
    // The time limit is rounded up to a millisecond; 0 if the deadline has passed.
    _ = unsafe poll(&polled, 2, Int32(min((rest + 999_999) / 1_000_000, 60_000)))
    var rings = [UInt8](repeating: 0, count: 64)
    while unsafe read(output, &rings, rings.count) == rings.count {}
  }
}

/// The monotonic clock, in ns.
enum Clock {
  static var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
