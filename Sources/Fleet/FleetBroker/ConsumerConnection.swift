/// A connection to a broker, used by one thread.
///
/// Call order: the initializer connects and subscribes. ``receive(until:_:room:)`` returns messages, and
/// ``acknowledge(_:)`` acknowledges or rejects them. Unacknowledged messages are delivered again, to any worker.
/// ``close()`` is the last call, unless the connection was lost.
protocol ConsumerConnection: AnyObject {
  /// Whether more messages may be received before earlier ones are acknowledged. If not, all received messages must be
  /// acknowledged together.
  var readsAhead: Bool { get }

  /// Waits for messages, a wake-up or the deadline.
  ///
  /// - Parameter room: maximum number of bytes to read; the last message may exceed it. If it is 0, no message is read,
  ///   and the connection is only kept alive.
  func receive(until deadline: Int64, _ wakeUp: WakeUpPipe, room: Int) throws(BrokerFailure) -> [ConsumedMessage]

  /// Acknowledges or rejects messages in the order in which they were received.
  func acknowledge(_ results: [DeliveryResult]) throws(BrokerFailure)

  /// Closes the connection in an orderly way.
  func close()
}

/// The result of a message: acknowledged, or rejected for good.
struct DeliveryResult: Equatable, Sendable {
  var tag: UInt64
  var isRefused: Bool
}
