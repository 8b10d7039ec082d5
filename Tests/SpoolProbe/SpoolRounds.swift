import Spool

/// Appends, commits, delivers and acknowledges records. It prints every step, so that the reader knows the expected
/// state after a kill:
///
///     opened EPOCH            the spool is open
///     loss REASON FROM TO N   of which a record is owed
///     made FIRST LAST         these records are appended next (and may be lost)
///     committed N             all records up to N are durable
///     sent SEQ N              record N left under that number
///     acknowledged SEQ        and was acknowledged
struct SpoolRounds {
  private let folder: String
  private let seed: UInt64

  init(_ folder: String, seed: UInt64) {
    self.folder = folder
    self.seed = seed
  }

  /// Runs rounds. Records are numbered from `seed` × 1,000,000 on.
  func run(_ rounds: Int) {
    var random = Reproducible(state: seed)
    var options = SpoolOptions(folder)
    options.commitInterval = 1
    var spool = Spool(options, bootId: "probe", at: 0)
    var maker = Maker()
    var batch = RecordBatch()
    var made = Int(seed) * 1_000_000
    var now: Int64 = 1
    printLine("opened \(spool.epoch.map { "\($0.high).\($0.low)" } ?? "-")")
    maker.reportLosses(to: &spool)
    for _ in 0..<rounds {
      let numbers = (made + 1)...(made + Int.random(in: 1...60, using: &random))
      made = numbers.upperBound
      // The records are reported before they are appended: the spool commits some of them as soon as they exceed the
      // reserved numbers.
      printLine("made \(numbers.lowerBound) \(made)")
      for number in numbers {
        maker.append(number, isEvent: Int.random(in: 0..<20, using: &random) == 0, to: &spool)
      }
      spool.advance(to: now)
      now += 2
      spool.advance(to: now)
      guard spool.state == .durable else {
        printLine("failed \(spool.state)")
        return
      }
      printLine("committed \(made)")
      spool.nextBatch(for: 0, limit: RecordBatch.Limit(records: 40), at: now, into: &batch)
      for record in batch.records {
        printLine("sent \(record.number.sequence) \(Self.value(batch.bytes[record.range]))")
      }
      for record in batch.records where Int.random(in: 0..<8, using: &random) > 0 {
        let sequence = record.number.sequence
        // The line is printed before the acknowledgement: from now on the record may be missing.
        printLine("acknowledged \(sequence)")
        spool.acknowledge(sequence...sequence, in: record.number.source, by: 0)
      }
      if Int.random(in: 0..<4, using: &random) == 0 { spool.requeue(by: 0) }
    }
    spool.close(at: now)
    printLine("closed")
  }

  /// Returns the value of `rpm` in a record; 0 for a gap.
  static func value(_ line: ArraySlice<UInt8>) -> Int {
    let key = Array("\"rpm\":".utf8)
    var index = line.startIndex
    while index + key.count < line.endIndex, !line[index...].starts(with: key) { index += 1 }
    var value = 0
    for byte in line[min(index + key.count, line.endIndex)...].prefix(while: { $0 >= 0x30 && $0 <= 0x39 }) {
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }
}
