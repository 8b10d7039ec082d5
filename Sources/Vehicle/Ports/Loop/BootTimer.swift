import CPorts
import Failures

/// A timer for a time of ``BootClock``: a timerfd(2). It is accurate to microseconds and, unlike the timeout of
/// `poll(2)`, counts the time that the machine sleeps.
///
/// A dialogue postpones its deadline with every answer. The timer is therefore not changed while it expires early
/// enough, and is set again after it has expired too early. This saves two system calls for each answer.
struct BootTimer: ~Copyable {
  private let timer: Descriptor
  /// The time at which it expires; `nil` if it is not set.
  private var armed: Int64?

  init() throws(PortError) {
    let number = cports_timer_create()
    guard number >= 0 else { throw PortError(.system, "timer", code: -number, systemReason(-number)) }
    timer = Descriptor(owning: number)
  }

  /// The descriptor for `poll(2)`, readable from the expiry until ``silence()``.
  var descriptor: Int32 { timer.number }

  /// Sets the timer to expire at a time or earlier. `nil` leaves it unchanged.
  mutating func set(_ moment: Int64?) {
    guard let moment else { return }
    if let armed, armed <= moment { return }
    // Zero would disable the timer. A time in the past expires immediately.
    armed = max(moment, 1)
    _ = cports_timer_set(timer.number, max(moment, 1))
  }

  /// Resets the timer after it has expired.
  mutating func clear() {
    armed = nil
    _ = cports_timer_set(timer.number, 0)
  }
}
