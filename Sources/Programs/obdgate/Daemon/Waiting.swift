import Glibc
import Ports

/// Waits for a file descriptor, a wake-up or a deadline.
enum Waiting {
  enum Outcome { case ready, interrupted, late }

  /// Waits until a file descriptor has input.
  ///
  /// - Parameters:
  ///   - wakeUp: ends the wait when it is signalled; it stays signalled. `nil` if nothing can interrupt the wait.
  ///   - deadline: time at which the wait ends, ns since boot.
  static func forInput(on descriptor: Int32, until deadline: Int64, unless wakeUp: WakeUp?) -> Outcome {
    while true {
      var waiting: InlineArray<2, pollfd> = [
        pollfd(fd: wakeUp?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      ]
      poll(&waiting, until: deadline)
      if waiting[0].revents != 0 { return .interrupted }
      if waiting[1].revents != 0 { return .ready }
      if BootClock.now >= deadline { return .late }
    }
  }

  /// Calls poll(2) until the deadline, but for at most one second, because poll(2) does not count time during which the
  /// machine sleeps.
  static func poll<let count: Int>(_ waiting: inout InlineArray<count, pollfd>, until deadline: Int64) {
    let (left, isFar) = deadline.subtractingReportingOverflow(BootClock.now)
    let milliseconds = isFar ? 1_000 : Int32(max(0, min(left / 1_000_000 + 1, 1_000)))
    var span = waiting.mutableSpan
    // The file descriptors stay open during the call. If a signal ends the call early, the caller calls it again.
    _ = unsafe span.withUnsafeMutableBufferPointer {
      unsafe Glibc.poll($0.baseAddress, nfds_t($0.count), milliseconds)
    }
  }
}
