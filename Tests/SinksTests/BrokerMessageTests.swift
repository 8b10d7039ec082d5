import Telemetry
import Testing

@testable import Sinks
@testable import SinksTestKit
@testable import Spool

@Suite struct BrokerMessageTests {
  @Test func a_message_has_one_vehicle_and_one_type_and_keeps_the_order() {
    let batch = Batches.batch([
      (.telemetry, Batches.line(1)), (.trip, Batches.line(2, .trip)), (.telemetry, Batches.line(3, vehicle: "VAN-002")),
      (.telemetry, Batches.line(4)), (.telemetry, Batches.line(5)),
    ])
    let messages = BrokerMessage.messages(of: batch, topic: "fleet", records: 2, bytes: 10_000)
    #expect(
      messages.map(\.topic) == [
        "fleet/VAN-001/telemetry", "fleet/VAN-001/trip", "fleet/VAN-002/telemetry", "fleet/VAN-001/telemetry",
      ])
    #expect(messages.map(\.records) == [[0, 3], [1], [2], [4]])
    #expect(messages[0].payload(batch) == Batches.line(1) + Batches.line(4))
  }

  @Test func a_message_keeps_to_its_bytes_and_has_one_record_however_long() {
    let batch = Batches.telemetry(1...5, text: "nnnnnnnnnn")
    let length = batch.records[0].range.count
    #expect(
      BrokerMessage.messages(of: batch, topic: "f", records: 100, bytes: length * 2).map(\.records.count) == [2, 2, 1])
    #expect(
      BrokerMessage.messages(of: batch, topic: "f", records: 100, bytes: 1).map(\.records.count) == [1, 1, 1, 1, 1])
  }
}
