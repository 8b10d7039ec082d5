import Glibc
import Telemetry

/// Returns the time of day. Tests of limits replace ``WallClock`` by a clock of their own.
public typealias TimeSource = @Sendable () -> Timestamp

/// The time of day. Only this target and the program read the clock; all other targets receive the time as a parameter.
public enum WallClock {
  /// The current time in UTC.
  public static var now: Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
