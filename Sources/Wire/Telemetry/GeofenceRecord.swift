/// A record of a vehicle's entry to, exit from or dwell in a geofence.
public struct GeofenceRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.geofence

  /// The kind of event.
  public enum Event: UInt8, Sendable {
    case enter, exit, dwell
    /// Name of the event in records.
    public var name: StaticString {
      switch self {
      case .enter: "enter"
      case .exit: "exit"
      case .dwell: "dwell"
      }
    }
  }

  /// The fence's `id` in the GeoJSON file.
  public var fenceId: String
  /// The fence's display name; `nil` if unknown.
  public var fenceName: String?
  /// The kind of event.
  public var event: Event
  /// Latitude of the vehicle at the event, degrees; `nil` if positions are withheld.
  public var latitude: Double?
  /// Longitude of the vehicle at the event, degrees; `nil` if positions are withheld.
  public var longitude: Double?

  /// Creates a record.
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
