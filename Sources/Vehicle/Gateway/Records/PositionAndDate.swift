import Fusion
import Geofencing
import NMEAWire
import Telemetry

/// Where the vehicle is and what date it is, from all receivers and the machine's clock together. No clock of its own.
struct PositionAndDate: ~Copyable {
  /// Below this the machine's clock is not followed: reading two clocks takes time, and records must not tremble by it.
  private static let tremble: Int64 = 5_000_000

  var choice = FixChoice()
  /// Receivers in use.
  var receiverCount = 0
  var post: FencePost?
  /// Where no fences are watched, what holds everywhere.
  var privacy = PrivacyRules()
  private var satellites: SatelliteTime
  private var machine = WallClock(offset: 0, quality: .unset)

  init(notBefore: Int64) { satellites = SatelliteTime(notBefore: notBefore) }

  mutating func setMachineClock(_ clock: WallClock) {
    if clock.quality == machine.quality, abs(clock.offset - machine.offset) < Self.tremble { return }
    machine = clock
  }

  /// What date it is: NTP's, else the receivers', else the machine's own.
  var date: WallClock {
    guard machine.quality != .ntp, let offset = satellites.offset else { return machine }
    return WallClock(offset: offset, quality: .gps)
  }

  /// Takes the chosen receiver's fix for the date.
  mutating func tellTime(_ fix: Fix, began: Int64) -> SatelliteTime.News? {
    satellites.fix(fix, at: began, machine: machine.quality == .unset ? nil : began + machine.offset)
  }
}
