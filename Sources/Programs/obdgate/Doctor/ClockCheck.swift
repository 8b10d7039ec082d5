import GatewayOutput
import Glibc

/// Checks this computer's clock, and whether it keeps the date during a power cut.
enum ClockCheck {
  static func findings() -> [Finding] { [date(MachineClock.read()), battery()] }

  private static func date(_ clock: MachineClock) -> Finding {
    switch clock.quality {
    case .unset:
      Finding(
        .problem, "clock",
        "the time is earlier than the build of this program: records have no time until NTP or GPS sets it",
        remedy: "timedatectl set-ntp true, or connect a GPS receiver")
    case .ntp: Finding(.ok, "clock", "kept by NTP")
    case .gps, .system:
      Finding(
        .warning, "clock", "plausible, but not kept by NTP", remedy: "timedatectl set-ntp true")
    }
  }

  /// Checks whether the machine has a real-time clock, from which the kernel sets its clock when it boots (rtc(4)).
  private static func battery() -> Finding {
    if unsafe access("/sys/class/rtc/rtc0", F_OK) == 0 {
      return Finding(.ok, "clock", "a real-time clock keeps the time while the power is off")
    }
    return Finding(
      .warning, "clock", "no real-time clock: after a power cut, records have no time until NTP or GPS sets it")
  }
}
