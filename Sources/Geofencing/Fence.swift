/// What a fence is called and what is to be said of it; where it lies is in the ``FenceSet``.
public struct Fence: Equatable, Sendable {
  /// Unique in its set.
  public var id: String
  /// For people.
  public var name: String?
  /// Whether an enter is told.
  public var notifyOnEntry: Bool
  /// Whether an exit is told.
  public var notifyOnExit: Bool
  /// How long a visit must last until a dwell is told, once, in ns; nil: never.
  public var dwell: Int64?
  /// km/h allowed inside; nothing here acts on it.
  public var speedLimit: Double?

  public init(
    id: String, name: String? = nil, notifyOnEntry: Bool = true, notifyOnExit: Bool = true, dwell: Int64? = nil,
    speedLimit: Double? = nil
  ) {
    self.id = id
    self.name = name
    self.notifyOnEntry = notifyOnEntry
    self.notifyOnExit = notifyOnExit
    self.dwell = dwell
    self.speedLimit = speedLimit
  }
}

/// A position in degrees of WGS 84.
public struct GeoPosition: BitwiseCopyable, Equatable, Sendable {
  /// −90…90, north positive.
  public var latitude: Double
  /// −180…180, east positive.
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether there is such a place.
  public var isOnEarth: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }
}
