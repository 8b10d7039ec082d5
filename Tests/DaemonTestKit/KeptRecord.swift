import Foundation
import TestKit
import Testing

/// A record as it is in the file of a sink.
struct KeptRecord {
  let line: String
  let object: [String: Any]
  let id: String
  let epoch: String
  let seq: Int
  let type: String
  /// The numbers that it reports as lost; `nil` if it is not a `gap` record.
  let gap: ClosedRange<Int>?
  /// The epoch of the lost records, if it is not the epoch of this record.
  let lostEpoch: String?

  init(_ line: String) throws {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    self.line = line
    self.object = object
    id = try #require(object["id"] as? String)
    epoch = try #require(object["epoch"] as? String)
    seq = try #require(object["seq"] as? Int)
    type = try #require(object["type"] as? String)
    lostEpoch = object["lostEpoch"] as? String
    if let from = object["fromSeq"] as? Int, let to = object["toSeq"] as? Int { gap = from...to } else { gap = nil }
  }

  /// Returns `epoch seq` of all records in a spool that some sink lacks, as read by Python's SQLite.
  ///
  /// - Parameter isLive: whether a daemon has the spool open.
  static func committed(in folder: String, isLive: Bool = false) throws -> Set<String> {
    let script = TestData.projectRoot + "/Tests/Support/spool-records.py"
    let run = try Tool.run("/usr/bin/python3", [script, folder] + (isLive ? ["live"] : []))
    #expect(run.status == 0, "\(run.errors)")
    return Set(run.output.split(separator: "\n").map { $0.split(separator: " ").prefix(2).joined(separator: " ") })
  }

  /// Describes the numbers that did not arrive although no gap reports them, and those that a gap reports although they
  /// arrived.
  static func unexplainedHoles(in records: [KeptRecord]) -> [String] {
    var arrived: [String: Set<Int>] = [:]
    var told: [String: Set<Int>] = [:]
    for record in records {
      arrived[record.epoch, default: []].insert(record.seq)
      if let gap = record.gap { told[record.lostEpoch ?? record.epoch, default: []].formUnion(gap) }
    }
    return arrived.flatMap { epoch, numbers in
      let lost = told[epoch] ?? []
      let missing = Set(1...(numbers.max() ?? 1)).subtracting(numbers).subtracting(lost)
      return missing.sorted().map { "\(epoch) \($0) is missing" }
        + lost.intersection(numbers).sorted().map { "\(epoch) \($0) is called lost" }
    }
  }
}
