import Fusion

@testable import GatewayTestKit

/// Stores the records that a pipeline makes.
struct KeptRecords: RecordSink {
  var records: [Record] = []
  mutating func record(_ line: Span<UInt8>) {
    var bytes: [UInt8] = []
    for index in line.indices { bytes.append(line[index]) }
    if let record = try? Record(bytes.dropLast()) { records.append(record) }
  }
}
