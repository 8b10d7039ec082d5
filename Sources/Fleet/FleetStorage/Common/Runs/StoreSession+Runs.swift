import FleetDomain
import Telemetry

/// Functions that store records, either as rows or in runs.
extension StoreSession {
  /// Stores new records. Telemetry records of one vehicle are stored in runs if there are enough of them. All other
  /// records are stored as rows.
  ///
  /// The work depends only on the number of records, not on their IDs. Each record needs one index look-up. Each run
  /// that may contain one of the records is read once.
  ///
  /// - Parameters:
  ///   - rows: rows with unique keys, in the order of ``RowKey/isBefore(_:_:)``.
  ///   - now: the server's clock, ms since 1970.
  /// - Returns: the time qualities of the records that the database already contained. The keys are the indices of the
  ///   records in `rows`.
  func store(_ rows: [RecordRow], at now: Int64) throws(StoreFailure) -> [Int: StoredQuality] {
    let shares = Self.telemetryShares(rows)
    if shares.isEmpty { return try insert(rows) }
    try lock(vehicles: shares.map { rows[$0.lowerBound].key.vehicle })
    var (gaps, existing) = try gaps(of: rows, shares)
    gaps.removeAll { gap in
      !RunSelection.isWorthwhile(gap.indexes.count, gap.indexes.reduce(0) { $0 + rows[$1].body.count })
    }
    let runs = try runs(of: rows, gaps, at: now)
    if !runs.isEmpty { try insert(try Self.packed(runs, of: rows)) }
    if runs.isEmpty && existing.isEmpty { return try insert(rows) }

    var isDone = Array(repeating: false, count: rows.count)
    for index in existing.keys { isDone[index] = true }
    for index in runs.joined() { isDone[index] = true }
    let rest = rows.indices.filter { !isDone[$0] }
    if rest.isEmpty { return existing }
    for (place, quality) in try insert(rest.map { rows[$0] }) { existing[rest[place]] = quality }
    return existing
  }

  /// Returns, for each vehicle, the range of the indices of its telemetry in `rows`.
  private static func telemetryShares(_ rows: [RecordRow]) -> [Range<Int>] {
    var shares: [Range<Int>] = []
    for (index, row) in rows.enumerated() where row.key.recordClass == RowKey.telemetryClass {
      if let last = shares.last, last.upperBound == index, rows[last.lowerBound].key.vehicle == row.key.vehicle {
        shares[shares.count - 1] = last.lowerBound..<(index + 1)
      } else {
        shares.append(index..<(index + 1))
      }
    }
    return shares
  }

  /// Sorts telemetry records into the gaps between the existing runs, and finds the records that existing runs already
  /// contain.
  ///
  /// - Returns: `gaps`: the gaps to which records belong, each with the indices of these records. `existing`: the time
  ///   qualities of the records that existing runs already contain; the keys are the indices of these records.
  private func gaps(
    of rows: [RecordRow], _ shares: [Range<Int>]
  ) throws(StoreFailure) -> (gaps: [RunGap], existing: [Int: StoredQuality]) {
    let next = try nextRuns(Self.ranges(of: rows, shares))
    var gaps: [RunGap] = []
    var crossing: [Int] = []
    for (share, run) in zip(shares, next) {
      if let run, let last = rows[share.upperBound - 1].key.id, !last.isBefore(run.firstId) {
        crossing += share
      } else {
        gaps.append(RunGap(indexes: Array(share), next: run))
      }
    }
    if crossing.isEmpty { return (gaps, [:]) }

    // Find the run that may contain each record, and read the entries of these runs.
    let candidates = try nextRuns(Self.ranges(of: rows, crossing.map { $0..<($0 + 1) }))
    var spanned: [(index: Int, id: UUIDv7, run: RunSpan)] = []
    for (index, run) in zip(crossing, candidates) {
      guard let id = rows[index].key.id else { continue }
      if let run, run.spans(id) {
        spanned.append((index, id, run))
      } else if let last = gaps.last, last.next == run, let before = last.indexes.last,
        rows[before].key.vehicle == rows[index].key.vehicle
      {
        gaps[gaps.count - 1].indexes.append(index)
      } else {
        gaps.append(RunGap(indexes: [index], next: run))
      }
    }
    var existing: [Int: StoredQuality] = [:]
    let runs = try runs(at: RunSpan.distinct(spanned.map(\.run)), withBodies: false)
    for (index, id, run) in spanned {
      if let entry = runs[run]?.entry(id) { existing[index] = entry.quality }
    }
    return (gaps, existing)
  }

  /// Selects which records from the gaps between existing runs are stored in new runs.
  ///
  /// - Returns: for each new run, the indices of its rows.
  private func runs(of rows: [RecordRow], _ gaps: [RunGap], at now: Int64) throws(StoreFailure) -> [[Int]] {
    if gaps.isEmpty { return [] }
    let previous = try previousRuns(
      Self.ranges(of: rows, gaps.map { ($0.indexes.first ?? 0)..<(($0.indexes.last ?? 0) + 1) }))
    var runs: [[Int]] = []
    for (gap, previous) in zip(gaps, previous) {
      runs += RunSelection.runs(of: rows, gap.indexes, after: previous, before: gap.next, at: now)
    }
    if runs.isEmpty { return [] }
    // If a record may already exist as a row, do not put it into a run. The statement that inserts rows then detects
    // whether it exists.
    let haveRows = try haveRows(Self.ranges(of: rows, runs.map { ($0.first ?? 0)..<(($0.last ?? 0) + 1) }))
    return zip(runs, haveRows).filter { !$0.1 }.map(\.0)
  }

  static func packed(_ runs: [[Int]], of rows: [RecordRow]) throws(StoreFailure) -> [NewRun] {
    var packer = try RunPacker()
    var new: [NewRun] = []
    for indexes in runs {
      if let run = try NewRun(indexes.map { rows[$0] }, &packer) { new.append(run) }
    }
    return new
  }

  private static func ranges(of rows: [RecordRow], _ shares: [Range<Int>]) -> [RunRange] {
    shares.compactMap { share in
      let key = rows[share.lowerBound].key
      guard let first = key.id, let last = rows[share.upperBound - 1].key.id else { return nil }
      return RunRange(tenant: key.tenant, vehicle: key.vehicle, first: first, last: last)
    }
  }
}

/// Records of one vehicle that belong between two successive runs.
private struct RunGap {
  /// Indices of the rows, in the order of ids.
  var indexes: [Int]
  /// The existing run that follows the records; `nil` if there is none.
  var next: RunSpan?
}

extension NewRun {
  /// Creates a run from rows.
  ///
  /// - Parameter rows: rows that ``RunSelection`` selected; if there are none, the result is `nil`.
  init?(_ rows: [RecordRow], _ packer: inout RunPacker) throws(StoreFailure) {
    var (entries, bodies): ([RunEntry], [UInt8]) = ([], [])
    entries.reserveCapacity(rows.count)
    bodies.reserveCapacity(rows.reduce(0) { $0 + $1.body.count })
    for row in rows {
      guard let id = row.key.id else { continue }
      let start = bodies.count
      bodies.append(contentsOf: row.body)
      entries.append(
        RunEntry(
          id: id, time: row.time, sequence: row.sequence, quality: row.quality, received: row.received,
          hasPosition: row.hasPosition, body: start..<bodies.count))
    }
    guard let first = entries.first, let last = entries.last else { return nil }
    span = RunSpan(
      tenant: rows[0].key.tenant, vehicle: rows[0].key.vehicle, firstId: first.id, lastId: last.id,
      firstTime: first.time, lastTime: last.time)
    count = entries.count
    self.entries = RunEntryCoding.bytes(entries)
    packedBodies = try packer.pack(bodies)
  }
}
