import CPorts

/// An alarm at a moment of ``BootClock``: a timerfd(2), exact to microseconds, and not late by the time that the machine
/// was asleep, as the timeout of `poll(2)` would be.
///
/// A dialogue moves its deadline on with every answer, long before it comes. So the alarm is left where it is while it
/// rings no later than it should, and set anew when it has rung too early: that saves two system calls an answer.
struct BootTimer: ~Copyable {
  private let timer: Descriptor
  /// When it rings; nil: not at all.
  private var armed: Int64?

  init() throws(PortError) {
    let number = cports_timer_create()
    guard number >= 0 else { throw PortError(.system, "timer", code: -number, systemReason(-number)) }
    timer = Descriptor(owning: number)
  }

  /// For `poll(2)`: readable once it has rung, until ``silence()``.
  var descriptor: Int32 { timer.number }

  /// Makes it ring at `moment` at the latest; nil: it need not.
  mutating func set(_ moment: Int64?) {
    guard let moment else { return }
    if let armed, armed <= moment { return }
    // All zero means none; a moment that has passed rings at once.
    armed = max(moment, 1)
    _ = cports_timer_set(timer.number, max(moment, 1))
  }

  /// It has rung: until it is set it does not again.
  mutating func silence() {
    armed = nil
    _ = cports_timer_set(timer.number, 0)
  }
}
