import CGateway
import Glibc
import Telemetry

/// What date it is, as far as the machine knows.
public struct WallClock: Equatable, Sendable {
  /// ns from 1970 to the boot clock's 0.
  public var offset: Int64
  /// Where that is known from; `unset`: it is not.
  public var quality: TimeQuality

  /// Asks the machine: its clock counts where it is kept by NTP, or is not before this program was made; a box without a
  /// battery starts in 1970.
  public static func read() -> WallClock {
    var wall = timespec()
    var boot = timespec()
    // Both clocks are in every kernel that this runs on.
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &boot)
    _ = unsafe clock_gettime(CLOCK_REALTIME, &wall)
    let now = nanoseconds(wall)
    let quality = quality(of: now, isSynchronised: cgateway_clock_is_synchronised() != 0)
    return WallClock(offset: now - nanoseconds(boot), quality: quality)
  }

  /// What a clock that says so, ns since 1970, is worth.
  static func quality(of now: Int64, isSynchronised: Bool) -> TimeQuality {
    now < Version.released ? .unset : isSynchronised ? .ntp : .system
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
