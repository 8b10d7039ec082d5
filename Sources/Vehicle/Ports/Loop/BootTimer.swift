import CPorts
import Failures

/// A timer that expires at a time of ``BootClock`` (timerfd(2)), accurate to microseconds. Unlike the timeout of
/// poll(2), it counts the time in which the machine sleeps.
///
/// A dialogue postpones its deadline with every answer. When the deadline is postponed, the timer is not changed, which
/// saves two system calls for each answer. The timer then expires too early, and is set again.
struct BootTimer: ~Copyable {
  private let timer: Descriptor
  /// The time at which the timer expires; `nil` if it is not set.
  private var armed: Int64?

  init() throws(PortError) {
    let number = cports_timer_create()
    guard number >= 0 else { throw PortError(.system, "timer", code: -number, systemReason(-number)) }
    timer = Descriptor(owning: number)
  }

  /// The descriptor for poll(2). It is readable after the timer has expired, until ``clear()`` is called.
  var descriptor: Int32 { timer.number }

  /// Makes the timer expire at `moment` or earlier; does nothing if `moment` is `nil`.
  mutating func set(_ moment: Int64?) {
    guard let moment else { return }
    if let armed, armed <= moment { return }
    // With zero, the timer would never expire. With a time in the past, it expires immediately.
    armed = max(moment, 1)
    _ = cports_timer_set(timer.number, max(moment, 1))
  }

  /// Disables the timer. Its descriptor is then no longer readable.
  mutating func clear() {
    armed = nil
    _ = cports_timer_set(timer.number, 0)
  }
}
