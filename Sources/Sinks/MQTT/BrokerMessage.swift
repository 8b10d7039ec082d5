import Peers
import Spool
import Telemetry

/// One message to the broker: records of one vehicle and one type as JSON lines.
struct BrokerMessage: Equatable, Sendable {
  var topic: String
  /// Indices in the batch, ascending.
  var records: [Int]
  var bytes: Int

  /// Makes messages of a batch: records keep their order within each vehicle and type.
  ///
  /// - Parameters:
  ///   - topic: what topics begin with.
  ///   - records: how many a message may have.
  ///   - bytes: how long a payload may be; one record is one message however long.
  static func messages(
    of batch: RecordBatch, topic: String, records limit: Int, bytes: Int
  ) -> [BrokerMessage] {
    var messages: [BrokerMessage] = []
    // The message of each vehicle and type that still has room.
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

  func payload(_ batch: RecordBatch) -> [UInt8] {
    var payload: [UInt8] = []
    payload.reserveCapacity(bytes)
    for index in records { payload += batch.bytes[batch.records[index].range] }
    return payload
  }
}
