import FleetDomain
import Telemetry

/// Operations on the table of runs. These operations are written for SQLite alone, because their speed matters. Other
/// operations use SQL that both databases support.
extension SQLiteSession {
  /// Does nothing, because the only writing transaction has already locked the whole file.
  func lock(vehicles: [Int32]) {}

  func nextRuns(_ ranges: [RunRange]) throws(StoreFailure) -> [RunSpan?] {
    let query = try SQLiteQuery(database, Self.neighbour(">=", "ASC"))
    var spans: [RunSpan?] = []
    spans.reserveCapacity(ranges.count)
    var last: (range: RunRange, span: RunSpan)?
    for range in ranges {
      if let last, last.range.vehicle == range.vehicle, last.span.tenant == range.tenant,
        !range.first.isBefore(last.range.first), !last.span.lastId.isBefore(range.first)
      {
        spans.append(last.span)
        continue
      }
      let span = try Self.span(query, range)
      spans.append(span)
      last = span.map { (range, $0) }
    }
    return spans
  }

  func previousRuns(_ ranges: [RunRange]) throws(StoreFailure) -> [RunSpan?] {
    let query = try SQLiteQuery(database, Self.neighbour("<", "DESC"))
    var spans: [RunSpan?] = []
    for range in ranges { spans.append(try Self.span(query, range)) }
    return spans
  }

  private static func neighbour(_ comparison: String, _ direction: String) -> String {
    """
    SELECT first_id, last_id, first_time, last_time FROM telemetry_run
    WHERE tenant = ?1 AND vehicle = ?2 AND last_id \(comparison) ?3 ORDER BY last_id \(direction) LIMIT 1
    """
  }

  private static func span(_ query: borrowing SQLiteQuery, _ range: RunRange) throws(StoreFailure) -> RunSpan? {
    query.bind(Int64(range.tenant), at: 1)
    query.bind(Int64(range.vehicle), at: 2)
    query.bind(high: range.first.high, low: range.first.low, at: 3)
    defer { query.reset() }
    guard try query.next() else { return nil }
    guard let first = query.identifier(0), let last = query.identifier(1) else {
      throw TelemetryRun.damaged("a run without its ids")
    }
    return RunSpan(
      tenant: range.tenant, vehicle: range.vehicle, firstId: first, lastId: last, firstTime: query.integer(2),
      lastTime: query.integer(3))
  }

  func haveRows(_ ranges: [RunRange]) throws(StoreFailure) -> [Bool] {
    let query = try SQLiteQuery(
      database,
      """
      SELECT 1 FROM record INDEXED BY record_id
      WHERE tenant = ?1 AND vehicle = ?2 AND class = \(RowKey.telemetryClass) AND id >= ?3 AND id <= ?4 LIMIT 1
      """)
    var have: [Bool] = []
    for range in ranges {
      query.bind(Int64(range.tenant), at: 1)
      query.bind(Int64(range.vehicle), at: 2)
      query.bind(high: range.first.high, low: range.first.low, at: 3)
      query.bind(high: range.last.high, low: range.last.low, at: 4)
      have.append(try query.next())
      query.reset()
    }
    return have
  }

  func insert(_ runs: [NewRun]) throws(StoreFailure) {
    let query = try SQLiteQuery(
      database,
      """
      INSERT INTO telemetry_run (tenant, vehicle, last_id, first_id, last_time, first_time, month, count, entries, bodies)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    for run in runs {
      query.bind(Int64(run.span.tenant), at: 1)
      query.bind(Int64(run.span.vehicle), at: 2)
      query.bind(high: run.span.lastId.high, low: run.span.lastId.low, at: 3)
      query.bind(high: run.span.firstId.high, low: run.span.firstId.low, at: 4)
      query.bind(run.span.lastTime, at: 5)
      query.bind(run.span.firstTime, at: 6)
      query.bind(Int64(run.month), at: 7)
      query.bind(Int64(run.count), at: 8)
      query.bind(run.entries, at: 9)
      query.bind(run.packedBodies, at: 10)
      try query.run()
      recordBytes.add(run.bytes, tenant: run.span.tenant)
    }
  }

  func runs(at spans: [RunSpan], withBodies: Bool) throws(StoreFailure) -> [RunSpan: TelemetryRun] {
    let query = try SQLiteQuery(
      database,
      """
      SELECT entries\(withBodies ? ", bodies" : "") FROM telemetry_run
      WHERE tenant = ?1 AND vehicle = ?2 AND last_id = ?3
      """)
    var runs: [RunSpan: TelemetryRun] = [:]
    for span in spans {
      query.bind(Int64(span.tenant), at: 1)
      query.bind(Int64(span.vehicle), at: 2)
      query.bind(high: span.lastId.high, low: span.lastId.low, at: 3)
      if try query.next() {
        runs[span] = TelemetryRun(
          span: span, entries: try RunEntryCoding.entries(query.bytes(0)),
          packedBodies: withBodies ? query.bytes(1) : [])
      }
      query.reset()
    }
    return runs
  }
}
