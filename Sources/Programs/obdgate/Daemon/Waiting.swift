import Glibc
import Ports

/// Waits for a descriptor, a bell and a moment at once.
enum Waiting {
  enum Outcome { case ready, rung, late }

  /// - Parameters:
  ///   - bell: whoever waits for the descriptor waits for it, too; it goes on ringing.
  ///   - deadline: a moment of ``BootClock``.
  static func forInput(on descriptor: Int32, until deadline: Int64, unless bell: WakeUp?) -> Outcome {
    while true {
      var waiting: InlineArray<2, pollfd> = [
        pollfd(fd: bell?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      ]
      poll(&waiting, until: deadline)
      if waiting[0].revents != 0 { return .rung }
      if waiting[1].revents != 0 { return .ready }
      if BootClock.now >= deadline { return .late }
    }
  }

  /// `poll(2)` until a moment; a second at most, for it does not count the time that the machine sleeps.
  static func poll<let count: Int>(_ waiting: inout InlineArray<count, pollfd>, until deadline: Int64) {
    let (left, isFar) = deadline.subtractingReportingOverflow(BootClock.now)
    let milliseconds = isFar ? 1_000 : Int32(max(0, min(left / 1_000_000 + 1, 1_000)))
    var span = waiting.mutableSpan
    // The descriptors live as long as the call. A signal ends it early, which changes nothing.
    _ = unsafe span.withUnsafeMutableBufferPointer {
      unsafe Glibc.poll($0.baseAddress, nfds_t($0.count), milliseconds)
    }
  }
}
