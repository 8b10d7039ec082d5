/// A record of a change in an adapter's state, or of an error that it reported.
public struct AdapterRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.adapter

  /// The kind of event.
  public enum Event: UInt8, Sendable {
    case found, connected, lost, recovered, quirk, sleeping, awake
    /// An answer from the adapter was invalid.
    case error
    /// From now on, the vehicle's position comes from another receiver.
    case positionSource
    /// Name of the event in records.
    public var name: StaticString {
      switch self {
      case .found: "found"
      case .connected: "connected"
      case .lost: "lost"
      case .recovered: "recovered"
      case .quirk: "quirk"
      case .sleeping: "sleeping"
      case .awake: "awake"
      case .error: "error"
      case .positionSource: "positionSource"
      }
    }
  }

  /// The kind of event.
  public var event: Event
  /// Path or address of the adapter or receiver.
  public var device: String
  /// Identification that the adapter sent, such as `ELM327 v1.5`; `nil` if unknown.
  public var identity: String?
  /// The bus, as the adapter reports it, such as `ISO 15765-4 (CAN 11/500)`; `nil` if unknown.
  public var protocolName: String?
  /// The reason for the event, a word such as `noData` or `notProbed`; `nil` if there is none.
  public var reason: String?
  /// Address of the ECU concerned, such as `7E9`; `nil` if no single ECU is concerned.
  public var ecu: String?
  /// How often an error occurred; `nil` for other events.
  public var count: UInt64?
  /// The text line that the adapter sent, if an error occurred; `nil` for other events.
  public var bytes: String?

  /// Creates a record.
  public init(
    event: Event, device: String, identity: String? = nil, protocolName: String? = nil, reason: String? = nil
  ) {
    self.event = event
    self.device = device
    self.identity = identity
    self.protocolName = protocolName
    self.reason = reason
  }

  public func write(to line: inout JSONLineEncoder) {
    line.field("event", event.name)
    line.field("device", device)
    line.field("identity", identity)
    line.field("protocol", protocolName)
    line.field("reason", reason)
    line.field("ecu", ecu)
    line.field("count", count)
    line.field("bytes", bytes)
  }
}
