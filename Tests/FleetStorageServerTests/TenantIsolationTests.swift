import FleetDomain
import FleetStorageTestKit
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct TenantIsolationTests {
  /// Two tenants with equal ids: no call of one returns or changes data of the other.
  @Test(arguments: Kind.allCases)
  func no_storage_call_accesses_another_tenant(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let other = try #require(TenantID("other"))
      try await storage.addTenant(other, at: Sample.now)
      let fences = try FencesDocument(geoJSON: Array(#"{"type":"FeatureCollection","features":[]}"#.utf8))
      for (index, tenant) in [TenantID.standard, other].enumerated() {
        let place = #","latitude":\#(index + 1),"longitude":1,"owner":\#(index)"#
        let records = [Sample.record(1, keys: place), Sample.record(2, "trip", keys: place)]
        #expect(try await storage.store(records, tenant: tenant) == [.stored, .stored])
        _ = try await storage.addGateway(
          "gw-1", allowedVehicles: [], key: Sample.secret(UInt8(index)), tenant: tenant, at: Sample.now)
        let token = OperatorToken(id: Sample.epoch, label: "\(index)", role: .admin, addedAt: Sample.now)
        try await storage.addToken(token, secret: Sample.secret(UInt8(index + 10)), tenant: tenant)
        #expect(try await storage.fences(tenant: tenant) == nil)
        _ = try await storage.putFences(fences, expecting: .nothing, tenant: tenant, at: Sample.now)
      }
      for (index, tenant) in [TenantID.standard, other].enumerated() {
        let mark = #""owner":\#(index)"#
        let lists: [RecordQuery] = [
          .telemetry(of: "VAN-001"), .telemetry(of: "VAN-001", every: 1_000),
          RecordQuery(vehicle: nil, classes: RecordQuery.tripClasses),
          RecordQuery(vehicle: "VAN-001", classes: RecordQuery.tripClasses),
        ]
        for list in lists {
          let found = try await storage.all(list, tenant: tenant)
          #expect(found.count == 1 && found.allSatisfy { $0.text.contains(mark) })
        }
        let latest = try #require(try await storage.latest(vehicle: "VAN-001", tenant: tenant))
        #expect(latest.telemetry?.text.contains(mark) == true && latest.position?.text.contains(mark) == true)
        let changes = try await storage.changes(after: .start, limit: 10, tenant: tenant)
        #expect(changes.count == 2 && changes.allSatisfy { $0.record.text.contains(mark) })
        #expect(try await storage.feedPosition(tenant: tenant).rawValue == 2)
        guard case .gateway(_, tenant) = try await storage.principal(Sample.secret(UInt8(index))),
          case .token(let token, tenant) = try await storage.principal(Sample.secret(UInt8(index + 10)))
        else {
          Issue.record("a secret of \(tenant) belongs to another tenant")
          continue
        }
        #expect(token.label == "\(index)")
        #expect(try await storage.vehicles(cursor: nil, limit: 9, tenant: tenant).items.count == 1)
        #expect(try await storage.gateways(cursor: nil, limit: 9, tenant: tenant).items.count == 1)
        #expect(try await storage.allTokens(tenant: tenant).map(\.label) == ["\(index)"])
      }
      // Changes of one tenant.
      _ = try await storage.updateVehicle("VAN-001", tenant: other) { $0.name = "x" }
      _ = try await storage.rotateKey(Sample.secret(99), gateway: "gw-1", tenant: other, at: Sample.now)
      _ = try await storage.setAllowedVehicles(["x"], gateway: "gw-1", tenant: other, at: Sample.now)
      try await storage.storeStatus(of: ["gw-1": GatewayStatus(at: Sample.now, spoolDepth: 1)], tenant: other)
      try await storage.revokeGateway("gw-1", tenant: other, at: Sample.now)
      try await storage.revokeToken(Sample.epoch, tenant: other, at: Sample.now)
      #expect(try await storage.removeVehicle("VAN-001", tenant: other))
      let gateway = try #require(try await storage.gateway("gw-1", tenant: .standard))
      #expect(gateway.revokedAt == nil && gateway.lastSeen == nil && gateway.allowedVehicles.isEmpty)
      #expect(try await storage.allTokens().map(\.revokedAt) == [nil])
      #expect(try await storage.vehicle("VAN-001", tenant: .standard)?.value.name == nil)
      #expect(try await storage.all(.telemetry(of: "VAN-001")).count == 1)
      #expect(try await storage.principal(Sample.secret(0)) == .gateway(gateway, .standard))
    }
  }
}
