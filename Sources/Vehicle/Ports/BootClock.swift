import Glibc

/// The monotonic clock of the programs: nanoseconds since the machine started, including the time asleep
/// (`CLOCK_BOOTTIME`).
///
/// Changes of the wall clock do not affect it. After eight hours of suspend, it is eight hours later.
public enum BootClock {
  /// The current time in ns.
  public static var now: Int64 {
    var time = timespec()
    // It fails only if the kernel lacks the clock, and every kernel since 2.6.39 has this one.
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns the time after a duration from now; `.max` if it does not fit into 64 bits.
  public static func after(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (whole, isLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (moment, isLate) = now.addingReportingOverflow(whole)
    return isLong || isLate ? .max : moment &+ attoseconds / 1_000_000_000
  }

  /// Returns the milliseconds until a deadline for `poll(2)`, rounded up; 0 if it has passed.
  static func milliseconds(until deadline: Int64) -> Int32 {
    let (left, isFar) = deadline.subtractingReportingOverflow(now)
    // A difference that overflows into the past means that the deadline has passed.
    guard !isFar else { return deadline > 0 ? .max : 0 }
    guard left > 0 else { return 0 }
    return Int32(clamping: (left - 1) / 1_000_000 + 1)
  }
}
