/// What became of an adapter.
public struct AdapterRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.adapter

  /// What happened.
  public enum Event: UInt8, Sendable {
    case found, connected, lost, recovered, quirk, sleeping, awake
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
  /// Why, in words for people.
  public var reason: String?

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
  }
}
