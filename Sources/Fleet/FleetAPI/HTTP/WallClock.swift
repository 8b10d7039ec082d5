import Glibc
import Telemetry

/// A function that returns the current time in UTC. Tests of time limits use their own clock instead of ``WallClock``.
public typealias TimeSource = @Sendable () -> Timestamp

/// The system's clock. Only this target and the program read it; all other targets receive the time as a parameter.
public enum WallClock {
  /// The current time in UTC.
  public static var now: Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
