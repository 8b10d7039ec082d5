import Glibc

/// The monotonic clock of the programs (`CLOCK_BOOTTIME`): nanoseconds since the machine started, including the time in
/// which the machine sleeps.
///
/// Changes of the wall clock do not affect this clock. If the machine sleeps for eight hours, this clock advances by
/// eight hours.
public enum BootClock {
  /// The current time in ns.
  public static var now: Int64 {
    var time = timespec()
    // This fails only if the kernel lacks the clock, which every kernel since 2.6.39 has.
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns the time of this clock that is `duration` from now; `.max` if it does not fit into 64 bits.
  public static func after(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (whole, isLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (moment, isLate) = now.addingReportingOverflow(whole)
    return isLong || isLate ? .max : moment &+ attoseconds / 1_000_000_000
  }

  /// Returns the time until a deadline in milliseconds, rounded up, as poll(2) needs it; 0 if the deadline has passed.
  static func milliseconds(until deadline: Int64) -> Int32 {
    let (left, isFar) = deadline.subtractingReportingOverflow(now)
    // If the difference overflows and the deadline is negative, the deadline has passed.
    guard !isFar else { return deadline > 0 ? .max : 0 }
    guard left > 0 else { return 0 }
    return Int32(clamping: (left - 1) / 1_000_000 + 1)
  }
}
