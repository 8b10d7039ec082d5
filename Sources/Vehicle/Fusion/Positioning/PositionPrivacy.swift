import Geofencing
import NMEAWire

/// The precision with which records show the vehicle's position.
public enum PositionPrivacy: Equatable, Sendable {
  /// The position as received.
  case full
  /// Latitude and longitude are rounded to 0…5 decimals of a degree (2 decimals are 1.1 km). Altitude and heading are
  /// not shown.
  case coarse(decimals: Int)
  /// Position, altitude and heading are not shown; speed and fix type are.
  case off

  /// Returns a latitude or longitude with this precision, degrees; `nil` if it is not shown.
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

  /// Whether altitude and heading are not shown.
  var hidesDirection: Bool { self != .full }

  /// Returns the less precise of two precisions, this one and `other`.
  public func stricter(_ other: PositionPrivacy) -> PositionPrivacy {
    switch (self, other) {
    case (.off, _), (_, .off): .off
    case (.coarse(let one), .coarse(let two)): .coarse(decimals: min(one, two))
    case (.coarse, .full): self
    case (.full, _): other
    }
  }
}

/// The precision with which records show positions, in general and in certain geofences.
public struct PrivacyRules: Equatable, Sendable {
  /// A precision that applies in one geofence.
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

  /// The precision of positions outside the geofences of ``zones``.
  public var everywhere: PositionPrivacy
  /// Geofences in which another precision applies. If a position is in several of them, the lowest precision is used.
  public var zones: [Zone]

  /// Creates rules; the parameters are the properties of the same names.
  public init(everywhere: PositionPrivacy = .full, zones: [Zone] = []) {
    self.everywhere = everywhere
    self.zones = zones
  }
}
