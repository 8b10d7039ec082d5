import Peers
import Spool
import Telemetry

/// One message to the broker: JSON lines of one vehicle and one record type.
struct BrokerMessage: Equatable, Sendable {
  var topic: String
  /// Indices of the records in the batch, ascending.
  var records: [Int]
  /// Length of the payload, bytes.
  var bytes: Int

  /// Groups a batch into messages. Records of one vehicle and type keep their order.
  ///
  /// - Parameters:
  ///   - topic: prefix of the topics.
  ///   - records: maximum number of records in a message.
  ///   - bytes: maximum length of a payload. A single longer record still becomes a message.
  static func messages(
    of batch: RecordBatch, topic: String, records limit: Int, bytes: Int
  ) -> [BrokerMessage] {
    var messages: [BrokerMessage] = []
    // The incomplete message of each topic.
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

  /// Returns the lines of its records.
  func payload(_ batch: RecordBatch) -> [UInt8] {
    var payload: [UInt8] = []
    payload.reserveCapacity(bytes)
    for index in records { payload += batch.bytes[batch.records[index].range] }
    return payload
  }
}
