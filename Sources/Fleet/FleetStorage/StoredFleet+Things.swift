import FleetDomain
import Synchronization
import Telemetry

extension StoredFleet {
  public func view<Value: Sendable>(
    tenant: TenantID, _ work: @escaping @Sendable (any FleetView) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value {
    let (engine, outcome) = (engine, ThingOutcome())
    do {
      return try await engine.read { session throws(StoreFailure) in
        let things = ThingSession(session, tenant: try session.existing(tenant), cursorKey: engine.cursorKey)
        return try outcome.run(things) { () throws(ThingError) in try work(things) }
      }
    } catch {
      throw outcome.error ?? .storage(error)
    }
  }

  public func change<Value: Sendable>(
    tenant: TenantID, by actor: Actor, at now: Timestamp,
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value {
    let (engine, outcome) = (engine, ThingOutcome())
    do {
      return try await engine.write { session throws(StoreFailure) in
        let things = try ThingSession(
          session, tenant: try session.existing(tenant), cursorKey: engine.cursorKey, by: actor, at: now)
        return try outcome.run(things) { () throws(ThingError) in try work(things) }
      }
    } catch {
      throw outcome.error ?? .storage(error)
    }
  }

  public func auditEntries(
    after number: Int64, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> [AuditEntry] {
    try await engine.read { session throws(StoreFailure) in
      let rows = try session.rows(
        """
        SELECT number, hash, content, time, thing FROM audit WHERE tenant = $1 AND number > $2 ORDER BY number LIMIT $3
        """, [SQLValue(try session.existing(tenant)), .integer(number), .integer(Int64(limit))])
      var entries: [AuditEntry] = []
      for row in rows {
        let entry = try AuditRow.entry(row)
        let agrees =
          entry.content["time"] == StoredTime.timestamp(row.integer(3)).json
          && entry.content["thing"] ?? .null == row.identifier(4)?.json ?? .null
        entries.append(
          AuditEntry(number: entry.number, hash: entry.hash, content: entry.content, isFoundByContent: agrees))
      }
      return entries
    }
  }

  public func auditHead(tenant: TenantID) async throws(StorageError) -> (number: Int64, hash: [UInt8]) {
    try await engine.read { session throws(StoreFailure) in
      let rows = try session.rows(
        "SELECT number, hash FROM audit_head WHERE tenant = $1", [SQLValue(try session.existing(tenant))])
      return rows.first.map { ($0.integer(0), $0.bytes(1)) } ?? (0, AuditEntry.firstHash)
    }
  }

  public func auditNumbers(of tenants: [TenantID]) async throws(StorageError) -> [TenantID: Int64] {
    // A statement has a limited number of parameters.
    let parts = stride(from: 0, to: tenants.count, by: 1_000).map { tenants[$0..<min($0 + 1_000, tenants.count)] }
    return try await engine.read { session throws(StoreFailure) in
      var numbers: [TenantID: Int64] = [:]
      for part in parts {
        let parameters = (1...part.count).map { "$\($0)" }.joined(separator: ", ")
        let rows = try session.rows(
          """
          SELECT tenant.id, audit_head.number FROM tenant JOIN audit_head ON audit_head.tenant = tenant.key
          WHERE tenant.id IN (\(parameters))
          """, part.map { .text($0.text) })
        for row in rows {
          if let tenant = TenantID(row.text(0)) { numbers[tenant] = row.integer(1) }
        }
      }
      return numbers
    }
  }
}

extension StoredFleet {
  public func tenants<Value: Kind>(
    having conditions: [ThingQuery<Value>.Condition]
  ) async throws(StorageError) -> [TenantID] {
    try await engine.read { session throws(StoreFailure) in
      let list = try ThingList(tenantsHaving: conditions)
      return try session.rows(list.sql, list.values).compactMap { TenantID($0.text(0)) }
    }
  }
}

/// Runs the work of a transaction. If the work throws an error that is not a database error, this object stores it,
/// because the transaction itself can throw only database errors.
private final class ThingOutcome: Sendable {
  private let thrown = Mutex<ThingError?>(nil)

  var error: ThingError? { thrown.withLock { $0 } }

  func run<Value>(
    _ things: ThingSession, _ work: () throws(ThingError) -> Value
  ) throws(StoreFailure) -> Value {
    thrown.withLock { $0 = nil }
    do throws(ThingError) {
      return try work()
    } catch {
      if case .storage = error, let failure = things.failure { throw failure }
      thrown.withLock { $0 = error }
      throw StoreFailure(.system, "transaction", "its work was not done")
    }
  }
}
