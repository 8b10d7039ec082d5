import CPorts
import Failures
import Glibc

/// An event by which one thread ends another thread's wait (eventfd(2)).
///
/// The signal remains set until it is cleared. Therefore, a signal that comes before the wait is not lost.
public final class WakeUp: Sendable {
  /// The descriptor for poll(2). It is readable while the signal is set.
  public let descriptor: Int32

  /// Creates a wake-up.
  ///
  /// - Throws: ``PortError/Kind/system`` if the process has no free descriptors.
  public init() throws(PortError) {
    let number = cports_event_create()
    guard number >= 0 else { throw PortError(.system, "wake-up", code: -number, systemReason(-number)) }
    descriptor = number
  }

  deinit { _ = close(descriptor) }

  /// Sets the signal. Any thread and any signal handler may call this. It never blocks.
  public func signal() {
    var one: UInt64 = 1
    // EAGAIN means that the counter has its maximum, 2⁶⁴ − 2. The signal is then set.
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Clears the signal. Returns whether it was set.
  @discardableResult
  public func clear() -> Bool {
    var count: UInt64 = 0
    return unsafe read(descriptor, &count, 8) == 8
  }

  /// Waits until the signal is set, or until a time of ``BootClock``. Returns whether the signal is set. Does not clear
  /// it.
  public func wait(until deadline: Int64) -> Bool {
    while true {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // Wait for at most one second at a time, because poll(2) does not count the time in which the machine sleeps.
      let limit = min(BootClock.milliseconds(until: deadline), 1_000)
      if unsafe poll(&waiting, 1, limit) > 0 { return true }
      if BootClock.now >= deadline { return false }
    }
  }
}
