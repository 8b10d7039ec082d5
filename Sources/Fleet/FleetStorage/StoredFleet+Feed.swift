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
      // A position of an earlier generation may belong to other changes than those that the reader has received.
      try session.requireStored(position, from: try session.generations(of: tenant).start, tenant: tenant)
      return try session.changes(after: position.rawValue, limit: max(limit, 1), of: nil, vehicle: nil, tenant: tenant)
        .changes
    }
  }

  public func changes(
    of classes: Set<RecordClass>, vehicle: String?, after position: FeedPosition, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> (changes: [FeedChange], position: FeedPosition) {
    try await engine.read { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      try session.requireStored(position, tenant: tenant)
      var key: Int32?
      if let vehicle {
        guard let found = try session.vehicle(vehicle, tenant: tenant) else {
          throw StoreFailure(.notFound, vehicle, "no such vehicle")
        }
        key = found.key
      }
      let (changes, end) = try session.changes(
        after: position.rawValue, limit: max(limit, 1), of: Set(classes.map(\.number)), vehicle: key, tenant: tenant)
      return (changes, FeedPosition(rawValue: end))
    }
  }

  public func announcements(tenant: TenantID) -> AsyncStream<FeedPosition> { engine.announcer.stream(tenant) }

  @discardableResult
  public func removeChanges(before cutoff: Timestamp, keeping most: Int64) async throws(StorageError) -> Int64 {
    let tenants = try await engine.read { session throws(StoreFailure) in
      try session.rows("SELECT key FROM tenant ORDER BY key", []).map { Int32($0.integer(0)) }
    }
    var total: Int64 = 0
    for tenant in tenants {
      while !Task.isCancelled {
        let removed = try await engine.write { session throws(StoreFailure) in
          try session.removeChanges(of: tenant, before: StoredTime.bound(cutoff), keeping: most)
        }
        guard removed > 0 else { break }
        total += removed
        engine.tally.add(changes: removed)
      }
    }
    return total
  }
}

extension StoreSession {
  func feed(of tenant: Int32) throws(StoreFailure) -> (position: Int64, forgotten: Int64) {
    let row = try rows("SELECT position, forgotten FROM tenant WHERE key = $1", [SQLValue(tenant)]).first
    return (row?.integer(0) ?? 0, row?.integer(1) ?? 0)
  }

  /// Removes some of a tenant's oldest changes.
  ///
  /// - Returns: the number of removed changes; 0 if there are none to remove.
  fileprivate func removeChanges(
    of tenant: Int32, before cutoff: Int64, keeping most: Int64
  ) throws(StoreFailure) -> Int64 {
    let feed = try feed(of: tenant)
    let generations = try generations(of: tenant)
    // Changes are read in the order of their commits. Their times have the same order, except for differences between
    // the clocks of several servers.
    let oldest = try rows(
      "SELECT position, at FROM feed WHERE tenant = $1 ORDER BY position LIMIT 200", [SQLValue(tenant)])
    let old = oldest.prefix {
      $0.integer(1) < cutoff || generations.changes(after: $0.integer(0), through: feed.position) >= most
    }
    guard let last = old.last?.integer(0) else { return 0 }
    try run("DELETE FROM feed WHERE tenant = $1 AND position <= $2", [SQLValue(tenant), .integer(last)])
    // The tenant's row is changed last, because batches wait while it is locked. If another server has changed the row
    // meanwhile, the transaction is retried.
    let isOurs =
      try run(
        "UPDATE tenant SET forgotten = $2 WHERE key = $1 AND forgotten = $3",
        [SQLValue(tenant), .integer(last), .integer(feed.forgotten)]) == 1
    guard isOurs else { throw StoreFailure(.unavailable, "feed", "trimmed by another server", mayRetry: true) }
    return generations.changes(after: feed.forgotten, through: last)
  }

  /// Checks that all changes after a position are stored.
  ///
  /// - Parameter start: the lowest permitted position. A lower position is rejected even if all changes after it are
  ///   stored.
  /// - Throws: `positionGone` if some are no longer stored, or if the position is higher than the feed's position.
  fileprivate func requireStored(
    _ position: FeedPosition, from start: Int64 = 0, tenant: Int32
  ) throws(StoreFailure) {
    let feed = try feed(of: tenant)
    let lowest = max(feed.forgotten, start)
    guard position.rawValue >= lowest, position.rawValue <= feed.position else {
      throw StoreFailure(
        .positionGone, "feed",
        "expected \(lowest) to \(feed.position), found \(position.rawValue): read the current state again")
    }
  }

  /// Returns changes after a position, and the position up to which the feed was read (`end`).
  ///
  /// - Parameters:
  ///   - classes: the numbers of the record classes whose changes are returned; `nil` for all.
  ///   - vehicle: key of the vehicle whose changes are returned; `nil` for all.
  func changes(
    after start: Int64, limit: Int, of classes: Set<Int16>?, vehicle: Int32?, tenant: Int32
  ) throws(StoreFailure) -> (changes: [FeedChange], end: Int64) {
    var changes: [FeedChange] = []
    var after = start
    // If only some classes are returned, one call reads at most 64 × 16 rows of the feed.
    var rounds = 0
    while changes.count < limit, rounds < 64 {
      if classes != nil { rounds += 1 }
      let steps = try rows(
        "SELECT position, keys FROM feed WHERE tenant = $1 AND position > $2 ORDER BY position LIMIT 16",
        [SQLValue(tenant), .integer(after)])
      var keys: [(position: Int64, key: RowKey)] = []
      for step in steps {
        let of = FeedKeys.keys(step.bytes(1), tenant: tenant)
        let first = step.integer(0) - Int64(of.count) + 1
        for (index, key) in of.enumerated() where first + Int64(index) > after {
          guard classes?.contains(key.recordClass) ?? true, vehicle.map({ $0 == key.vehicle }) ?? true else { continue }
          keys.append((first + Int64(index), key))
        }
      }
      guard let end = steps.last?.integer(0) else { break }
      let room = limit - changes.count
      after = keys.count > room ? keys[room - 1].position : end
      keys = Array(keys.prefix(room))
      // Changes of removed records are omitted. This does not change the positions of the others.
      var places: [RowKey: [Int64]] = [:]
      for (position, key) in keys { places[key, default: []].append(position) }
      let found = try foundAll(Array(places.keys))
      let names = try vehicleNames(Set(found.map(\.vehicle)))
      for row in found {
        // Gateways' own records are not records of vehicles.
        guard let name = names[row.vehicle], !name.isGateway else { continue }
        for position in places[row.key(tenant: tenant)] ?? [] {
          changes.append(
            FeedChange(position: FeedPosition(rawValue: position), record: row.record(of: name.id), vin: name.vin))
        }
      }
    }
    return (changes.sorted { $0.position < $1.position }, after)
  }
}
