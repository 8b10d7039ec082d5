import FleetDomain
import Telemetry

extension StoredFleet {
  public func feedPosition(tenant: TenantID) async throws(StorageError) -> FeedPosition {
    try await engine.read { session throws(StoreFailure) in
      FeedPosition(rawValue: try session.feed(of: try session.existing(tenant)).position)
    }
  }

  public func changes(
    after position: FeedPosition, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> [FeedChange] {
    try await engine.read { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      let feed = try session.feed(of: tenant)
      guard position.rawValue >= feed.forgotten, position.rawValue <= feed.position else {
        throw StoreFailure(
          .positionGone, "feed",
          "expected \(feed.forgotten) to \(feed.position), found \(position.rawValue): read the present state afresh")
      }
      return try session.changes(after: position.rawValue, limit: max(limit, 1), tenant: tenant)
    }
  }

  public func announcements(tenant: TenantID) -> AsyncStream<FeedPosition> { engine.announcer.stream(tenant) }

  public func removeChanges(before cutoff: Timestamp) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let gone = try session.rows(
        "SELECT tenant, max(position) FROM feed WHERE at < $1 GROUP BY tenant ORDER BY tenant",
        [.integer(StoredTime.bound(cutoff))])
      for row in gone {
        try session.run(
          "UPDATE tenant SET forgotten = $2 WHERE key = $1 AND forgotten < $2",
          [.integer(row.integer(0)), .integer(row.integer(1))])
        try session.run(
          "DELETE FROM feed WHERE tenant = $1 AND position <= $2", [.integer(row.integer(0)), .integer(row.integer(1))])
      }
    }
  }
}

extension StoreSession {
  func feed(of tenant: Int32) throws(StoreFailure) -> (position: Int64, forgotten: Int64) {
    let row = try rows("SELECT position, forgotten FROM tenant WHERE key = $1", [SQLValue(tenant)]).first
    return (row?.integer(0) ?? 0, row?.integer(1) ?? 0)
  }

  func changes(after start: Int64, limit: Int, tenant: Int32) throws(StoreFailure) -> [FeedChange] {
    var changes: [FeedChange] = []
    var after = start
    while changes.count < limit {
      let steps = try rows(
        "SELECT position, keys FROM feed WHERE tenant = $1 AND position > $2 ORDER BY position LIMIT 16",
        [SQLValue(tenant), .integer(after)])
      var keys: [(position: Int64, key: RowKey)] = []
      for step in steps {
        let of = FeedKeys.keys(step.bytes(1), tenant: tenant)
        let first = step.integer(0) - Int64(of.count) + 1
        for (index, key) in of.enumerated() where first + Int64(index) > after {
          keys.append((first + Int64(index), key))
        }
      }
      keys = Array(keys.prefix(limit - changes.count))
      guard let last = keys.last else { break }
      after = last.position
      // A row that is gone is left out; the positions of the others stay theirs.
      var places: [RowKey: [Int64]] = [:]
      for (position, key) in keys { places[key, default: []].append(position) }
      let found = try found(Array(places.keys))
      let ids = try vehicleIds(Set(found.map(\.vehicle)))
      for row in found {
        guard let id = ids[row.vehicle] else { continue }
        for position in places[row.key(tenant: tenant)] ?? [] {
          changes.append(FeedChange(position: FeedPosition(rawValue: position), record: row.record(of: id)))
        }
      }
    }
    return changes.sorted { $0.position < $1.position }
  }
}
