import FleetDomain
import FleetStorageTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

/// The size of each tenant's records is exact, and it limits what the tenant may store.
@Suite struct RecordBytesTests {
  private static let other = TenantID("other")!

  @Test(arguments: Kind.allCases)
  func the_size_is_exact_after_changes_and_removals_of_several_tenants(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      try await storage.addTenant(Self.other, at: Sample.now)
      #expect(try await storage.recordBytes(tenant: .standard) == RecordSize(bytes: 0, limit: nil))
      let month = 31 * 86_400.0
      for tenant in [TenantID.standard, Self.other] {
        // Rows and runs of this month and of an expired one, one of which is the vehicle's newest record with a
        // position; records of unusual months; copies in one batch.
        let old = (0..<300).map { number in
          Sample.record(
            number, at: -3 * month + Double(number), keys: number == 7 ? #","latitude":47.5,"longitude":9.5"# : "")
        }
        let new = (300..<340).map { Sample.record($0, at: Double($0), quality: "system") }
        let odd = [Sample.record(400, at: -9, idAt: 5), Sample.record(401, at: 9, idAt: 3_500_000_000_000)]
        let trips = (500..<503).map { Sample.record($0, "trip", at: -3 * month + Double($0)) }
        try await storage.store(old + new + odd + trips, tenant: tenant)
        try await storage.store([Sample.record(600, at: 600)], tenant: tenant)
        try await storage.store([Sample.record(601, at: 601), Sample.record(601, at: 601), new[0]], tenant: tenant)
        try await fleet.expectExactSizes()
        // Better times change the texts of records in rows and in runs.
        let better = [
          Sample.record(303, at: -5, idAt: new[3].id.milliseconds), Sample.record(400, at: -5, idAt: 5),
          Sample.record(320, at: -6, idAt: new[20].id.milliseconds),
        ]
        #expect(try await storage.store(better, tenant: tenant) == [.improved, .duplicate, .improved])
        try await fleet.expectExactSizes()
      }
      let before = try await storage.recordBytes(tenant: .standard).bytes
      #expect(try await storage.recordBytes(tenant: Self.other).bytes == before)
      #expect(before > 40 * 200)
      let removed = try await storage.removeRecords(.known(.telemetry), before: Sample.time(-month), at: Sample.now)
      #expect(removed >= 2 * 299)
      try await storage.removeRecords(.known(.trip), before: Sample.time(-month), at: Sample.now)
      try await fleet.expectExactSizes()
      #expect(try await storage.recordBytes(tenant: .standard).bytes < before)
      // A month that was removed is stored again.
      try await storage.store((0..<40).map { Sample.record($0, at: -3 * month + Double($0)) })
      try await fleet.expectExactSizes()
      _ = try await storage.removeVehicle("VAN-001", tenant: .standard)
      try await storage.finishRemovals()
      try await fleet.expectExactSizes()
      #expect(try await storage.recordBytes(tenant: .standard).bytes == 0)
      #expect(try await storage.recordBytes(tenant: Self.other).bytes > 0)
      #expect(try await storage.counts().recordBytes == storage.recordBytes(tenant: Self.other).bytes)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_full_tenant_stores_nothing_until_records_are_removed(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      try await fleet.storage.addTenant(Self.other, at: Sample.now)
      try await fleet.storage.store((0..<20).map { Sample.record($0, "event", vehicle: "VAN-\($0 % 2)") })
      let bytes = try await fleet.storage.recordBytes(tenant: .standard).bytes
      await fleet.storage.close()
      // The size is known after a restart.
      let storage = try await fleet.another()
      storage.limitRecords(ofTenant: bytes + 1)
      #expect(try await storage.recordBytes(tenant: .standard) == RecordSize(bytes: bytes, limit: bytes + 1))
      // The size before a batch counts, so this batch exceeds the limit.
      #expect(try await storage.store([Sample.record(20, "event", vehicle: "VAN-0")]) == [.stored])
      let full = try await storage.recordBytes(tenant: .standard).bytes
      #expect(full > bytes + 1)
      for record in [Sample.record(0, "event", vehicle: "VAN-0"), Sample.record(21), Sample.record(1, vehicle: "NEW")] {
        let error = await #expect(throws: StorageError.self) { try await storage.store([record]) }
        #expect(error?.kind == .tenantFull)
        #expect(error?.description.contains("take \(full) bytes, and the limit is \(bytes + 1) bytes") == true)
      }
      // The batches of both tenants arrive together. Only those of the full tenant are rejected.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            let outcomes = try await storage.store([Sample.record(number, "event")], tenant: Self.other)
            #expect(outcomes == [.stored])
          }
          group.addTask {
            await #expect(throws: StorageError.self) { try await storage.store([Sample.record(100 + number)]) }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await storage.vehicle("NEW", tenant: .standard) == nil)
      #expect(try await storage.recordBytes(tenant: .standard).bytes == full)
      // An error of a full tenant does not make the storage unhealthy.
      _ = try await storage.health()
      // Space that becomes free can be used again.
      _ = try await storage.removeVehicle("VAN-1", tenant: .standard)
      try await storage.finishRemovals()
      #expect(try await storage.store([Sample.record(21)]) == [.stored])
      await storage.close()
    }
  }
}

extension TestedFleet {
  func expectExactSizes(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await storage.expectExactSizes(kind, sourceLocation: sourceLocation)
  }
}

extension StoredFleet {
  /// Compares the stored sizes of all tenants with sizes that the database computes from all records.
  func expectExactSizes(_ kind: Kind, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let sizes = try await engine.read { session throws(StoreFailure) in
      try session.rows(
        """
        SELECT record_bytes,
          (SELECT coalesce(sum(length(body) + 100), 0) FROM record WHERE record.tenant = tenant.key)
          + (SELECT coalesce(sum(length(entries) + length(bodies) + 100), 0) FROM telemetry_run
            WHERE telemetry_run.tenant = tenant.key)
        FROM tenant ORDER BY key
        """, [])
    }
    #expect(sizes.map { $0.integer(0) } == sizes.map { $0.integer(1) }, sourceLocation: sourceLocation)
    guard kind == .postgreSQL else { return }
    // Each partition's share, too. The partition `odd` has the records of all months without a partition.
    let parts = try await engine.read { session throws(StoreFailure) in
      try session.rows(
        """
        SELECT coalesce(a.bytes, 0), coalesce(b.bytes, 0) FROM (
          SELECT b.class, CASE WHEN p.month IS NULL THEN 962 ELSE b.month END AS month, b.tenant, sum(b.bytes)::bigint AS bytes
          FROM part_bytes AS b LEFT JOIN part AS p ON p.class = b.class AND p.month = b.month
          GROUP BY 1, 2, 3 HAVING sum(b.bytes) <> 0) AS a
        FULL JOIN (
          SELECT r.class, p.month, r.tenant, sum(length(body) + 100)::bigint AS bytes FROM record AS r
          JOIN part AS p ON p.class = r.class AND p.month = CASE WHEN r.tableoid::regclass::text LIKE '%_odd' THEN 962
              WHEN r.tableoid::regclass::text LIKE '%_early' THEN 0
              WHEN r.tableoid::regclass::text LIKE '%_late' THEN 961
              ELSE (substring(r.tableoid::regclass::text FROM '([0-9]{4})[0-9]{2}$')::int - 2020) * 12
                + substring(r.tableoid::regclass::text FROM '([0-9]{2})$')::int END
          GROUP BY 1, 2, 3) AS b USING (class, month, tenant)
        """, [])
    }
    #expect(parts.map { $0.integer(0) } == parts.map { $0.integer(1) }, sourceLocation: sourceLocation)
  }
}
