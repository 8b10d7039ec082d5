import FleetDomain
import Telemetry

/// Chooses what of a vehicle's telemetry goes into new runs, and where each run begins and ends.
///
/// Bounds keep the work of one read small: to read one record, all bodies of its run are unpacked.
enum RunSelection {
  /// Fewer records are not worth a run, unless they are large.
  private static let fewestRecords = 16
  private static let mostRecords = 128
  /// Bytes of the bodies at which a run ends.
  private static let fullBodies = 65_536
  /// Bytes from which on fewer records than ``fewestRecords`` are worth a run.
  private static let worthwhileBodies = 16_384
  /// Bytes that the bodies of a run have at most: those with which it is not yet full, and one more record.
  static let largestBodies = fullBodies + IncomingRecord.maximumCount
  /// Whether so many records, with bodies of so many bytes in all, are worth a run.
  static func isWorthwhile(_ count: Int, _ bytes: Int) -> Bool {
    count >= fewestRecords || (count > 1 && bytes >= worthwhileBodies)
  }

  /// - Parameters:
  ///   - rows: telemetry of one vehicle, in the order of their ids.
  ///   - candidates: which of them lie in the same gap between two runs.
  ///   - previous: the run before the gap.
  ///   - next: the run behind it.
  ///   - now: the server's clock, ms.
  /// - Returns: which rows make a run, for each run.
  static func runs(
    of rows: [RecordRow], _ candidates: [Int], after previous: RunSpan?, before next: RunSpan?, at now: Int64
  ) -> [[Int]] {
    // Late or undated records stay behind; the times of the others ascend.
    let (ahead, overflow) = now.addingReportingOverflow(Reception.tolerance)
    let credible = overflow ? .max : ahead
    let latest = min(next.map { $0.firstTime - 1 } ?? .max, credible)
    var last = previous?.lastTime ?? StoredTime.undated
    var fitting: [Int] = []
    fitting.reserveCapacity(candidates.count)
    for index in candidates {
      let row = rows[index]
      guard row.quality != .ahead, row.time > last, row.time <= latest, Int64(row.key.idHigh >> 16) <= credible else {
        continue
      }
      fitting.append(index)
      last = row.time
    }
    return months(rows, fitting).flatMap { pieces(rows, $0) }
  }

  /// Parts whose ids were made in the same month.
  private static func months(_ rows: [RecordRow], _ indexes: [Int]) -> [ArraySlice<Int>] {
    var parts: [ArraySlice<Int>] = []
    var rest = indexes[...]
    while let first = rest.first, let id = rows[first].key.id {
      let end = IdMonth(of: id).bounds.to?.high ?? .max
      let next = rest.firstIndex(fromWhich: { rows[$0].key.idHigh >= end })
      parts.append(rest[..<next])
      rest = rest[next...]
    }
    return parts
  }

  /// Pieces of about the same number of records, each within its bounds.
  private static func pieces(_ rows: [RecordRow], _ indexes: ArraySlice<Int>) -> [[Int]] {
    let count = (indexes.count + mostRecords - 1) / mostRecords
    let most = count == 0 ? 0 : (indexes.count + count - 1) / count
    var pieces: [[Int]] = []
    var (piece, bytes): ([Int], Int) = ([], 0)
    func end() {
      if isWorthwhile(piece.count, bytes) { pieces.append(piece) }
      (piece, bytes) = ([], 0)
    }
    for index in indexes {
      piece.append(index)
      bytes += rows[index].body.count
      if piece.count == most || bytes >= fullBodies { end() }
    }
    end()
    return pieces
  }
}
