import Telemetry
import TestKit

/// Records in the form in which the gateway makes them; their epoch and `seq` are not those of the spool.
enum SpoolLines {
  static let second: Int64 = 1_000_000_000
  /// 2026-11-21T00:00:00Z, ns.
  static let day: Int64 = 1_795_219_200_000_000_000

  static func head(_ type: RecordType, _ number: Int, time: RecordTime? = nil) -> RecordHead {
    RecordHead(
      type: type, id: UUIDv7(milliseconds: 1, first: 2, rest: UInt64(number)),
      time: time ?? .elapsed(nanoseconds: Int64(number) * second), gatewayId: "gw-\"17\"", vehicleId: "VAN-001",
      epoch: UUIDv7(milliseconds: 9, first: 9, rest: 9), sequence: UInt64(number) + 1_000)
  }

  /// Returns a record with `"rpm":number` and a unique text of this length, which cannot be compressed.
  static func telemetry(_ number: Int, text: Int = 0) -> [UInt8] {
    var line = JSONLineEncoder()
    line.begin()
    head(.telemetry, number).write(to: &line)
    line.field("rpm", number)
    if text > 0 { line.field("note", noise(number, count: text)) }
    line.finish()
    return bytes(line)
  }

  private static func noise(_ number: Int, count: Int) -> String {
    var random = Reproducible(number)
    // Printable characters that JSON does not escape.
    return String(decoding: (0..<count).map { _ in UInt8.random(in: 0x5D...0x7E, using: &random) }, as: UTF8.self)
  }

  /// Returns an event with `"speed":number`.
  static func event(_ number: Int) -> [UInt8] {
    record(
      head(.driving, number),
      DrivingRecord(event: .overspeed, figures: [NamedValue("speed", .number(Double(number)))]))
  }

  static func record<Body: RecordBody>(_ head: RecordHead, _ body: Body) -> [UInt8] {
    var line = JSONLineEncoder()
    line.record(head, body)
    return bytes(line)
  }

  private static func bytes(_ line: borrowing JSONLineEncoder) -> [UInt8] {
    line.line.indices.map { line.line[$0] }
  }
}
