import Fusion
import GatewayOutput
import Geofencing
import NMEAWire
import Telemetry

/// Chooses the vehicle's position among all receivers, and the date among receivers and the machine's clock. It reads
/// no clock.
package struct PositionAndDate: ~Copyable {
  /// Smaller changes of the machine's clock are ignored, ns. They occur because two clocks cannot be read at once, and
  /// would make the times of records jitter.
  private static let smallestChange: Int64 = 5_000_000

  var choice = FixChoice()
  /// Number of receivers in use.
  var receiverCount = 0
  var geofences: GeofenceRecorder?
  /// The precision of positions if there are no geofences.
  var privacy = PrivacyRules()
  private var satellites: SatelliteTime
  private var machine = MachineClock(offset: 0, quality: .unset)

  package init(notBefore: Int64) { satellites = SatelliteTime(notBefore: notBefore) }

  mutating func setMachineClock(_ clock: MachineClock) {
    if clock.quality == machine.quality, abs(clock.offset - machine.offset) < Self.smallestChange { return }
    machine = clock
  }

  /// The date: from NTP if available, otherwise from the receivers, otherwise from the machine's clock.
  var date: MachineClock {
    guard machine.quality != .ntp, let offset = satellites.offset else { return machine }
    return MachineClock(offset: offset, quality: .gps)
  }

  /// Updates the date from a fix of the chosen receiver.
  mutating func updateDate(_ fix: Fix, began: Int64) -> SatelliteTime.Event? {
    satellites.fix(fix, at: began, machine: machine.quality == .unset ? nil : began + machine.offset)
  }
}
