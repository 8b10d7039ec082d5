import Foundation
import TestKit
import Testing

@testable import Spool
@testable import Telemetry

/// A record that a sink receives, in a form that can be compared.
struct Seen: Equatable {
  let number: RecordBatch.Number
  let json: String

  var sequence: UInt64 { number.sequence }
  /// The value of `rpm` in telemetry, or of `speed` in an event.
  var value: Int? {
    for key in ["\"rpm\":", "\"speed\":"] {
      guard let range = json.range(of: key) else { continue }
      return Int(json[range.upperBound...].prefix { $0.isNumber })
    }
    return nil
  }
  var object: [String: Any] {
    get throws { try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:] }
  }
}

extension SpoolOptions {
  /// Opens a spool in a folder, with the options that most tests use.
  init(_ folder: borrowing ScratchFolder, sinks: [String] = ["a"]) {
    self.init(folder: folder.file("spool"), sinks: sinks) {
      UUIDv7(milliseconds: 1, first: .random(in: 0...UInt64.max), rest: .random(in: 0...UInt64.max))
    }
  }
}

extension Spool {
  init(_ options: SpoolOptions, boot: String = "boot-1") { self.init(options, bootId: boot, at: 0) }

  /// Appends telemetry records with `"rpm":n` and the time n s.
  mutating func telemetry(_ numbers: ClosedRange<Int>, text: Int = 0) throws {
    for number in numbers {
      try append(SpoolLines.telemetry(number, text: text).span, at: Int64(number) * SpoolLines.second)
    }
  }

  /// Appends an event.
  mutating func event(_ number: Int) throws {
    try append(SpoolLines.event(number).span, at: Int64(number) * SpoolLines.second)
  }

  /// Commits all waiting records, without waiting for the end of the interval.
  mutating func commitAll() {
    advance(to: now)
    advance(to: now + options.commitInterval)
  }

  /// Returns the next batch of a sink.
  mutating func nextRecords(_ sink: Int = 0, records: Int = 1_000, bytes: Int = 1 << 20) -> [Seen] {
    var batch = RecordBatch()
    nextBatch(for: sink, limit: RecordBatch.Limit(records: records, bytes: bytes), at: now, into: &batch)
    return batch.seen
  }

  /// Reads and acknowledges all batches of a sink, and returns their records.
  mutating func drain(_ sink: Int = 0, records: Int = 1_000) -> [Seen] {
    var all: [Seen] = []
    while true {
      let seen = nextRecords(sink, records: records)
      guard !seen.isEmpty else { return all }
      all += seen
      acknowledge(seen, by: sink)
    }
  }

  mutating func acknowledge(_ seen: [Seen], by sink: Int = 0) {
    for record in seen { acknowledge(record.sequence...record.sequence, in: record.number.source, by: sink) }
  }

  /// Returns all reports so far.
  mutating func allNews() -> [SpoolEvent] {
    var all: [SpoolEvent] = []
    while let one = popEvent() { all.append(one) }
    return all
  }

  /// Appends a `gap` record for each loss, as the gateway does.
  @discardableResult
  mutating func reportLosses() throws -> [Loss] {
    var all: [Loss] = []
    while let loss = popLoss() {
      all.append(loss)
      let body = loss.gap ?? GapRecord(fromSequence: 0, toSequence: 0, reason: loss.reason)
      try append(SpoolLines.record(SpoolLines.head(.gap, 0), body).span, at: now, explaining: loss)
    }
    return all
  }
}

extension RecordBatch {
  var seen: [Seen] {
    records.map { Seen(number: $0.number, json: String(decoding: bytes[$0.range], as: UTF8.self)) }
  }
}
