import CPorts
import Glibc

/// A bell that one thread rings to end another's waiting: an eventfd(2).
///
/// It rings until it is silenced, however often it was rung, so that a ring before the waiting began is not missed.
public final class WakeUp: Sendable {
  /// For `poll(2)`: readable while it rings.
  public let descriptor: Int32

  /// - Throws: ``PortError/Kind/system`` where the process has no descriptors left.
  public init() throws(PortError) {
    let number = cports_event_create()
    guard number >= 0 else { throw PortError(.system, "wake-up", code: -number, systemReason(-number)) }
    descriptor = number
  }

  deinit { _ = close(descriptor) }

  /// Rings. Any thread and any signal handler may; it never waits.
  public func signal() {
    var one: UInt64 = 1
    // EAGAIN: it has been rung 2⁶⁴ − 2 times, and so is ringing.
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Silences it; true if it rang.
  @discardableResult
  public func silence() -> Bool {
    var count: UInt64 = 0
    return unsafe read(descriptor, &count, 8) == 8
  }

  /// Waits until it rings or that moment of ``BootClock`` comes; true if it rings, which it goes on doing.
  public func wait(until deadline: Int64) -> Bool {
    while true {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // A second at most: poll(2) does not count the time that the machine sleeps.
      let limit = min(BootClock.milliseconds(until: deadline), 1_000)
      if unsafe poll(&waiting, 1, limit) > 0 { return true }
      if BootClock.now >= deadline { return false }
    }
  }
}
