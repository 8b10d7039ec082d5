/// What one worker has done since its start.
public struct BrokerCounts: Equatable, Sendable {
  /// Messages that the broker handed over.
  public var consumed = 0
  /// Of these, those that the broker had handed over before, to whomever.
  public var redelivered = 0
  /// Messages acknowledged after the commit of all their records.
  public var committed = 0
  /// Messages of which something was refused: given to the refused queue, or named in the log.
  public var refused = 0
  /// Messages that are no records: what gateways say of themselves.
  public var ignored = 0
  /// Transactions.
  public var commits = 0
  /// Messages that wait for a transaction now.
  public var waiting = 0
  /// Whether a broker hands messages over now.
  public var isConnected = false

  public init() {}
}
