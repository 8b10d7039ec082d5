import CPorts

/// An alarm at a moment of ``BootClock``: a timerfd(2), exact to microseconds, and not late by the time that the machine
/// was asleep, as the timeout of `poll(2)` would be.
struct BootTimer: ~Copyable {
  private let timer: Descriptor
  private var moment: Int64?

  init() throws(PortError) {
    let number = cports_timer_create()
    guard number >= 0 else { throw PortError(.system, "timer", code: -number, PortError.message(-number)) }
    timer = Descriptor(owning: number)
  }

  /// For `poll(2)`: readable from the moment on, until it is set anew.
  var descriptor: Int32 { timer.number }

  /// nil: no alarm.
  mutating func set(_ moment: Int64?) {
    guard moment != self.moment else { return }
    self.moment = moment
    // All zero means none; a moment that has passed rings at once.
    _ = cports_timer_set(timer.number, moment.map { max($0, 1) } ?? 0)
  }
}
