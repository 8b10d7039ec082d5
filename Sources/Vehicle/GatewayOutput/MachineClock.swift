import CGateway
import Glibc
import Telemetry

/// The date that this computer's clock shows.
public struct MachineClock: Equatable, Sendable {
  /// Time from 1970 to the boot, ns. A time since boot plus this offset is a time since 1970.
  public var offset: Int64
  /// Source of the date; `unset` if the date is unknown.
  public var quality: TimeQuality

  /// Creates a value; the parameters are the properties of the same names.
  package init(offset: Int64, quality: TimeQuality) {
    self.offset = offset
    self.quality = quality
  }

  /// Reads this computer's clock. The date counts as unknown if it is earlier than the release of this program: without
  /// a clock battery, the clock begins in 1970 at each boot.
  public static func read() -> MachineClock {
    var wall = timespec()
    var boot = timespec()
    // Both calls always succeed, because every supported kernel has these clocks.
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &boot)
    _ = unsafe clock_gettime(CLOCK_REALTIME, &wall)
    let now = nanoseconds(wall)
    let quality = quality(of: now, isSynchronised: cgateway_clock_is_synchronised() != 0)
    return MachineClock(offset: now - nanoseconds(boot), quality: quality)
  }

  /// Returns the source of the clock's date.
  ///
  /// - Parameters:
  ///   - now: the time that the clock shows, ns since 1970.
  ///   - isSynchronised: whether NTP synchronizes the clock.
  package static func quality(of now: Int64, isSynchronised: Bool) -> TimeQuality {
    now < Version.released ? .unset : isSynchronised ? .ntp : .system
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
