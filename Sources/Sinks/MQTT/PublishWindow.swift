/// Which messages of a batch are under way to the broker, and which are done. Synchronous, without a network.
///
/// Call order: while ``next()`` gives a message, publish it and tell by ``published(_:as:)``; each PUBACK by
/// ``acknowledged(_:reason:)``; until ``isDone``.
struct PublishWindow: Sendable {
  /// What a PUBACK means.
  enum Verdict: Equatable, Sendable {
    /// The broker has these records.
    case delivered([Int])
    /// It will never take this record.
    case refused(Int, reason: Int)
    /// It does not take them all at once: they go one by one.
    case divided
    /// It does not take them now.
    case stop(reason: Int)
    /// No message of this batch.
    case unknown
  }

  /// A reason of PUBACK (MQTT 5, 3.4.2.1): no matching subscribers.
  static let nobodySubscribes = 0x10

  private var waiting: [BrokerMessage]
  private var underWay: [Int: BrokerMessage] = [:]
  private let size: Int
  private let needsSubscriber: Bool

  /// - Parameters:
  ///   - size: how many may be under way at once.
  ///   - needsSubscriber: a message that nobody subscribes to is not delivered.
  init(_ messages: [BrokerMessage], size: Int, needsSubscriber: Bool = false) {
    self.needsSubscriber = needsSubscriber
    waiting = messages.reversed()
    self.size = max(1, size)
  }

  /// Whether the broker has said of each message what becomes of it.
  var isDone: Bool { waiting.isEmpty && underWay.isEmpty }

  /// The message to publish next; nil: none, or none before another is acknowledged.
  func next() -> BrokerMessage? { underWay.count < size ? waiting.last : nil }

  /// The one that ``next()`` gave is under way.
  mutating func published(as number: Int) {
    guard let message = waiting.popLast() else { return }
    underWay[number] = message
  }

  /// - Parameter reason: of MQTT 5 (3.4.2.1); 0 in 3.1.1, whose brokers have no way to refuse.
  mutating func acknowledged(_ number: Int, reason: Int) -> Verdict {
    guard let message = underWay.removeValue(forKey: number) else { return .unknown }
    switch reason {
    // The broker has thrown it away. A mosquitto that has just started is so until the workers behind a shared subscription
    // are back.
    case Self.nobodySubscribes where needsSubscriber: return .stop(reason: reason)
    case ..<0x80: return .delivered(message.records)
    // The topic's name, the packet's length, the payload.
    case 0x90, 0x95, 0x99:
      guard message.records.count > 1 else { return .refused(message.records[0], reason: reason) }
      for record in message.records.reversed() {
        waiting.append(BrokerMessage(topic: message.topic, records: [record], bytes: 0))
      }
      return .divided
    default: return .stop(reason: reason)
    }
  }
}
