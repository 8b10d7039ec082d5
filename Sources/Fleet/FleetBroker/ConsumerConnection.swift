/// A connection to a broker, used by one thread.
///
/// Call order: the initializer connects and subscribes. ``receive(until:_:room:)`` returns messages, and
/// ``settle(_:)`` acknowledges or rejects them. The broker delivers messages that were never settled again, to any
/// worker. ``close()`` is the last call, unless the connection was lost.
protocol ConsumerConnection: AnyObject {
  /// Whether more messages may be received before earlier ones are settled. If not, all received messages must be
  /// settled together.
  var readsAhead: Bool { get }

  /// Waits for messages, a wake-up or the deadline.
  ///
  /// - Parameter room: maximum number of bytes to read; the last message may exceed it. If it is 0, no message is read,
  ///   and the connection is only kept alive.
  func receive(until deadline: Int64, _ wakeUp: WakeUpPipe, room: Int) throws(BrokerFailure) -> [ConsumedMessage]

  /// Settles messages in the order in which they were received.
  func settle(_ settlements: [Settlement]) throws(BrokerFailure)

  /// Closes the connection in an orderly way.
  func close()
}

/// The result of a message: acknowledged, or rejected for good.
struct Settlement: Equatable, Sendable {
  var tag: UInt64
  var isRefused: Bool
}
