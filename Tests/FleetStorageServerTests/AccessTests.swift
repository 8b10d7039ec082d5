import FleetDomain
import FleetStorageTestKit
import GRDB
import Synchronization
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct AccessTests {
  @Test(arguments: Kind.allCases)
  func a_gateway_is_registered_seen_rotated_and_revoked(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let added = try await storage.addGateway(
        "gw-1", allowedVehicles: ["VAN-001", "VAN-2 ä"], key: Sample.secret(1), tenant: .standard, at: Sample.now)
      #expect(try await storage.principal(Sample.secret(1)) == .gateway(added, .standard))
      let again = await #expect(throws: StorageError.self) {
        try await storage.addGateway(
          "gw-1", allowedVehicles: [], key: Sample.secret(2), tenant: .standard, at: Sample.now)
      }
      #expect(again?.kind == .exists)
      try await storage.storeStatus(
        of: [
          "gw-1": GatewayStatus(at: Sample.time(60), spoolDepth: 17, version: "1.2"), "gw-9": .init(at: Sample.now),
        ],
        tenant: .standard)
      try await storage.storeStatus(of: ["gw-1": GatewayStatus(at: Sample.time(30))], tenant: .standard)
      let seen = try #require(try await storage.gateway("gw-1", tenant: .standard))
      #expect(seen.lastSeen == Sample.time(60))
      #expect(seen.spoolDepth == 17)
      #expect(seen.version == "1.2")
      let rotated = try await storage.rotateKey(
        Sample.secret(3), gateway: "gw-1", tenant: .standard, at: Sample.time(90))
      #expect(rotated.keyAt == Sample.time(90))
      #expect(try await storage.principal(Sample.secret(1)) == nil)
      #expect(try await storage.principal(Sample.secret(3)) == .gateway(rotated, .standard))
      try await storage.revokeGateway("gw-1", tenant: .standard, at: Sample.time(99))
      #expect(try await storage.gateway("gw-1", tenant: .standard)?.revokedAt == Sample.time(99))
      let changed = try await storage.setAllowedVehicles([], gateway: "gw-1", tenant: .standard, at: Sample.now)
      #expect(changed.allowedVehicles.isEmpty)
      let list = try await storage.gateways(cursor: nil, limit: 10, tenant: .standard)
      #expect(list.items == [changed])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_gateways_current_vehicle_is_that_of_its_newest_record(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let (storage, other) = (fleet.storage, try #require(TenantID("other")))
      try await storage.addTenant(other, at: Sample.now)
      for tenant in [TenantID.standard, other] {
        _ = try await storage.addGateway(
          "gw-1", allowedVehicles: [], key: Sample.secret(tenant == other ? 2 : 1), tenant: tenant, at: Sample.now)
      }
      let vin = "VF3M45GFRLS031759"
      _ = try await storage.addVehicle("VAN-1", tenant: .standard, at: Sample.now)
      _ = try await storage.addVehicle("VAN-2", Vehicle(vin: vin), tenant: .standard, at: Sample.now)
      func current(_ name: String? = nil, _ seconds: Double = 0, of tenant: TenantID = .standard) async throws
        -> String?
      {
        if let name {
          let vehicle = VehicleInUse(name: name, at: Sample.time(seconds))
          try await storage.storeStatus(of: ["gw-1": GatewayStatus(at: Sample.now, vehicle: vehicle)], tenant: tenant)
        }
        return try await storage.gateway("gw-1", tenant: tenant)?.currentVehicle
      }
      #expect(try await current() == nil)
      #expect(try await current("VAN-1", 20) == "VAN-1")
      // A request without records changes nothing.
      try await storage.storeStatus(of: ["gw-1": GatewayStatus(at: Sample.now)], tenant: .standard)
      #expect(try await current() == "VAN-1")
      #expect(try await current(vin, 10) == "VAN-1", "an older record arrived late")
      #expect(try await current(vin, 30) == "VAN-2")
      #expect(
        try await storage.gateways(cursor: nil, limit: 9, tenant: .standard).items.map(\.currentVehicle) == ["VAN-2"])
      #expect(try await current("VAN-1", 40, of: other) == nil, "the vehicle belongs to another tenant")
      #expect(try await storage.removeVehicle("VAN-2", tenant: .standard))
      #expect(try await current() == nil)
      #expect(try await current("VAN-1", 50) == "VAN-1")
    }
  }

  @Test(arguments: Kind.allCases)
  func a_token_is_found_by_its_secret_and_revoked_by_its_id(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let tokens = Role.allCases.enumerated().map { index, role in
        OperatorToken(
          id: UUIDv7(milliseconds: 1, first: 1, rest: UInt64(index)), label: "office \(index)", role: role,
          addedAt: Sample.time(Double(index)))
      }
      for (index, token) in tokens.enumerated() {
        try await storage.addToken(token, secret: Sample.secret(UInt8(index)), tenant: .standard)
      }
      #expect(try await storage.allTokens() == tokens)
      #expect(try await storage.principal(Sample.secret(1)) == .token(tokens[1], .standard))
      #expect(try await storage.principal(Sample.secret(9)) == nil)
      try await storage.revokeToken(tokens[0].id, tenant: .standard, at: Sample.time(9))
      try await storage.revokeToken(tokens[0].id, tenant: .standard, at: Sample.time(99))
      #expect(try await storage.allTokens().map(\.revokedAt) == [Sample.time(9), nil, nil, nil])
      let unknown = await #expect(throws: StorageError.self) {
        try await storage.revokeToken(Sample.epoch, tenant: .standard, at: Sample.now)
      }
      #expect(unknown?.kind == .notFound)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_removed_token_or_gateway_is_invalid_and_not_counted(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      func token(_ number: UInt64) -> OperatorToken {
        OperatorToken(
          id: UUIDv7(milliseconds: 1, first: 1, rest: number), label: "", role: .admin, addedAt: Sample.now)
      }
      func add(_ number: UInt8) async throws {
        try await storage.addToken(token(UInt64(number)), secret: Sample.secret(number), tenant: .standard)
        _ = try await storage.addGateway(
          "gw-\(number)", allowedVehicles: ["VAN-\(number)"], key: Sample.secret(number + 100), tenant: .standard,
          at: Sample.now)
      }
      try await add(1)
      // Simulates a tenant that has nearly the maximum number.
      _ = try await storage.engine.write { session throws(StoreFailure) in
        try session.run(
          "UPDATE tenant SET tokens = $1, gateways = $2",
          [.integer(TenantLimits.tokens - 1), .integer(TenantLimits.gateways - 1)])
      }
      try await add(2)
      for kind in ["token", "gateway"] {
        let error = await #expect(throws: StorageError.self) {
          if kind == "token" {
            try await storage.addToken(token(3), secret: Sample.secret(3), tenant: .standard)
          } else {
            _ = try await storage.addGateway(
              "gw-3", allowedVehicles: [], key: Sample.secret(103), tenant: .standard, at: Sample.now)
          }
        }
        #expect(error?.kind == .limitReached)
        #expect(error?.detail.contains("the maximum of") == true)
      }
      // Another tenant has a separate limit.
      let other = try #require(TenantID("other"))
      try await storage.addTenant(other, at: Sample.now)
      try await storage.addToken(token(3), secret: Sample.secret(3), tenant: other)
      try await storage.removeToken(token(1).id, tenant: .standard, at: Sample.now)
      try await storage.removeGateway("gw-1", tenant: .standard, at: Sample.now)
      #expect(try await storage.principal(Sample.secret(1)) == nil)
      #expect(try await storage.principal(Sample.secret(101)) == nil)
      #expect(try await storage.allTokens() == [token(2)])
      #expect(try await storage.gateways(cursor: nil, limit: 9, tenant: .standard).items.map(\.id) == ["gw-2"])
      try await add(4)
      let gone = await #expect(throws: StorageError.self) {
        try await storage.removeToken(token(1).id, tenant: .standard, at: Sample.now)
      }
      #expect(gone?.kind == .notFound)
      let noGateway = await #expect(throws: StorageError.self) {
        try await storage.removeGateway("gw-1", tenant: .standard, at: Sample.now)
      }
      #expect(noGateway?.kind == .notFound)
      // Vehicles of a removed gateway do not block other gateways.
      let taken = try await storage.ingest(
        [Sample.record(1, vehicle: "VAN-1", gateway: "gw-9")], from: .gateway(Sample.gateway("gw-9")),
        tenant: .standard, at: Sample.now)
      #expect(taken == [.stored])
    }
  }

  @Test(arguments: Kind.allCases)
  func revocations_of_all_tenants_are_listed_once_for_each_reader(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let (storage, other) = (fleet.storage, try #require(TenantID("other")))
      try await storage.addTenant(other, at: Sample.now)
      func id(_ number: UInt64) -> UUIDv7 { UUIDv7(milliseconds: 1, first: 1, rest: number) }
      for number in 0..<6 {
        let token = OperatorToken(id: id(UInt64(number)), label: "", role: .readOnly, addedAt: Sample.now)
        try await storage.addToken(
          token, secret: Sample.secret(UInt8(number)), tenant: number < 3 ? .standard : other)
      }
      let start = try await storage.revocations(after: nil, limit: 10)
      #expect(start.tokens.isEmpty && start.isLast && start.isComplete)
      #expect(try await storage.revocations(after: start.position, limit: 10) == start)
      let elsewhere = try await fleet.another()
      try await storage.revokeToken(id(0), tenant: .standard, at: Sample.now)
      try await elsewhere.removeToken(id(1), tenant: .standard, at: Sample.now)
      try await elsewhere.revokeToken(id(3), tenant: other, at: Sample.now)
      await elsewhere.close()
      let first = try await storage.revocations(after: start.position, limit: 2)
      #expect(first.tokens == [.standard: [id(0), id(1)]] && !first.isLast && first.isComplete)
      let second = try await storage.revocations(after: first.position, limit: 2)
      #expect(second.tokens == [other: [id(3)]] && second.isLast && second.isComplete)
      #expect(try await storage.revocations(after: second.position, limit: 2).tokens.isEmpty)
      // Gaps in the list and a restored database are reported.
      _ = try await storage.engine.write { session throws(StoreFailure) in
        try session.run("DELETE FROM revocation WHERE number <= 2", [])
      }
      let late = try await storage.revocations(after: start.position, limit: 10)
      #expect(!late.isComplete && late.position == second.position)
      let unknown = try await storage.revocations(after: RevocationPosition(rawValue: 99), limit: 10)
      #expect(!unknown.isComplete)
    }
  }

  @Test(arguments: Kind.allCases)
  func fences_are_replaced_only_as_expected(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      func document(_ radius: Int) throws -> FencesDocument {
        try FencesDocument(
          geoJSON: Array(
            """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"yard","radius":\(radius)},
            "geometry":{"type":"Point","coordinates":[9.1774,47.6595]}}]}
            """.utf8))
      }
      #expect(try await storage.fences(tenant: .standard) == nil)
      let (small, large) = (try document(10), try document(500))
      #expect(small.entityTag != large.entityTag)
      let first = try await storage.putFences(small, expecting: .nothing, tenant: .standard, at: Sample.now)
      guard case .stored(let stored) = first else {
        Issue.record("not stored")
        return
      }
      #expect(stored.version == 1)
      #expect(stored.entityTag == small.entityTag)
      #expect(try await storage.fences(tenant: .standard) == stored)
      let late = try await storage.putFences(large, expecting: .nothing, tenant: .standard, at: Sample.now)
      #expect(late == .changedMeanwhile(entityTag: small.entityTag))
      let other = try await storage.putFences(
        large, expecting: .tags([large.entityTag]), tenant: .standard, at: Sample.now)
      #expect(other == .changedMeanwhile(entityTag: small.entityTag))
      _ = try await storage.putFences(large, expecting: .tags([small.entityTag]), tenant: .standard, at: Sample.now)
      let present = try #require(try await storage.fences(tenant: .standard))
      #expect(present.bytes == large.bytes)
      #expect(present.version == 2)
    }
  }

  @Test func fences_that_are_replaced_are_not_read_while_other_tenants_wait() async throws {
    try await TestedFleet.with(.sqlite) { fleet in
      let storage = fleet.storage
      let reads = Mutex(0)
      _ = try await storage.engine.write { session throws(StoreFailure) in
        // The connection that writes.
        (session as? SQLiteSession)?.database.trace { event in
          if event.description.contains("SELECT body") { reads.withLock { $0 += 1 } }
        }
      }
      var tags: [String] = []
      for expected in [FencesExpectation.nothing, .anything, .tags([FencesDocument.empty.entityTag])] {
        let put = try await storage.putFences(.empty, expecting: expected, tenant: .standard, at: Sample.now)
        if case .stored(let stored) = put { tags.append(stored.entityTag) }
      }
      #expect(tags == Array(repeating: FencesDocument.empty.entityTag, count: 3))
      #expect(try await storage.fencesVersion(tenant: .standard)?.version == 3)
      #expect(reads.withLock { $0 } == 0)
    }
  }

  @Test(arguments: Kind.allCases)
  func tenants_are_added_once(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let north = try #require(TenantID("north"))
      try await fleet.storage.addTenant(north, at: Sample.now)
      #expect(try await fleet.storage.tenants().map(\.id.text) == ["default", "north"])
      let error = await #expect(throws: StorageError.self) { try await fleet.storage.addTenant(north, at: Sample.now) }
      #expect(error?.kind == .exists)
      let health = try await fleet.storage.health()
      #expect(health.schemaVersion == SQLiteSchema.steps.count)
      #expect(health.database.hasPrefix(kind == .sqlite ? "SQLite 3." : "PostgreSQL "))
      try await fleet.storage.store([Sample.record(1), Sample.record(1)])
      let counts = try await fleet.storage.counts()
      #expect([counts.tenants, counts.vehicles, counts.commits] == [2, 1, 1])
      #expect([counts.ingested.stored, counts.ingested.duplicates] == [1, 1])
    }
  }
}
