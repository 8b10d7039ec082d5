/// The name and the rules of a geofence. The ``FenceSet`` contains its geometry.
///
///     let depot = Fence(id: "depot-7", name: "Depot", dwell: 600_000_000_000)
public struct Fence: Equatable, Sendable {
  /// Identifier, unique in its set.
  public var id: String
  /// Display name; `nil` if unknown.
  public var name: String?
  /// Whether entering the fence is reported.
  public var notifyOnEntry: Bool
  /// Whether leaving the fence is reported.
  public var notifyOnExit: Bool
  /// A dwell event is reported once in each visit, when the visit has lasted this long, ns; `nil` for no dwell event.
  public var dwell: Int64?
  /// Speed limit inside the fence, km/h; `nil` if there is none. ``FenceWatch/speedLimit`` reports it.
  public var speedLimit: Double?

  /// Creates a fence.
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
  /// Latitude, −90…90, north positive.
  public var latitude: Double
  /// Longitude, −180…180, east positive.
  public var longitude: Double

  /// Creates a position. The values are not checked; see ``isOnEarth``.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both angles are in range.
  public var isOnEarth: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }
}
