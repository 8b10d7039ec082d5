import Glibc

/// The clock of everything live: nanoseconds since the machine started, time asleep included (`CLOCK_BOOTTIME`).
///
/// It only goes up, whatever anyone does to the wall clock; after eight hours of suspend it is eight hours later.
public enum BootClock {
  /// Nanoseconds of this moment.
  public static var now: Int64 {
    var time = timespec()
    // It fails for clocks that the kernel does not have, and this one is in every kernel since 2.6.39.
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The moment so long from now; a duration that no count of nanoseconds holds is never.
  public static func after(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (whole, isLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (moment, isLate) = now.addingReportingOverflow(whole)
    return isLong || isLate ? .max : moment &+ attoseconds / 1_000_000_000
  }

  /// Milliseconds until then for `poll(2)`: rounded up, 0 once it is past.
  static func milliseconds(until deadline: Int64) -> Int32 {
    let (left, isFar) = deadline.subtractingReportingOverflow(now)
    // Far in the past is past, too: `.min` is at once.
    guard !isFar else { return deadline > 0 ? .max : 0 }
    guard left > 0 else { return 0 }
    return Int32(clamping: (left - 1) / 1_000_000 + 1)
  }
}
