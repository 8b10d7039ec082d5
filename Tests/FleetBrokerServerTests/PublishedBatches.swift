import Telemetry

@testable import Spool

/// Records in the form in which they leave a gateway's spool.
enum PublishedBatches {
  /// Returns one telemetry record. The same number always gives the same record.
  static func line(_ number: Int, vehicle: String) -> [UInt8] {
    let digits = String(number, radix: 16)
    let tail = String(repeating: "0", count: 12 - digits.count) + digits
    return Array(
      (#"{"type":"telemetry","id":"019ab000-0000-7000-8000-\#(tail)","timestamp":"2026-11-21T12:00:00.000Z","#
        + #""timeQuality":"gps","gatewayId":"gw-17","vehicleId":"\#(vehicle)","#
        + #""epoch":"019ab000-0000-7000-8000-000000000001","seq":\#(number),"rpm":\#(number)}"# + "\n").utf8)
  }

  static func batch(_ lines: [(RecordType, [UInt8])], from first: Int) -> RecordBatch {
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
