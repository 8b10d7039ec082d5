import Peers
import Spool
import Telemetry

/// One message to the broker. Its payload is JSON lines with records of one vehicle and one type.
struct BrokerMessage: Equatable, Sendable {
  var topic: String
  /// Indices of the message's records in the batch, in ascending order.
  var records: [Int]
  /// Length of the payload, bytes.
  var bytes: Int

  /// Groups the records of a batch into messages. Within a message, the records keep their order.
  ///
  /// - Parameters:
  ///   - topic: prefix of all topics.
  ///   - records: maximum number of records in a message.
  ///   - bytes: maximum length of a payload, bytes. A record that is longer than this is a message by itself.
  static func messages(
    of batch: RecordBatch, topic: String, records limit: Int, bytes: Int
  ) -> [BrokerMessage] {
    var messages: [BrokerMessage] = []
    // For each topic, the index of its last message, to which more records can be added.
    var open: [String: Int] = [:]
    for (index, record) in batch.records.enumerated() {
      let line = batch.bytes[record.range]
      let name = "\(topic)/\(TopicLevel.text(of: RecordLine.vehicleId(line) ?? []))/\(record.type.name)"
      if let place = open[name], messages[place].records.count < limit, messages[place].bytes + line.count <= bytes {
        messages[place].records.append(index)
        messages[place].bytes += line.count
      } else {
        open[name] = messages.count
        messages.append(BrokerMessage(topic: name, records: [index], bytes: line.count))
      }
    }
    return messages
  }

  /// Returns the JSON lines of the message's records.
  func payload(_ batch: RecordBatch) -> [UInt8] {
    var payload: [UInt8] = []
    payload.reserveCapacity(bytes)
    for index in records { payload += batch.bytes[batch.records[index].range] }
    return payload
  }
}
