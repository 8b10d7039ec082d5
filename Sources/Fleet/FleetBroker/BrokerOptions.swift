import FleetDomain

/// How records are taken from brokers.
public struct BrokerOptions: Equatable, Sendable {
  /// Brokers of one cluster, all of one language: one of them is used, another where it fails. At least one.
  public var addresses: [BrokerAddress]
  /// Of the addresses' user; nil: none is sent.
  public var password: String?
  /// Whether the password may be sent without TLS to another machine.
  public var isInsecure = false
  /// Whose records they are.
  public var tenant = TenantID.standard
  /// What topics begin with: `fleet/{vehicleId}/{type}`.
  public var topic = "fleet"
  public var tls = BrokerTLS()
  /// AMQP: the quorum queue. What is refused goes to the queue of this name with `.refused` behind it.
  public var queue = "fleet.ingest"
  /// MQTT: workers of one group share the messages.
  public var group = "fleetstore"
  /// MQTT: by which the broker knows this worker again; no two may have the same one.
  public var clientId = "fleetstore"
  /// MQTT: how long the broker keeps what is for this worker while it is away, seconds.
  public var sessionSeconds = 86_400
  /// Messages that the broker hands over before they are acknowledged.
  public var prefetchMessages = 256
  /// Bytes of messages that wait here, but for the last one; nothing more is read from the connection meanwhile.
  public var prefetchBytes = 8 << 20
  /// A longer message is refused.
  public var messageBytes = 4 << 20
  /// Records that a message may have.
  public var messageRecords = 20_000
  /// Between two signs of life, seconds.
  public var heartbeat = 20
  /// Until a broker has answered, seconds.
  public var answerSeconds = 10
  /// No wait between two attempts to connect is longer, seconds.
  public var retrySeconds = 30
  /// Until a stop is through, milliseconds: the transaction under way, its acknowledgement, the goodbye.
  public var stopMilliseconds = 600

  public init(_ addresses: [BrokerAddress]) { self.addresses = addresses }

  var isAMQP: Bool { addresses.first?.language == .amqp }
}

/// Certificates of a connection, as PEM files.
public struct BrokerTLS: Equatable, Sendable {
  /// Authorities that the broker's certificate may come from, in place of the system's.
  public var authorities: String?
  /// Our own certificate, and its key.
  public var certificate: String?
  public var key: String?

  public init() {}
}
