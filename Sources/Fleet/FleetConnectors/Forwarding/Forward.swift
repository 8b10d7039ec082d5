import FleetDomain
import FleetProviders
import Telemetry

/// The configuration of another program to which new records of the tenant are sent.
public struct Forward: Kind {
  public enum Format: String, FieldChoice, Sendable {
    /// Traccar's format for forwarded positions, one position in each request.
    case traccar
    /// InfluxDB's line protocol.
    case influx
    /// Prometheus' remote write protocol, version 1.
    case prometheus
    /// Signed JSON, in the format of the specification Standard Webhooks.
    case webhook
    /// Retained MQTT messages with Home Assistant's discovery. The address is an ``MQTTAddress``.
    case homeAssistant
  }

  public var name = ""
  public var format = Format.influx
  public var isActive = true
  public var address = ""
  /// The name of the HTTP header that contains the secret; `nil` for `Authorization`.
  public var keyHeader: String?
  /// The encrypted value of the header; `nil` if there is none.
  public var secret: String?
  public var state = Connector.State.waiting
  public var lastSentAt: Timestamp?
  /// The number of records that the other program has accepted.
  public var sent: Int64 = 0
  /// For each reason, the number of records that were not sent.
  public var ignored = JSON.object([:])
  /// The last failures, the newest first.
  public var failures: [RecentFailure] = []
  /// For a forward that was ended, the time until which the server tries to clear its messages on the broker; `nil` if
  /// the forward was not ended. As soon as the messages are cleared, the forward is removed.
  public var removeBy: Timestamp?

  public init() {}

  /// The time for which the server tries to clear the messages of a forward that was ended, s: a week.
  public static let longestRemoval = 7 * 86_400

  public static let names = KindNames(one: "forward", many: "forwards")
  public static let mostOfTenant: Int? = 50
  public static let fields: [Field<Forward>] = [
    Field("name", \.name, TextRules.shown).required().sortable().textSearched(),
    Field("format", \.format).required().settable(by: .creation).sortable(),
    Field("isActive", \.isActive).filterable(),
    Field("address", \.address).required(),
    Field("keyHeader", \.keyHeader, RequestHeader.checkKeyName).schema(RequestHeader.keyNameSchema),
    Field("secret", \.secret).settable(by: .hidden),
    Field("state", \.state).settable(by: .live).filterable(),
    Field("lastSentAt", \.lastSentAt).settable(by: .live),
    Field("sent", \.sent).settable(by: .live),
    Field("ignored", \.ignored).settable(by: .live).schema(
      #"{"description":"What was not sent, by reason.","type":"object","additionalProperties":{"type":"integer"}}"#),
    Field("failures", \.failures).settable(by: .live), Field("removeBy", \.removeBy).settable(by: .server),
  ]
}

/// The progress of a ``Forward``, and the server that sends its records. It has the same ID as the forward.
public struct ForwardProgress: LeasedWork {
  /// The position in the feed up to which records were sent; `nil` before the first attempt.
  public var position: Int64?
  public var leaseHolder: UUIDv7?
  public var leaseUntil: Timestamp?
  /// The time of the next attempt; `nil` while the forward is not active.
  public var nextAt: Timestamp?
  /// Number of failures since the last success.
  public var failures: Int64 = 0
  /// The last time at which a server looked for vehicles of this forward that have become silent or were removed; `nil`
  /// if no server has done this yet.
  public var checkedAt: Timestamp?

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "forwardProgress", many: "forward-progress")
  public static let fields: [Field<ForwardProgress>] = [
    Field("position", \.position), Field("leaseHolder", \.leaseHolder), Field("leaseUntil", \.leaseUntil),
    Field("nextAt", \.nextAt).sortable(), Field("failures", \.failures), Field("checkedAt", \.checkedAt),
  ]
}
