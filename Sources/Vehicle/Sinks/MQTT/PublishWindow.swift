/// Tracks which messages of a batch are in flight and which are acknowledged. It does no I/O.
///
/// Call order: while ``next()`` returns a message, publish it and call ``published(as:)``. For each PUBACK call
/// ``acknowledged(_:reason:)``. Repeat until ``isDone``.
struct PublishWindow: Sendable {
  /// The meaning of a PUBACK.
  enum Verdict: Equatable, Sendable {
    /// The broker accepted these records.
    case delivered([Int])
    /// The broker rejects this record for good.
    case refused(Int, reason: Int)
    /// The broker rejects the message; its records are sent one by one.
    case divided
    /// The broker accepts no records now.
    case stop(reason: Int)
    /// The identifier belongs to no message of this batch.
    case unknown
  }

  /// PUBACK reason code (MQTT 5, section 3.4.2.1): no matching subscribers.
  static let nobodySubscribes = 0x10

  private var waiting: [BrokerMessage]
  private var underWay: [Int: BrokerMessage] = [:]
  private let size: Int
  private let needsSubscriber: Bool

  /// Creates a window for the messages of one batch.
  ///
  /// - Parameters:
  ///   - size: maximum number of messages in flight.
  ///   - needsSubscriber: whether a message without subscribers counts as not delivered.
  init(_ messages: [BrokerMessage], size: Int, needsSubscriber: Bool = false) {
    self.needsSubscriber = needsSubscriber
    waiting = messages.reversed()
    self.size = max(1, size)
  }

  /// Whether the broker has answered every message.
  var isDone: Bool { waiting.isEmpty && underWay.isEmpty }

  /// The message to publish next; `nil` if there is none, or if an acknowledgement has to come first.
  func next() -> BrokerMessage? { underWay.count < size ? waiting.last : nil }

  /// Marks the message that ``next()`` returned as in flight, under this packet identifier.
  mutating func published(as number: Int) {
    guard let message = waiting.popLast() else { return }
    underWay[number] = message
  }

  /// Handles a PUBACK.
  ///
  /// - Parameter reason: its reason code in MQTT 5 (section 3.4.2.1); 0 in 3.1.1, whose brokers cannot reject a
  ///   message.
  mutating func acknowledged(_ number: Int, reason: Int) -> Verdict {
    guard let message = underWay.removeValue(forKey: number) else { return .unknown }
    switch reason {
    // The broker dropped the message. After a restart, mosquitto does this until the workers behind a shared
    // subscription reconnect.
    case Self.nobodySubscribes where needsSubscriber: return .stop(reason: reason)
    case ..<0x80: return .delivered(message.records)
    // Invalid topic name, packet too large, invalid payload format.
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
