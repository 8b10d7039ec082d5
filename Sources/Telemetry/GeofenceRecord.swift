/// The vehicle went into a fence, out of it, or has stayed inside for the fence's time.
public struct GeofenceRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.geofence

  /// What the vehicle did.
  public enum Event: UInt8, Sendable {
    case enter, exit, dwell
    /// As records print it.
    public var name: StaticString {
      switch self {
      case .enter: "enter"
      case .exit: "exit"
      case .dwell: "dwell"
      }
    }
  }

  /// The fence's `id` in its file.
  public var fenceId: String
  /// The fence's name for people.
  public var fenceName: String?
  /// What the vehicle did.
  public var event: Event
  /// Degrees, of the fix that decided it; nil where it is not to be known.
  public var latitude: Double?
  /// Degrees, of the fix that decided it; nil where it is not to be known.
  public var longitude: Double?

  public init(fenceId: String, fenceName: String?, event: Event, latitude: Double?, longitude: Double?) {
    self.fenceId = fenceId
    self.fenceName = fenceName
    self.event = event
    self.latitude = latitude
    self.longitude = longitude
  }

  public func write(to line: inout JSONLineEncoder) {
    line.field("fenceId", fenceId)
    line.field("fenceName", fenceName)
    line.field("event", event.name)
    if let latitude { line.field("latitude", latitude, decimals: Position.angleDecimals) }
    if let longitude { line.field("longitude", longitude, decimals: Position.angleDecimals) }
  }
}
