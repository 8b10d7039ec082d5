/// Tracks which messages of a batch are in flight (published, but not acknowledged), and which are acknowledged. It
/// does no I/O.
///
/// While ``next()`` returns a message, publish it and call ``published(as:)``. For each PUBACK, call
/// ``acknowledged(_:reason:)``. Repeat this until ``isDone`` is true.
struct PublishWindow: Sendable {
  /// The meaning of a PUBACK for the records of its message.
  enum Verdict: Equatable, Sendable {
    /// The broker has accepted the records with these indices.
    case delivered([Int])
    /// The broker rejects the record with this index for good.
    case refused(Int, reason: Int)
    /// The broker rejects a message with several records. Each of its records will be sent as a separate message.
    case divided
    /// The broker accepts no records now. `reason` is the reason code of the PUBACK.
    case stop(reason: Int)
    /// The packet identifier belongs to no message of this batch.
    case unknown
  }

  /// The reason code with which a broker acknowledges (PUBACK) a message if nobody subscribes to its topic (MQTT 5,
  /// section 3.4.2.1).
  static let nobodySubscribes = 0x10

  private var waiting: [BrokerMessage]
  private var underWay: [Int: BrokerMessage] = [:]
  private let size: Int
  private let needsSubscriber: Bool

  /// Creates a window for the messages of one batch.
  ///
  /// - Parameters:
  ///   - size: maximum number of messages in flight.
  ///   - needsSubscriber: whether a message counts as not delivered if nobody subscribes to its topic.
  init(_ messages: [BrokerMessage], size: Int, needsSubscriber: Bool = false) {
    self.needsSubscriber = needsSubscriber
    waiting = messages.reversed()
    self.size = max(1, size)
  }

  /// Whether the broker has acknowledged or rejected every message.
  var isDone: Bool { waiting.isEmpty && underWay.isEmpty }

  /// The message to publish next; `nil` if all messages are published, or if too many are in flight.
  func next() -> BrokerMessage? { underWay.count < size ? waiting.last : nil }

  /// Marks as published the message that ``next()`` returned. `number` is the message's packet identifier.
  mutating func published(as number: Int) {
    guard let message = waiting.popLast() else { return }
    underWay[number] = message
  }

  /// Handles a PUBACK.
  ///
  /// - Parameters:
  ///   - number: packet identifier of the message.
  ///   - reason: reason code of the PUBACK (MQTT 5, section 3.4.2.1). It is 0 with MQTT 3.1.1, in which a broker cannot
  ///     reject a message.
  mutating func acknowledged(_ number: Int, reason: Int) -> Verdict {
    guard let message = underWay.removeValue(forKey: number) else { return .unknown }
    switch reason {
    // The broker has dropped the message. After a restart, mosquitto does this until the clients of a shared
    // subscription are connected again.
    case Self.nobodySubscribes where needsSubscriber: return .stop(reason: reason)
    case ..<0x80: return .delivered(message.records)
    // The reason is an invalid topic name, a packet that is too large, or an invalid payload format.
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
