import Geofencing
import NMEAWire

/// The precision of the vehicle's position in records.
public enum PositionPrivacy: Equatable, Sendable {
  /// The position as received.
  case full
  /// Latitude and longitude rounded to 0…5 decimals of a degree (2 decimals: 1.1 km); no altitude, no heading.
  case coarse(decimals: Int)
  /// No position, altitude or heading; speed and fix type remain.
  case off

  /// Applies the precision to an angle; `nil` if it is hidden.
  func shown(_ degrees: Double) -> Double? {
    switch self {
    case .full: return degrees
    case .coarse(let decimals):
      var unit = 1.0
      for _ in 0..<decimals { unit *= 10 }
      return (degrees * unit).rounded() / unit
    case .off: return nil
    }
  }

  /// Whether altitude and heading are hidden.
  var hidesDirection: Bool { self != .full }

  /// Returns the less precise one of both.
  public func stricter(_ other: PositionPrivacy) -> PositionPrivacy {
    switch (self, other) {
    case (.off, _), (_, .off): .off
    case (.coarse(let one), .coarse(let two)): .coarse(decimals: min(one, two))
    case (.coarse, .full): self
    case (.full, _): other
    }
  }
}

/// The general precision of positions, and that in certain geofences.
public struct PrivacyRules: Equatable, Sendable {
  /// The precision in one geofence.
  public struct Zone: Equatable, Sendable {
    /// ID of the geofence.
    public var fence: String
    /// The precision in this geofence.
    public var privacy: PositionPrivacy

    /// Creates a rule; the parameters are the properties of the same names.
    public init(fence: String, privacy: PositionPrivacy) {
      self.fence = fence
      self.privacy = privacy
    }
  }

  /// The precision outside all zones.
  public var everywhere: PositionPrivacy
  /// Geofences with a different precision. If several contain a position, the strictest one applies.
  public var zones: [Zone]

  /// Creates rules; the parameters are the properties of the same names.
  public init(everywhere: PositionPrivacy = .full, zones: [Zone] = []) {
    self.everywhere = everywhere
    self.zones = zones
  }
}
