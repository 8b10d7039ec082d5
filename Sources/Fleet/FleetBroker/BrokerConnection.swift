/// One connection to a broker, from its beginning to its end; one thread has it.
///
/// Call order: the initializer connects and subscribes. ``receive(until:_:room:)`` gives messages, and ``settle(_:)`` says
/// what became of some of them. What is never settled, the broker hands over again, to us or another. ``close()`` at the
/// end, or never, where the connection broke.
protocol BrokerConnection: AnyObject {
  /// Whether messages may be taken while others are not settled yet. Where not, all that were given are settled at once.
  var readsAhead: Bool { get }

  /// Waits until messages come, the bell rings or the deadline comes.
  ///
  /// - Parameter room: bytes of messages that are wanted, the last one may go beyond; 0: nothing is read, the connection
  ///   is kept alive alone.
  func receive(until deadline: Int64, _ bell: Bell, room: Int) throws(BrokerFailure) -> [BrokerMessage]

  /// Tells the broker what became of messages, in the order in which they came.
  func settle(_ settlements: [Settlement]) throws(BrokerFailure)

  /// Says goodbye.
  func close()
}

/// What became of a message: acknowledged, or refused for good.
struct Settlement: Equatable, Sendable {
  var tag: UInt64
  var isRefused: Bool
}
