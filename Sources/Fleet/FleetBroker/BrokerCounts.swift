/// The number of messages and transactions that a worker has processed since its start.
public struct BrokerCounts: Equatable, Sendable {
  /// Messages that the broker delivered.
  public var consumed = 0
  /// Consumed messages that the broker had delivered before, to this worker or to another one.
  public var redelivered = 0
  /// Messages acknowledged after the commit of all their records.
  public var committed = 0
  /// Messages with at least one refused record. RabbitMQ moves them to the dead-letter queue; with mosquitto, only the
  /// log mentions them.
  public var refused = 0
  /// Messages that contain no records: the status of a gateway.
  public var ignored = 0
  /// Number of transactions.
  public var commits = 0
  /// Messages that wait for a transaction.
  public var waiting = 0
  /// Whether a broker is connected.
  public var isConnected = false

  public init() {}
}
