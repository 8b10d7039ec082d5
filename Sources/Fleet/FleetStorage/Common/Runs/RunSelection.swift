import FleetDomain
import Telemetry

/// Selects the telemetry records of a vehicle that are stored in new runs, and divides them into runs.
///
/// The size of runs is limited, because reading one record requires that all bodies of its run are decompressed.
enum RunSelection {
  /// Minimum number of records in a run, unless the bodies are long (``worthwhileBodies``).
  private static let fewestRecords = 16
  private static let mostRecords = 128
  /// Total size of a run's bodies at which the run is full, bytes.
  private static let fullBodies = 65_536
  /// Minimum total size of the bodies, bytes, for a run with fewer than ``fewestRecords`` records.
  private static let worthwhileBodies = 16_384
  /// Maximum total size of the bodies of a run, bytes: a run that is just below ``fullBodies`` may receive one more
  /// record.
  static let largestBodies = fullBodies + IncomingRecord.maximumCount
  /// Whether `count` records whose bodies have `bytes` bytes in total are stored as a run.
  static func isWorthwhile(_ count: Int, _ bytes: Int) -> Bool {
    count >= fewestRecords || (count > 1 && bytes >= worthwhileBodies)
  }

  /// Divides records into runs.
  ///
  /// - Parameters:
  ///   - candidates: indices of the rows that belong between two existing runs.
  ///   - previous: the existing run before the candidates; `nil` if there is none.
  ///   - next: the existing run after the candidates; `nil` if there is none.
  ///   - now: the server's clock, ms since 1970.
  /// - Returns: for each new run, the indices of its rows.
  static func runs(
    of rows: [RecordRow], _ candidates: [Int], after previous: RunSpan?, before next: RunSpan?, at now: Int64
  ) -> [[Int]] {
    // Records without a credible time, and records that are not later than the record before them, are not selected.
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

  /// Divides rows into groups, one for each month of their ids. The rows must be in the order of the ids.
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

  /// Divides rows into pieces that are within the limits and have about the same number of records. Pieces that are not
  /// worthwhile (``isWorthwhile(_:_:)``) are left out.
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
