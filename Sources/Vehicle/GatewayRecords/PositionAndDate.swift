import Fusion
import GatewayOutput
import Geofencing
import NMEAWire
import Telemetry

/// Chooses the receiver whose position is the vehicle's. Also chooses the date, which comes from a receiver or from the
/// machine's clock. It reads no clock itself.
package struct PositionAndDate: ~Copyable {
  /// Changes of the machine clock's offset that are smaller than this are ignored, ns. Such changes occur because two
  /// clocks cannot be read at the same moment. Without this limit, the times of records would jitter.
  private static let smallestChange: Int64 = 5_000_000

  var choice = FixChoice()
  /// Number of receivers that are in use now.
  var receiverCount = 0
  var geofences: GeofenceRecorder?
  /// The precision of positions in records if there are no geofences.
  var privacy = PrivacyRules()
  private var satellites: SatelliteTime
  private var machine = MachineClock(offset: 0, quality: .unset)

  package init(notBefore: Int64) { satellites = SatelliteTime(notBefore: notBefore) }

  mutating func setMachineClock(_ clock: MachineClock) {
    if clock.quality == machine.quality, abs(clock.offset - machine.offset) < Self.smallestChange { return }
    machine = clock
  }

  /// The known date: from NTP if it is available, otherwise from a receiver, otherwise from the machine's clock.
  var date: MachineClock {
    guard machine.quality != .ntp, let offset = satellites.offset else { return machine }
    return MachineClock(offset: offset, quality: .gps)
  }

  /// Updates the date from a fix of the chosen receiver, and returns what changed; `nil` if nothing did. `began` is the
  /// time at which the first byte of the fix was received, ns since boot.
  mutating func updateDate(_ fix: Fix, began: Int64) -> SatelliteTime.Event? {
    satellites.fix(fix, at: began, machine: machine.quality == .unset ? nil : began + machine.offset)
  }
}
