import FleetDomain
import Peers

/// Parses the records of a message.
///
///     fleet/VAN-001/telemetry   {"type":"telemetry",…,"vehicleId":"VAN-001",…}\n{"type":"telemetry",…}\n
///
/// The broker's access rights determine who may publish to a topic. Therefore a record is refused if its vehicle is not
/// the vehicle of its topic.
///
/// A record is also refused if its vehicle's ID contains characters that gateways replace in topics, such as `VAN 1`
/// and `A/B`. Several such IDs lead to the same topic, so a client with the right to this topic could send records for
/// all of these vehicles.
///
/// The reader uses no I/O and no clock.
struct MessageReader: Sendable {
  /// The content of a message.
  struct Read: Sendable {
    var tag: UInt64
    var topic: String
    var bytes: Int
    /// The valid records.
    var records: [IncomingRecord] = []
    /// The number of refused records.
    var refused = 0
    /// The reason of the first refusal; `nil` if no record was refused.
    var reason: String?
    /// Whether the message has no records, such as a gateway's status.
    var isIgnored = false
  }

  /// The first level of topics.
  let topic: String
  /// The separator of levels: `/` in MQTT, and `.` in AMQP, as RabbitMQ's plugin writes it.
  let separator: Character
  let maximumRecords: Int
  private let prefix: String

  init(topic: String, separator: Character, maximumRecords: Int) {
    self.topic = topic
    self.separator = separator
    self.maximumRecords = maximumRecords
    prefix = String(topic.map { $0 == "/" ? separator : $0 }) + String(separator)
  }

  func read(_ message: ConsumedMessage) -> Read {
    var read = Read(tag: message.tag, topic: message.topic, bytes: message.payload.count)
    guard let level = vehicle(of: message.topic) else {
      return refuse(read, "expected a topic \(prefix){vehicleId}\(separator){type}")
    }
    guard message.topic.dropFirst(prefix.count + level.count + 1) != "status" else {
      read.isIgnored = true
      return read
    }
    if let bytes = message.oversize { return refuse(read, "\(bytes) bytes are too many for one message") }
    guard RecordCount.most(in: message.payload.span) <= maximumRecords else {
      return refuse(read, "more than \(maximumRecords) records are too many for one message")
    }
    let batch = IncomingBatch(parsing: message.payload.span)
    guard batch.count > 0 || batch.breakOff != nil else { return refuse(read, "no records") }
    append(batch, level, to: &read)
    if let breakOff = batch.breakOff {
      read.refused += 1
      read.reason = read.reason ?? "\(breakOff)"
    }
    return read
  }

  /// Returns the part of the topic with the vehicle's id, between the prefix and the type; `nil` if the topic has
  /// another form. RabbitMQ converts dots in an id to separators, so the result may contain separators.
  private func vehicle(of topic: String) -> Substring? {
    guard topic.hasPrefix(prefix), let end = topic.lastIndex(of: separator) else { return nil }
    let start = topic.index(topic.startIndex, offsetBy: prefix.count)
    guard start < end, topic.index(after: end) < topic.endIndex else { return nil }
    return topic[start..<end]
  }

  private func append(_ batch: IncomingBatch, _ level: Substring, to read: inout Read) {
    if let first = batch.refusals.first {
      read.refused = batch.refusals.count
      read.reason = "record \(first.index): \(first.refusal)"
    }
    var last = ""
    var isOwn = false
    for record in batch.records {
      if record.vehicleId != last || last.isEmpty {
        last = record.vehicleId
        isOwn = last.utf8.elementsEqual(level.utf8) && TopicLevel.isLevel(last.utf8)
      }
      guard isOwn else {
        read.refused += 1
        read.reason = read.reason ?? "\(Self.foreign(last, level))"
        continue
      }
      read.records.append(record)
    }
  }

  private static func foreign(_ vehicle: String, _ level: Substring) -> RecordRefusal {
    let expected =
      TopicLevel.isLevel(vehicle.utf8)
      ? RecordRefusal.quoted(level) + " as in the topic"
      : "1 to 128 printable ASCII characters but blanks, + # / \\ and quotes, as brokers' rights are about them"
    return RecordRefusal(
      .foreignVehicle, key: "vehicleId", "expected \(expected), found \(RecordRefusal.quoted(vehicle))")
  }

  private func refuse(_ read: Read, _ reason: String) -> Read {
    var read = read
    read.refused = 1
    read.reason = reason
    return read
  }
}
