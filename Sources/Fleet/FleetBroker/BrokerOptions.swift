import FleetDomain

/// Settings for receiving records from brokers.
public struct BrokerOptions: Equatable, Sendable {
  /// Brokers of one cluster, all with the same protocol; at least one. If the connection to one fails, the next is
  /// used.
  public var addresses: [BrokerAddress]
  /// The password of the user in the addresses; `nil` for none.
  public var password: String?
  /// Whether the password may be sent to another machine without TLS.
  public var isInsecure = false
  /// The tenant of the records.
  public var tenant = TenantID.standard
  /// The first level of topics: `fleet/{vehicleId}/{type}`.
  public var topic = "fleet"
  public var tls = BrokerTLS()
  /// AMQP: the name of the quorum queue. Rejected messages go to the queue of this name with the suffix `.refused`.
  public var queue = "fleet.ingest"
  /// MQTT: the name of the shared subscription. Workers with the same name share the messages.
  public var group = "fleetstore"
  /// MQTT: the client id of this worker; it must be unique.
  public var clientId = "fleetstore"
  /// MQTT: the time for which the broker stores messages for this worker while it is disconnected, in seconds.
  public var sessionSeconds = 86_400
  /// The maximum number of messages that are delivered but not yet acknowledged.
  public var prefetchMessages = 256
  /// The maximum size of all waiting messages, in bytes; the last message may exceed it. At the limit, nothing is read
  /// from the connection.
  public var prefetchBytes = 8 << 20
  /// The maximum length of a message in bytes. Longer messages are rejected.
  public var messageBytes = 4 << 20
  /// The maximum number of records in a message.
  public var messageRecords = 20_000
  /// The heartbeat interval in seconds.
  public var heartbeat = 20
  /// The time limit of the broker's answers in seconds.
  public var answerSeconds = 10
  /// The longest pause between two attempts to connect, in seconds.
  public var retrySeconds = 30
  /// The time limit for stopping the worker in milliseconds. In this time, the worker finishes the current transaction,
  /// acknowledges its messages, and closes the connection.
  public var stopMilliseconds = 600

  public init(_ addresses: [BrokerAddress]) { self.addresses = addresses }

  var isAMQP: Bool { addresses.first?.language == .amqp }
}

/// TLS files of a connection (PEM).
public struct BrokerTLS: Equatable, Sendable {
  /// File of the certificate authorities for the broker's certificate; `nil` for the system's.
  public var authorities: String?
  /// File of the client certificate; `nil` for none.
  public var certificate: String?
  /// File of the client certificate's private key; `nil` for none.
  public var key: String?

  public init() {}
}
