/// What became of an adapter.
public struct AdapterRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.adapter

  /// What happened.
  public enum Event: UInt8, Sendable {
    case found, connected, lost, recovered, quirk, sleeping, awake
    /// An answer could not be used.
    case error
    /// Another receiver's fixes are the vehicle's position from now on.
    case positionSource
    /// As records print it.
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

  /// What happened.
  public var event: Event
  /// Path or address of the device.
  public var device: String
  /// Its banner: `ELM327 v1.5`.
  public var identity: String?
  /// The bus, as the adapter names it: `ISO 15765-4 (CAN 11/500)`.
  public var protocolName: String?
  /// Why: a word, as `noData` or `notProbed`.
  public var reason: String?
  /// The ECU that it is about, where it is one: `7E9`.
  public var ecu: String?
  /// How often it happened, for errors.
  public var count: UInt64?
  /// The line that the adapter sent, for errors.
  public var bytes: String?

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
