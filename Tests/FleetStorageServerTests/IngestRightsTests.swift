import FleetDomain
import FleetStorageTestKit
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct IngestRightsTests {
  private func store(
    _ fleet: TestedFleet, _ gateway: Gateway, _ records: [IncomingRecord]
  ) async throws -> [RecordRefusal.Kind?] {
    try await fleet.storage.ingest(records, from: .gateway(gateway), tenant: .standard, at: Sample.now).map {
      if case .refused(let refusal) = $0 { refusal.kind } else { nil }
    }
  }

  @Test(arguments: Kind.allCases)
  func a_refused_record_does_not_lose_the_others(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let records = [
        Sample.record(1), Sample.record(2, vehicle: "VAN-666"), Sample.record(3, gateway: "gw-66"), Sample.record(4),
      ]
      let kinds = try await store(fleet, Sample.gateway("gw-17", ["VAN-001"]), records)
      #expect(kinds == [nil, .foreignVehicle, .foreignGateway, nil])
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.number) == [1, 4])
      #expect(try await fleet.storage.vehicle("VAN-666", tenant: .standard) == nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func without_a_list_a_vehicle_belongs_to_the_gateway_that_came_first(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let (first, second) = (Sample.gateway("gw-1"), Sample.gateway("gw-2"))
      let registering = try await store(fleet, first, [Sample.record(1, gateway: "gw-1")])
      #expect(registering == [nil])
      #expect(try await store(fleet, second, [Sample.record(2, gateway: "gw-2")]) == [.foreignVehicle])
      #expect(try await store(fleet, first, [Sample.record(3, gateway: "gw-1")]) == [nil])
      #expect(try await fleet.storage.vehicle("VAN-001", tenant: .standard)?.value.registeredBy == "gw-1")
      // A list assigns a vehicle to its gateway, even if another gateway registered the vehicle.
      let listed = Sample.gateway("gw-2", ["VAN-001"])
      #expect(try await store(fleet, listed, [Sample.record(2, gateway: "gw-2")]) == [nil])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_gateway_always_writes_as_itself_and_no_other_does(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let listed = try await storage.addGateway(
        "gw-1", allowedVehicles: ["VAN-001"], key: Sample.secret(1), tenant: .standard, at: Sample.now)
      let free = try await storage.addGateway(
        "gw-2", allowedVehicles: [], key: Sample.secret(2), tenant: .standard, at: Sample.now)
      func says(_ number: Int, _ type: String, _ vehicle: String, _ gateway: String) -> IncomingRecord {
        Sample.record(number, type, vehicle: vehicle, gateway: gateway)
      }
      // A gateway cannot claim a vehicle by being the first to report it either.
      #expect(try await store(fleet, free, [says(1, "trip", "gw-1", "gw-2")]) == [.foreignVehicle])
      let own = [
        says(2, "adapter", "gw-1", "gw-1"), says(3, "telemetry", "VAN-001", "gw-1"), says(4, "gap", "gw-1", "gw-1"),
        says(5, "gap", "gw-2", "gw-1"),
      ]
      #expect(try await store(fleet, listed, own) == [nil, nil, nil, .foreignVehicle])
      #expect(try await store(fleet, free, [says(6, "gap", "gw-2", "gw-2")]) == [nil])
      let events = RecordQuery(vehicle: nil, gateway: "gw-1", classes: RecordQuery.eventClasses)
      #expect(try await storage.all(events).map(\.number) == [4, 2])
      // The same if an operator has created a vehicle with that name.
      _ = try await storage.addGateway(
        "gw-3", allowedVehicles: ["VAN-003"], key: Sample.secret(3), tenant: .standard, at: Sample.now)
      _ = try await storage.addVehicle("gw-3", tenant: .standard, at: Sample.now)
      #expect(try await store(fleet, free, [says(7, "gap", "gw-3", "gw-2")]) == [.foreignVehicle])
      let third = Sample.gateway("gw-3", ["VAN-003"])
      #expect(try await store(fleet, third, [says(8, "gap", "gw-3", "gw-3")]) == [nil])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_vehicle_is_found_by_its_vin(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let vin = "WVWZZZ3CZHE514839"
      _ = try await fleet.storage.addVehicle(
        "VAN-001", Vehicle(vin: vin), tenant: .standard, at: Sample.now)
      #expect(try await store(fleet, Sample.gateway(), [Sample.record(1, vehicle: vin)]) == [nil])
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.vehicle) == ["VAN-001"])
      #expect(try await fleet.storage.all(.telemetry(of: vin)).map(\.number) == [1])
      #expect(try await fleet.storage.vehicles(cursor: nil, limit: 10, tenant: .standard).items.count == 1)
      #expect(try await fleet.storage.vehicle(vin, tenant: .standard)?.value.registeredBy == "gw-17")
      // The same record under the other name of the vehicle is a duplicate.
      #expect(try await fleet.storage.store([Sample.record(1)]) == [.duplicate])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_vin_in_a_gateways_list_is_not_learned_over_a_broker(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let (storage, vin) = (fleet.storage, "WVWZZZ3CZHE514839")
      _ = try await storage.addGateway(
        "gw-2", allowedVehicles: [vin], key: Sample.secret(2), tenant: .standard, at: Sample.now)
      // The records claim to be from gw-2.
      let claims = [
        Sample.record(1, vehicle: "VAN-1", gateway: "gw-2", keys: ",\"vin\":\"\(vin)\""),
        Sample.record(2, vehicle: "VAN-2", gateway: "gw-2", keys: ",\"vin\":\"WVWZZZ3CZHE514840\""),
      ]
      let stored = try await storage.ingest(claims, from: .broker, tenant: .standard, at: Sample.now)
      #expect(stored == [.stored, .stored])
      #expect(try await storage.vehicle("VAN-1", tenant: .standard)?.value.vin == nil)
      #expect(try await storage.vehicle("VAN-2", tenant: .standard)?.value.vin == "WVWZZZ3CZHE514840")
    }
  }

  @Test(arguments: Kind.allCases)
  func a_vin_is_learnt_from_a_record(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      try await fleet.storage.store([Sample.record(1)])
      try await fleet.storage.store([Sample.record(2, "vehicle", keys: #","vin":"WVWZZZ3CZHE514839""#)])
      let vehicle = try await fleet.storage.vehicle("VAN-001", tenant: .standard)
      #expect(vehicle?.value.vin == "WVWZZZ3CZHE514839")
      // Another vehicle that reports the same VIN does not get it.
      try await fleet.storage.store([Sample.record(3, vehicle: "VAN-002", keys: #","vin":"WVWZZZ3CZHE514839""#)])
      #expect(try await fleet.storage.vehicle("VAN-002", tenant: .standard)?.value.vin == nil)
      #expect(try await fleet.storage.vehicle("WVWZZZ3CZHE514839", tenant: .standard)?.value.id == "VAN-001")
    }
  }

  @Test(arguments: Kind.allCases)
  func a_vehicle_in_another_gateways_list_is_not_registered(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let (storage, vin) = (fleet.storage, "WVWZZZ3CZHE514839")
      let other = try #require(TenantID("other"))
      try await storage.addTenant(other, at: Sample.now)
      let owner = try await storage.addGateway(
        "gw-2", allowedVehicles: ["VAN-2", vin], key: Sample.secret(2), tenant: .standard, at: Sample.now)
      _ = try await storage.addVehicle("VAN-2", tenant: .standard, at: Sample.now)
      let taker = Sample.gateway("gw-1")
      func says(_ number: Int, _ vehicle: String, _ keys: String = "") -> IncomingRecord {
        Sample.record(number, vehicle: vehicle, gateway: "gw-1", keys: keys)
      }
      let claim = ",\"vin\":\"\(vin)\""
      // The vehicle is named by its id, by its VIN as an id, as the VIN of a new vehicle, and as the VIN of an existing
      // one. A part of the id is another vehicle.
      let kinds = try await store(
        fleet, taker,
        [says(1, "VAN-2"), says(2, vin), says(3, "VAN-1", claim), says(4, "VAN-1", claim), says(5, "AN-2")])
      #expect(kinds == [.foreignVehicle, .foreignVehicle, nil, nil, nil])
      #expect(try await storage.vehicle("VAN-1", tenant: .standard)?.value.vin == nil)
      #expect(try await storage.vehicle(vin, tenant: .standard) == nil)
      // The owner may use it, also with a VIN that is reported later.
      let own = [
        Sample.record(6, vehicle: "VAN-2", gateway: "gw-2", keys: claim),
        Sample.record(7, vehicle: vin, gateway: "gw-2"),
      ]
      #expect(try await store(fleet, owner, own) == [nil, nil])
      #expect(try await storage.all(.telemetry(of: vin)).map(\.number) == [6, 7])
      // Lists of other tenants have no effect, nor does that of a gateway whose key was revoked.
      #expect(try await storage.store([says(8, vin)], tenant: other) == [.stored])
      _ = try await storage.addGateway(
        "gw-3", allowedVehicles: ["VAN-3"], key: Sample.secret(3), tenant: .standard, at: Sample.now)
      #expect(try await store(fleet, taker, [says(9, "VAN-3")]) == [.foreignVehicle])
      try await storage.revokeGateway("gw-3", tenant: .standard, at: Sample.now)
      #expect(try await store(fleet, taker, [says(9, "VAN-3")]) == [nil])
    }
  }

  @Test(arguments: Kind.allCases)
  func the_number_of_new_vehicles_in_a_batch_is_limited(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      func says(_ vehicles: Range<Int>, _ gateway: String = "gw-1", _ prefix: String = "V") -> [IncomingRecord] {
        vehicles.map { Sample.record($0, vehicle: "\(prefix)-\($0)", gateway: gateway) }
      }
      let limit = TenantLimits.newVehiclesOfBatch
      let batch = says(0..<(limit + 20)) + says(0..<5)
      let outcomes = try await storage.ingest(
        batch, from: .gateway(Sample.gateway("gw-1")), tenant: .standard, at: Sample.now)
      #expect(outcomes.prefix(limit).allSatisfy { $0 == .stored })
      #expect(outcomes.suffix(5).allSatisfy { $0 == .duplicate })
      guard case .refused(let refusal) = outcomes[limit] else {
        Issue.record("\(outcomes[limit])")
        return
      }
      #expect(refusal.kind == .tooManyVehicles)
      #expect(
        refusal.description
          == "vehicleId: expected at most 100 new vehicles in one batch, found one more, \"V-100\": send it in a later batch"
      )
      #expect(outcomes[limit..<(limit + 20)].allSatisfy { if case .refused = $0 { true } else { false } })
      // The rest follows in a later batch. Another gateway has its own limit, and so does a gateway with a list.
      let rest = try await store(fleet, Sample.gateway("gw-1"), says(limit..<(limit + 20)))
      #expect(rest.allSatisfy { $0 == nil })
      let names = (0..<200).map { "L-\($0)" }
      let listed = try await store(fleet, Sample.gateway("gw-2", names), says(0..<200, "gw-2", "L"))
      #expect(listed.allSatisfy { $0 == nil })
      // A broker's records are from many gateways.
      let many = (0..<300).map { Sample.record($0, vehicle: "B-\($0)", gateway: "gw-b\($0)") }
      let stored = try await storage.ingest(many, from: .broker, tenant: .standard, at: Sample.now)
      #expect(stored.allSatisfy { $0 == .stored })
    }
  }

  @Test(arguments: Kind.allCases)
  func the_number_of_vehicles_registered_by_a_gateway_is_limited(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let most = Int(TenantLimits.vehiclesOfGateway)
      for start in stride(from: 0, to: most, by: 100) {
        let batch = (start..<(start + 100)).map { Sample.record($0, vehicle: "V-\($0)", gateway: "gw-1") }
        let taken = try await store(fleet, Sample.gateway("gw-1"), batch)
        #expect(taken.allSatisfy { $0 == nil })
      }
      let more = [
        Sample.record(most, vehicle: "V-\(most)", gateway: "gw-1"), Sample.record(1, vehicle: "V-0", gateway: "gw-1"),
        Sample.record(2, vehicle: "gw-1", gateway: "gw-1"),
      ]
      #expect(try await store(fleet, Sample.gateway("gw-1"), more) == [.tooManyVehicles, nil, nil])
      #expect(
        try await store(fleet, Sample.gateway("gw-2"), [Sample.record(3, vehicle: "W", gateway: "gw-2")]) == [nil])
    }
  }

  /// The cost of an unknown vehicle does not depend on the number of gateways.
  @Test(arguments: Kind.allCases, [RightsQuery.isOfOther, RightsQuery.registered])
  func access_rights_are_looked_up_by_indexes(_ kind: Kind, _ statement: String) async throws {
    try await TestedFleet.with(kind) { fleet in
      let plan = try await fleet.storage.engine.write { session throws(StoreFailure) in
        var sql = statement
        if kind == .postgreSQL {
          // The table is empty: reading it whole would be cheap.
          _ = try session.rows("SELECT set_config('enable_seqscan', 'off', true)", [])
          for (name, value) in [("$1", "1"), ("$2", "'VAN-1'"), ("$3", statement.contains("LIMIT") ? "1" : "'gw'")] {
            sql = sql.replacing(name, with: value)
          }
        }
        let rows = try session.rows(
          (kind == .sqlite ? "EXPLAIN QUERY PLAN " : "EXPLAIN ") + sql,
          kind == .sqlite ? [.integer(1), .text("VAN-1"), statement.contains("LIMIT") ? .integer(1) : .text("gw")] : [])
        return rows.map { $0.text(kind == .sqlite ? 3 : 0) }
      }
      let reads = plan.filter { $0.contains("SCAN") || $0.contains("SEARCH") || $0.contains("Scan") }
      #expect(!reads.isEmpty)
      for line in reads where !line.contains("SCAN CONSTANT ROW") && !line.contains("SCAN registered") {
        #expect(line.contains("SEARCH") || line.contains("Index") || line.contains("Subquery"), "\(plan)")
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func an_unknown_tenant_is_an_error(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let nobody = try #require(TenantID("nobody"))
      let error = await #expect(throws: StorageError.self) {
        try await fleet.storage.store([Sample.record(1)], tenant: nobody)
      }
      #expect(error?.kind == .notFound)
    }
  }
}
