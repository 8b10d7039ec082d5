import FleetDomain
import Telemetry

extension StoredFleet {
  public func fencesVersion(tenant: TenantID) async throws(StorageError) -> FencesVersion? {
    try await engine.read { session throws(StoreFailure) in
      try session.rows(
        "SELECT version, modified, length(body) FROM fences WHERE tenant = $1",
        [SQLValue(try session.existing(tenant))]
      ).first.map { row in
        FencesVersion(
          version: row.integer(0), modifiedAt: StoredTime.timestamp(row.integer(1)), bytes: Int(row.integer(2)))
      }
    }
  }

  public func fences(tenant: TenantID) async throws(StorageError) -> FencesDocument? {
    try await engine.read { session throws(StoreFailure) in
      try session.fences(of: try session.existing(tenant))
    }
  }

  public func putFences(
    _ document: FencesDocument, expecting expected: FencesExpectation, tenant: TenantID, by actor: Actor,
    at now: Timestamp
  ) async throws(StorageError) -> FencesPut {
    while true {
      // Read and hash the stored document before the transaction. It may be long, and other tenants would wait for the
      // transaction.
      let present = expected == .anything ? nil : try await fences(tenant: tenant)
      let isExpected =
        switch expected {
        case .anything: true
        case .nothing: present == nil
        case .tags(let tags): present.map { tags.contains($0.entityTag) } ?? false
        }
      guard isExpected else { return .changedMeanwhile(entityTag: present?.entityTag) }
      let version = try await engine.write { session throws(StoreFailure) -> Int64? in
        let tenant = try session.existing(tenant)
        let audit = try ThingSession(session, tenant: tenant, cursorKey: nil, by: actor, at: now)
        // Lock the tenant's row. A concurrent change waits here until this change is committed.
        _ = try session.rows("SELECT key FROM tenant WHERE key = $1" + session.lockingRows, [SQLValue(tenant)])
        let stored = try session.rows("SELECT version, length(body) FROM fences WHERE tenant = $1", [SQLValue(tenant)])
        let last = stored.first?.integer(0)
        guard expected == .anything || last == present?.version else { return nil }
        let version = (last ?? 0) + 1
        try session.run(
          """
          INSERT INTO fences (tenant, version, modified, body) VALUES ($1, $2, $3, $4)
          ON CONFLICT (tenant) DO UPDATE
            SET version = excluded.version, modified = excluded.modified, body = excluded.body
          """,
          [SQLValue(tenant), .integer(version), .integer(now.milliseconds), .bytes(document.bytes)])
        // The audit contains versions and lengths, because the documents may be too long for it.
        let before = stored.first.map { ["version": JSON.integer($0.integer(0)), "bytes": .integer($0.integer(1))] }
        let after = ["version": JSON.integer(version), "bytes": .integer(Int64(document.bytes.count))]
        try audit.record(
          "change", "geofences", thing: nil, ThingChange(between: before, and: after),
          details: ["entityTag": .text(document.entityTag)])
        return version
      }
      guard let version else { continue }
      var stored = document
      stored.version = version
      stored.modifiedAt = StoredTime.timestamp(now.milliseconds)
      return .stored(stored)
    }
  }
}

extension StoreSession {
  fileprivate func fences(of tenant: Int32) throws(StoreFailure) -> FencesDocument? {
    try rows("SELECT body, version, modified FROM fences WHERE tenant = $1", [SQLValue(tenant)]).first.map { row in
      FencesDocument(
        checked: row.bytes(0), version: row.integer(1), modifiedAt: StoredTime.timestamp(row.integer(2)))
    }
  }
}
