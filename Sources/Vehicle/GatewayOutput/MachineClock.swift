import CGateway
import Glibc
import Telemetry

/// The date according to this computer's clock.
public struct MachineClock: Equatable, Sendable {
  /// Time from 1970 to boot time 0, ns.
  public var offset: Int64
  /// Source of the date; `unset` if it is unknown.
  public var quality: TimeQuality

  /// Creates a value; the parameters are the properties of the same names.
  package init(offset: Int64, quality: TimeQuality) {
    self.offset = offset
    self.quality = quality
  }

  /// Reads this computer's clock. Its date counts as known if NTP synchronizes the clock, or if the date is not earlier
  /// than the release of this program: a computer without a clock battery starts in 1970.
  public static func read() -> MachineClock {
    var wall = timespec()
    var boot = timespec()
    // This cannot fail, because every supported kernel has both clocks.
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &boot)
    _ = unsafe clock_gettime(CLOCK_REALTIME, &wall)
    let now = nanoseconds(wall)
    let quality = quality(of: now, isSynchronised: cgateway_clock_is_synchronised() != 0)
    return MachineClock(offset: now - nanoseconds(boot), quality: quality)
  }

  /// Returns how reliable this computer's clock is.
  ///
  /// - Parameters:
  ///   - now: what the clock shows, ns since 1970.
  ///   - isSynchronised: whether NTP synchronizes it.
  package static func quality(of now: Int64, isSynchronised: Bool) -> TimeQuality {
    now < Version.released ? .unset : isSynchronised ? .ntp : .system
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
