import Fusion
import GatewayOutput
import Geofencing
import NMEAWire
import Telemetry

/// The vehicle's position and the date, from all receivers and the machine's clock. It reads no clock.
package struct PositionAndDate: ~Copyable {
  /// Smaller changes of the machine's clock are ignored, ns: reading two clocks takes time, and records must not
  /// jitter.
  private static let tremble: Int64 = 5_000_000

  var choice = FixChoice()
  /// Number of receivers in use.
  var receiverCount = 0
  var post: FencePost?
  /// What applies everywhere if no fences are watched.
  var privacy = PrivacyRules()
  private var satellites: SatelliteTime
  private var machine = MachineClock(offset: 0, quality: .unset)

  package init(notBefore: Int64) { satellites = SatelliteTime(notBefore: notBefore) }

  mutating func setMachineClock(_ clock: MachineClock) {
    if clock.quality == machine.quality, abs(clock.offset - machine.offset) < Self.tremble { return }
    machine = clock
  }

  /// The date from NTP, otherwise from the receivers, otherwise from the machine's clock.
  var date: MachineClock {
    guard machine.quality != .ntp, let offset = satellites.offset else { return machine }
    return MachineClock(offset: offset, quality: .gps)
  }

  /// Uses the chosen receiver's fix for the date.
  mutating func tellTime(_ fix: Fix, began: Int64) -> SatelliteTime.News? {
    satellites.fix(fix, at: began, machine: machine.quality == .unset ? nil : began + machine.offset)
  }
}
