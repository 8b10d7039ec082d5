import Geofencing
import NMEAWire

/// How much of the vehicle's position records show.
public enum PositionPrivacy: Equatable, Sendable {
  case full
  /// Latitude and longitude rounded to so many decimals of a degree, 0…5 (2: 1.1 km); no altitude, no heading.
  case coarse(decimals: Int)
  /// Neither place nor altitude nor heading; speed and the kind of fix stay.
  case off

  /// An angle as it is shown.
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

  /// Whether more than the place itself is hidden.
  var hidesDirection: Bool { self != .full }

  /// The one of both that shows less.
  public func stricter(_ other: PositionPrivacy) -> PositionPrivacy {
    switch (self, other) {
    case (.off, _), (_, .off): .off
    case (.coarse(let one), .coarse(let two)): .coarse(decimals: min(one, two))
    case (.coarse, .full): self
    case (.full, _): other
    }
  }
}

/// How much records show everywhere, and how much in certain fences.
public struct PrivacyRules: Equatable, Sendable {
  /// In one fence.
  public struct Zone: Equatable, Sendable {
    /// The fence's id.
    public var fence: String
    public var privacy: PositionPrivacy

    public init(fence: String, privacy: PositionPrivacy) {
      self.fence = fence
      self.privacy = privacy
    }
  }

  public var everywhere: PositionPrivacy
  public var zones: [Zone]

  public init(everywhere: PositionPrivacy = .full, zones: [Zone] = []) {
    self.everywhere = everywhere
    self.zones = zones
  }
}
