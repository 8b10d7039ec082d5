import Fusion
import Geofencing

extension FenceRules {
  /// Creates, from the configuration, the rules for fence events. Values that are not configured have their defaults.
  init(_ wanted: GatewayConfiguration.Geofences?) {
    self.init()
    guard let wanted else { return }
    announcesFirstFix = wanted.announcesFirstFix
    if let radius = wanted.leastErrorRadius { leastErrorRadius = radius }
    if let radius = wanted.errorPerHDOP { errorPerHDOP = radius }
    if let seconds = wanted.hold { hold = Int64((seconds * 1e9).rounded()) }
    if let distance = wanted.carriedDistance { carriedDistance = distance }
    if let seconds = wanted.carriedTime { carriedTime = Int64((seconds * 1e9).rounded()) }
  }
}

extension Cadence {
  /// Creates the cadence from the configuration. The cadence determines when telemetry records are made.
  init(_ record: GatewayConfiguration.Record) {
    let period = Int64((record.period * 1e9).rounded())
    self =
      switch record.trigger {
      case .period: .every(nanoseconds: period)
      case .change: .onChange(nanoseconds: period)
      case .cycle: .cycle
      }
  }
}

extension PrivacyRules {
  /// Creates, from the configuration, the rules for the precision of the positions in records.
  init(_ wanted: GatewayConfiguration.Privacy) {
    func privacy(_ level: GatewayConfiguration.Privacy.Level) -> PositionPrivacy {
      switch level {
      case .full: .full
      case .coarse: .coarse(decimals: wanted.decimals)
      case .off: .off
      }
    }
    self.init(
      everywhere: privacy(wanted.position),
      zones: wanted.zones.map { Zone(fence: $0.fence, privacy: privacy($0.level)) })
  }
}
