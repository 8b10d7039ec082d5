import FleetDomain
import Telemetry

/// Changes to existing runs.
extension StoreSession {
  /// Stores more accurate times for records, which may be stored as rows or in runs. A record that already has a time
  /// of the same or a better quality is skipped. Any other record in a run is removed from the run and becomes a row.
  /// Call this after ``store(_:at:)``, which locks the vehicles.
  ///
  /// - Parameters:
  ///   - improvements: the more accurate times, in the order of the records' keys.
  ///   - budget: limits the cost. When it is spent, the remaining improvements are postponed. At least one is stored.
  /// - Returns: `moved`: for each vehicle, the records whose times are now earlier than before. `left`: the hours that
  ///   contain the old times of the changed records. Also the keys of the records whose improvements were postponed.
  func improveAll(
    _ improvements: [Improvement], within budget: WorkBudget
  ) throws(StoreFailure) -> (moved: [Int32: MovedBack], left: Set<StaleHour>, postponed: [RowKey]) {
    var byKey: [RowKey: Improvement] = [:]
    for item in improvements where item.key.recordClass == RowKey.telemetryClass { byKey[item.key] = item }
    var taken: [RunSpan: (run: TelemetryRun, ids: Set<UUIDv7>)] = [:]
    var rows: [RecordRow] = []
    var moved: [Int32: MovedBack] = [:]
    var left: Set<StaleHour> = []
    var inRuns: Set<RowKey> = []
    var postponed = try forEachInRuns(
      byKey.keys.sorted(by: RowKey.isBefore), within: budget
    ) { key, run, entry, bodies throws(StoreFailure) in
      inRuns.insert(key)
      guard let item = byKey[key], StoredQuality(item.quality).isBetter(than: entry.quality) else { return }
      var row = try run.newRow(entry, in: bodies)
      row.body = try RecordBodyTime.improving(row.body, item, id: entry.id)
      row.time = item.time.milliseconds
      row.quality = StoredQuality(item.quality)
      rows.append(row)
      taken[run.span, default: (run, [])].ids.insert(entry.id)
      budget.charge(IngestCost.improvement + IngestCost.bytes(row.body.count))
      left.insertHour(of: key, at: entry.time)
      if item.time.milliseconds < entry.time {
        if moved[key.vehicle] == nil { budget.charge(IngestCost.newest) }
        moved[key.vehicle, default: MovedBack(tenant: key.tenant, time: entry.time)].add(entry.id, entry.time)
      }
    }
    for (run, ids) in taken.values { try reduce(run, to: run.entries.filter { !ids.contains($0.id) }) }
    if !rows.isEmpty { _ = try insert(rows) }
    inRuns.formUnion(postponed)
    let others = improvements.filter { !inRuns.contains($0.key) }
    if others.isEmpty { return (moved, left, postponed) }
    let rest = try improve(others, within: budget)
    postponed += rest.postponed
    return (moved.merging(rest.moved) { Self.joined($0, $1) }, left.union(rest.left), postponed)
  }

  private static func joined(_ left: MovedBack, _ right: MovedBack) -> MovedBack {
    MovedBack(tenant: left.tenant, time: max(left.time, right.time), ids: left.ids + right.ids)
  }

  /// Removes all entries from a run, except the given ones. If none are given, deletes the run.
  func reduce(_ run: TelemetryRun, to entries: [RunEntry]) throws(StoreFailure) {
    guard let first = entries.first, let last = entries.last else {
      try run.span.remove(self)
      return
    }
    let encoded = RunEntryCoding.bytes(entries)
    recordBytes.add(Int64(encoded.count - RunEntryCoding.bytes(run.entries).count), tenant: run.span.tenant)
    try self.run(
      """
      UPDATE telemetry_run SET last_id = $4, first_id = $5, last_time = $6, first_time = $7, count = $8,
        entries = $9
      WHERE tenant = $1 AND vehicle = $2 AND last_id = $3
      """,
      run.span.key + [
        .identifier(last.id), .identifier(first.id), .integer(last.time), .integer(first.time),
        .integer(Int64(entries.count)), .bytes(encoded),
      ])
  }
}

extension RunSpan {
  /// Deletes the run from the database.
  ///
  /// - Returns: whether it existed.
  @discardableResult
  func remove(_ session: some StoreSession) throws(StoreFailure) -> Bool {
    let removed = try session.rows(
      "DELETE FROM telemetry_run WHERE tenant = $1 AND vehicle = $2 AND last_id = $3 RETURNING \(RecordBytes.ofRun)",
      key)
    for row in removed { session.recordBytes.add(-row.integer(0), tenant: tenant) }
    return !removed.isEmpty
  }
}

extension RecordBodyTime {
  /// Returns a record's body with a more accurate time.
  ///
  /// - Throws: `damaged` if the body is not a record.
  static func improving(_ body: [UInt8], _ item: Improvement, id: UUIDv7) throws(StoreFailure) -> [UInt8] {
    do throws(RecordRefusal) {
      return try replacing(in: body, time: item.time, quality: item.quality)
    } catch {
      throw StoreFailure(.damaged, "record \(id.string)", "\(error)")
    }
  }
}
