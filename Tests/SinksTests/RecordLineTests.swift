import Telemetry
import Testing

@testable import Sinks
@testable import SinksTestKit

@Suite struct RecordLineTests {
  @Test func number_vehicle_id_and_moment_are_found() {
    let line = Batches.line(4_711, vehicle: #"W\"BA,\"epoch\":\"x"#, milliseconds: 1_795_219_200_123)[...]
    #expect(RecordLine.number(line) == RecordLine.Number(epoch: Batches.epoch, sequence: 4_711))
    #expect(RecordLine.vehicleId(line).map { String(decoding: $0, as: UTF8.self) } == #"W\"BA,\"epoch\":\"x"#)
    #expect(RecordLine.milliseconds(line) == 1_795_219_200_123)
  }

  @Test func the_record_line_reader_agrees_with_the_encoder() throws {
    var encoder = JSONLineEncoder()
    let head = RecordHead(
      type: .telemetry, id: UUIDv7(milliseconds: 77, first: 1, rest: 2), time: .elapsed(nanoseconds: 5),
      gatewayId: #"g"w\"#, vehicleId: "VAN", epoch: UUIDv7(milliseconds: 9, first: 9, rest: 9), sequence: 12)
    encoder.begin()
    head.write(to: &encoder)
    encoder.finish()
    let line = encoder.line.indices.map { encoder.line[$0] }
    #expect(RecordLine.number(line[...])?.sequence == 12)
    #expect(RecordLine.vehicleId(line[...]).map { String(decoding: $0, as: UTF8.self) } == "VAN")
    #expect(RecordLine.milliseconds(line[...]) == 77)
  }

  @Test func a_truncated_record_line_never_reads_as_another_sequence_number() {
    let line = Batches.line(4_711)
    for count in 0..<line.count {
      guard let number = RecordLine.number(line[..<count]) else { continue }
      #expect("4711".hasPrefix("\(number.sequence)"))
    }
    #expect(RecordLine.number(Array("{}\n".utf8)[...]) == nil)
  }
}
