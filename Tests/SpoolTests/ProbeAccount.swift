import Telemetry

@testable import Spool

/// The output of `SpoolProbe run`, and the records that its spool must therefore have.
struct ProbeAccount {
  private var made: Set<Int> = []
  private var waiting: Set<Int> = []
  /// Values that the probe reported as durable.
  private(set) var committed: Set<Int> = []
  /// For each number, the record that was sent under it, over all runs.
  private(set) var sent: [UInt64: Int] = [:]
  private var acknowledged: Set<UInt64> = []
  private var lost = SequenceSet()
  /// Reported losses, each with the number of its sequence numbers.
  private(set) var losses: [(reason: Substring, numbers: Int)] = []
  /// SpoolLines that contradict each other.
  private(set) var contradictions: [String] = []

  /// Processes a line of the probe; lines must be in order.
  mutating func record(_ line: Substring) {
    let words = line.split(separator: " ")
    func number(_ index: Int) -> Int { index < words.count ? Int(words[index]) ?? 0 : 0 }
    switch words.first {
    case "opened": waiting = []
    case "loss" where number(2) > 0:
      lost.insert(UInt64(number(2))...UInt64(number(3)))
      losses.append((words[1], number(3) - number(2) + 1))
    case "made":
      waiting.formUnion(number(1)...number(2))
      made.formUnion(number(1)...number(2))
    case "committed":
      committed.formUnion(waiting)
      waiting = []
    case "sent":
      let before = sent.updateValue(number(2), forKey: UInt64(number(1)))
      if let before, before != number(2) { contradictions.append("\(line), before it was \(before)") }
      if !made.contains(number(2)), number(2) != 0 { contradictions.append("\(line) was never made") }
    case "acknowledged": acknowledged.insert(UInt64(number(1)))
    default: break
    }
  }

  /// Returns the faults of the spool in a folder; empty if there are none. Every committed record that was not
  /// acknowledged must be there, once, under the number that it had. Every number must be that of a record or in a gap.
  ///
  /// - Parameters:
  ///   - boot: the boot ID; that of `SpoolProbe` is "probe".
  ///   - reason: the reason with which the loss of its memory must be reported.
  func faults(of folder: String, boot: String, reason: GapRecord.Reason) throws -> [String] {
    var faults = contradictions
    var options = SpoolOptions(folder: folder, sinks: ["a"], newEpoch: { UUIDv7(milliseconds: 7, first: 7, rest: 7) })
    options.commitInterval = 1
    var spool = Spool(options, boot: boot)
    for news in spool.allNews() {
      if case .setAside = news { faults.append("\(news)") }
    }
    guard spool.state == .durable else { return faults + ["\(spool.state)"] }
    var known = lost
    for loss in try spool.reportLosses() {
      if let range = loss.sequences { known.insert(range) } else { faults.append("\(loss)") }
      if loss.reason != reason { faults.append("\(loss)") }
    }
    spool.commitAll()
    var found: [Int: UInt64] = [:]
    for record in spool.drain() {
      known.insert(record.sequence...record.sequence)
      guard let value = record.value else { continue }
      if let other = found.updateValue(record.sequence, forKey: value) {
        faults.append("\(value) twice: \(other), \(record.sequence)")
      }
      if let before = sent[record.sequence], before != value {
        faults.append("number \(record.sequence) was of \(before), is of \(value)")
      }
      if !made.contains(value) { faults.append("\(value) was never made") }
    }
    let done = Set(acknowledged.compactMap { sent[$0] })
    let missing = committed.subtracting(done).subtracting(found.keys)
    if !missing.isEmpty { faults.append("committed and gone: \(missing.sorted())") }
    for number in sent.keys { known.insert(number...number) }
    if known.ranges.count > 1 || known.ranges.first.map({ $0.lowerBound > 1 }) == true {
      faults.append("unexplained: numbers between \(known.ranges)")
    }
    return faults
  }
}
