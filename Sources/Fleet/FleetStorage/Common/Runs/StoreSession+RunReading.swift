import FleetDomain
import Telemetry

/// Functions that read records from rows and from runs.
extension StoreSession {
  /// Returns lists of records for a query, from which ``RecordPage/page(_:completeTo:)`` makes a page.
  ///
  /// - Parameter vehicle: the key of the query's vehicle; `nil` for all vehicles.
  func allLists(_ page: RecordPage, tenant: Int32, vehicle: Int32?) throws(StoreFailure) -> [[FoundRow]] {
    let lists = try lists(page, tenant: tenant, vehicle: vehicle)
    guard let vehicle, page.query.classes.contains(.known(.telemetry)) else { return lists }
    let reader = RunReader(session: self, tenant: tenant, vehicle: vehicle)
    let inRuns: [FoundRow]
    if let every = page.query.every {
      inRuns = try reader.newest(page, every)
    } else {
      inRuns = try reader.list(page)
    }
    return inRuns.isEmpty ? lists : lists.filter { !$0.isEmpty } + [inRuns]
  }

  /// Returns the existing records among these keys, in the order of the keys.
  ///
  /// - Parameter keys: keys of one tenant.
  func foundAll(_ keys: [RowKey]) throws(StoreFailure) -> [FoundRow] {
    let telemetry = keys.filter { $0.recordClass == RowKey.telemetryClass }.sorted(by: RowKey.isBefore)
    var found: [RowKey: FoundRow] = [:]
    try forEachInRuns(telemetry, within: WorkBudget(.max)) { key, run, entry, bodies throws(StoreFailure) in
      found[key] = try run.row(entry, in: bodies)
    }
    if found.isEmpty { return try self.found(keys) }
    let tenant = keys[0].tenant
    for row in try self.found(keys.filter { found[$0] == nil }) { found[row.key(tenant: tenant)] = row }
    return keys.compactMap { found[$0] }
  }

  /// Calls a function for each of the given telemetry records that is stored in a run.
  ///
  /// - Parameters:
  ///   - keys: keys in ascending order.
  ///   - budget: limits the cost of reading runs. When it is spent, no more runs are read.
  /// - Returns: the keys whose runs were not read.
  @discardableResult
  func forEachInRuns(
    _ keys: [RowKey], within budget: WorkBudget,
    _ body: (RowKey, TelemetryRun, RunEntry, _ bodies: [UInt8]) throws(StoreFailure) -> Void
  ) throws(StoreFailure) -> [RowKey] {
    let ranges = keys.compactMap { key in
      key.id.map { RunRange(tenant: key.tenant, vehicle: key.vehicle, first: $0, last: $0) }
    }
    if ranges.isEmpty { return [] }
    let spans = zip(keys, try nextRuns(ranges)).compactMap { key, span -> (key: RowKey, id: UUIDv7, span: RunSpan)? in
      guard let span, let id = key.id, span.spans(id) else { return nil }
      return (key, id, span)
    }
    if spans.isEmpty { return [] }
    let unpacker = try RunUnpacker()
    // Read only a few runs of one vehicle at a time, to limit the use of memory.
    var rest = spans[...]
    while let first = rest.first, !budget.isSpent {
      var (part, runs): (ArraySlice<(key: RowKey, id: UUIDv7, span: RunSpan)>, [RunSpan]) = ([], [first.span])
      for item in rest {
        if item.span != runs.last {
          if runs.count == 16 || item.span.vehicle != first.span.vehicle { break }
          runs.append(item.span)
        }
        part.append(item)
      }
      rest = rest.dropFirst(part.count)
      let read = try self.runs(at: runs, withBodies: true)
      var unpacked: (span: RunSpan, bodies: [UInt8])?
      for (key, id, span) in part {
        guard let run = read[span], let entry = run.entry(id) else { continue }
        if unpacked?.span != span {
          unpacked = (span, try unpacker.unpack(run.packedBodies))
          budget.charge(IngestCost.run + IngestCost.bytes(run.packedBodies.count))
        }
        if let bodies = unpacked?.bodies { try body(key, run, entry, bodies) }
      }
    }
    return rest.map(\.key)
  }
}

/// Reads the runs of one vehicle in the order of their times.
struct RunReader {
  let session: any StoreSession
  let tenant: Int32
  let vehicle: Int32

  private enum Side { case before, from }

  // MARK: Pages

  /// Returns the records for a page, in the order of the page. If more records follow, returns one more than the page's
  /// limit.
  func list(_ page: RecordPage) throws(StoreFailure) -> [FoundRow] {
    let query = page.query
    let bound = RecordBound(query, page.cursor, recordClass: .known(.telemetry), isFleetWide: false)
    let unpacker = try RunUnpacker()
    var rows: [FoundRow] = []
    if query.order == .oldestFirst {
      let end = RecordBound.end(query)
      var start = bound.time
      while rows.count <= query.limit {
        let runs = try runs(.from, start, Self.count(for: query.limit + 1 - rows.count), withBodies: true)
        for run in runs where run.span.firstTime < end {
          let part = run.entries.filter { bound.admits($0, oldestFirst: true) && $0.time < end }
          try append(part, of: run, unpacker, to: &rows)
        }
        guard let last = runs.last, last.span.lastTime < end, last.span.lastTime < .max else { break }
        start = last.span.lastTime + 1
      }
    } else {
      let start = RecordBound.start(query)
      // Read the run in which the page begins, then the runs before it.
      var runs = try runs(.from, bound.time, 1, withBodies: true)
      var next = bound.time
      while true {
        for run in runs where run.span.lastTime >= start {
          let part = run.entries.reversed().filter { bound.admits($0, oldestFirst: false) && $0.time >= start }
          try append(part, of: run, unpacker, to: &rows)
        }
        guard rows.count <= query.limit, next > start, next > .min else { break }
        runs = try self.runs(.before, next, Self.count(for: query.limit + 1 - rows.count), withBodies: true)
        guard let last = runs.last else { break }
        next = last.span.firstTime
      }
    }
    return Array(rows.prefix(query.limit + 1))
  }

  /// Returns the number of runs that one query reads if `records` records are needed.
  private static func count(for records: Int) -> Int { min(records / 64 + 1, 32) }

  private func append(
    _ entries: [RunEntry], of run: TelemetryRun, _ unpacker: borrowing RunUnpacker, to rows: inout [FoundRow]
  ) throws(StoreFailure) {
    if entries.isEmpty { return }
    let bodies = try unpacker.unpack(run.packedBodies)
    for entry in entries { rows.append(try run.row(entry, in: bodies)) }
  }

  // MARK: Down-sampling

  /// Returns the newest record in each time span of the length `every`. Bodies are read only from runs that contain
  /// such a record.
  func newest(_ page: RecordPage, _ every: Int64) throws(StoreFailure) -> [FoundRow] {
    let end = RecordBound.end(page.query)
    // Records without a time belong to no span, and are in no run.
    var start = max(page.cursor?.time ?? RecordBound.start(page.query), StoredTime.undated + 1)
    var chosen: [(run: RunSpan, entry: RunEntry)] = []
    // Runs that were read in advance and are not used yet. While all of them are needed, the next queries read more
    // runs.
    var ahead: [TelemetryRun] = []
    var count = 2
    while chosen.count <= page.query.limit, start < end {
      ahead.removeAll { $0.span.lastTime < start }
      if ahead.isEmpty { ahead = try runs(.from, start, count, withBodies: false) }
      guard let first = ahead.first?.entries.first(where: { $0.time >= start }), first.time < end else { break }
      let next = min(RecordPage.spanEnd(first.time, every), end)
      if let last = ahead.last, last.span.lastTime < next {
        // The newest record of the span may be in a run that was not read yet.
        count = min(count * 2, 64)
        let more = try runs(.from, last.span.lastTime + 1, count, withBodies: false)
        ahead = [last] + more
        if let last = more.last, last.span.lastTime < next {
          ahead = try runs(.before, next, 1, withBodies: false)
          count = 2
        }
      }
      if let (run, entry) = Self.last(before: next, ahead) { chosen.append((run, entry)) }
      start = next
    }
    return try rows(chosen)
  }

  private static func last(before end: Int64, _ runs: [TelemetryRun]) -> (RunSpan, RunEntry)? {
    for run in runs.reversed() where run.span.firstTime < end {
      return run.entries.last { $0.time < end }.map { (run.span, $0) }
    }
    return nil
  }

  private func rows(_ chosen: [(run: RunSpan, entry: RunEntry)]) throws(StoreFailure) -> [FoundRow] {
    let unpacker = try RunUnpacker()
    var rows: [FoundRow] = []
    var rest = chosen[...]
    while !rest.isEmpty {
      let part = rest.prefix(32)
      rest = rest.dropFirst(32)
      let runs = try session.runs(at: RunSpan.distinct(part.map(\.run)), withBodies: true)
      var unpacked: (span: RunSpan, bodies: [UInt8])?
      for (span, entry) in part {
        guard let run = runs[span] else { continue }
        if unpacked?.span != span { unpacked = (span, try unpacker.unpack(run.packedBodies)) }
        if let bodies = unpacked?.bodies { rows.append(try run.row(entry, in: bodies)) }
      }
    }
    return rows
  }

  // MARK: The newest

  /// Returns the sort key of the newest record in runs; `nil` if there is none. If `withPosition` is true, returns the
  /// newest record with a position; only about the 10,000 newest records are searched for it.
  func newest(withPosition: Bool) throws(StoreFailure) -> NewestPlace? {
    var (before, read) = (Int64.max, 0)
    while read < 10_000 {
      let runs = try runs(.before, before, withPosition ? 16 : 1, withBodies: false)
      for run in runs {
        if let entry = run.entries.last(where: { $0.hasPosition || !withPosition }) {
          return (entry.time, entry.sequence, entry.id)
        }
        read += run.entries.count
      }
      guard let last = runs.last else { break }
      before = last.span.firstTime
    }
    return nil
  }

  // MARK: Statements

  /// Returns runs that end before a time, the latest first (`before`), or that end at this time or later, the earliest
  /// first (`from`).
  private func runs(
    _ side: Side, _ time: Int64, _ limit: Int, withBodies: Bool
  ) throws(StoreFailure) -> [TelemetryRun] {
    let (comparison, direction) = side == .before ? ("<", "DESC") : (">=", "ASC")
    return try session.rows(
      """
      SELECT \(TelemetryRun.columns)\(withBodies ? ", bodies" : "") FROM telemetry_run
      WHERE tenant = $1 AND vehicle = $2 AND last_time \(comparison) $3 ORDER BY last_time \(direction) LIMIT $4
      """, [SQLValue(tenant), SQLValue(vehicle), .integer(time), .integer(Int64(limit))]
    ).map { row throws(StoreFailure) in
      try TelemetryRun(row, tenant: tenant, vehicle: vehicle, withBodies: withBodies)
    }
  }
}

extension RecordBound {
  /// Whether an entry is at this bound or comes after it in the order of reading. The reading of a page begins at the
  /// bound.
  fileprivate func admits(_ entry: RunEntry, oldestFirst: Bool) -> Bool {
    if time != entry.time { return (time < entry.time) == oldestFirst }
    if sequence != entry.sequence { return (sequence < entry.sequence) == oldestFirst }
    if idHigh != entry.id.high { return (idHigh < entry.id.high) == oldestFirst }
    return idLow == entry.id.low || (idLow < entry.id.low) == oldestFirst
  }
}
