import Telemetry

@testable import Spool

/// Records in the form in which they leave the spool.
enum Batches {
  static let epoch = "019ab000-0000-7000-8000-000000000001"

  /// Returns the id of a record that was made at a time in ms, for example `00000000-0000-7000-8000-000000000017` for
  /// record 23.
  static func id(_ number: Int, milliseconds: UInt64 = 0x19a_b000_0000) -> String {
    func hex(_ value: UInt64, _ digits: Int) -> String {
      let text = String(value, radix: 16)
      return String(repeating: "0", count: max(0, digits - text.count)) + text.suffix(digits)
    }
    return hex(milliseconds >> 16, 8) + "-" + hex(milliseconds & 0xFFFF, 4) + "-7000-8000-" + hex(UInt64(number), 12)
  }

  static func line(
    _ number: Int, _ type: RecordType = .telemetry, vehicle: String = "VAN-001",
    milliseconds: UInt64 = 0x19a_b000_0000, text: String = ""
  ) -> [UInt8] {
    let note = text.isEmpty ? "" : #","note":"\#(text)""#
    return Array(
      (#"{"type":"\#(type.name)","id":"\#(id(number, milliseconds: milliseconds))","#
        + #""timestamp":"2026-11-21T12:00:00.000Z","timeQuality":"gps","gatewayId":"gw-17","#
        + #""vehicleId":"\#(vehicle)","epoch":"\#(epoch)","seq":\#(number),"rpm":\#(number)\#(note)}"#
        + "\n").utf8)
  }

  /// Returns telemetry records with these numbers.
  static func telemetry(_ numbers: ClosedRange<Int>, text: String = "") -> RecordBatch {
    batch(numbers.map { (.telemetry, line($0, text: text)) }, from: numbers.lowerBound)
  }

  /// Returns the unacknowledged records of a batch, as the spool would deliver them again.
  static func rest(of batch: RecordBatch, without acknowledged: [Range<Int>]) -> RecordBatch {
    var rest = RecordBatch()
    for (index, record) in batch.records.enumerated() where !acknowledged.contains(where: { $0.contains(index) }) {
      let start = rest.bytes.count
      rest.bytes += batch.bytes[record.range]
      _ = rest.append(record.number, record.type, from: start, RecordBatch.Limit(records: .max, bytes: .max))
    }
    return rest
  }

  static func batch(_ lines: [(RecordType, [UInt8])], from first: Int = 1) -> RecordBatch {
    var batch = RecordBatch()
    for (index, (type, line)) in lines.enumerated() {
      let start = batch.bytes.count
      batch.bytes += line
      let number = RecordBatch.Number(UInt64(first + index), in: .file(1))
      _ = batch.append(number, type, from: start, RecordBatch.Limit(records: .max, bytes: .max))
    }
    return batch
  }
}
