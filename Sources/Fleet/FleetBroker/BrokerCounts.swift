/// The work of a worker since its start.
public struct BrokerCounts: Equatable, Sendable {
  /// Messages that the broker delivered.
  public var consumed = 0
  /// Of these, the messages that the broker had delivered before, to any worker.
  public var redelivered = 0
  /// Messages acknowledged after the commit of all their records.
  public var committed = 0
  /// Messages with at least one refused record: sent to the dead-letter queue, or named in the log.
  public var refused = 0
  /// Messages without records: the status of gateways.
  public var ignored = 0
  /// Number of transactions.
  public var commits = 0
  /// Messages that wait for a transaction.
  public var waiting = 0
  /// Whether a broker is connected.
  public var isConnected = false

  public init() {}
}
