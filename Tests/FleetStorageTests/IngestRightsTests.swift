import FleetDomain
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct IngestRightsTests {
  private func take(
    _ fleet: Fleet, _ gateway: Gateway, _ records: [IncomingRecord]
  ) async throws -> [RecordRefusal.Kind?] {
    try await fleet.storage.ingest(records, from: .gateway(gateway), tenant: .standard, at: Sample.now).map {
      if case .refused(let refusal) = $0 { refusal.kind } else { nil }
    }
  }

  @Test(arguments: Kind.allCases)
  func a_refused_record_does_not_lose_the_others(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let records = [
        Sample.record(1), Sample.record(2, vehicle: "VAN-666"), Sample.record(3, gateway: "gw-66"), Sample.record(4),
      ]
      let kinds = try await take(fleet, Sample.gateway("gw-17", ["VAN-001"]), records)
      #expect(kinds == [nil, .foreignVehicle, .foreignGateway, nil])
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.number) == [1, 4])
      #expect(try await fleet.storage.vehicle("VAN-666", tenant: .standard) == nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func without_a_list_a_vehicle_belongs_to_the_gateway_that_came_first(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let (first, second) = (Sample.gateway("gw-1"), Sample.gateway("gw-2"))
      let registering = try await take(fleet, first, [Sample.record(1, gateway: "gw-1")])
      #expect(registering == [nil])
      #expect(try await take(fleet, second, [Sample.record(2, gateway: "gw-2")]) == [.foreignVehicle])
      #expect(try await take(fleet, first, [Sample.record(3, gateway: "gw-1")]) == [nil])
      #expect(try await fleet.storage.vehicle("VAN-001", tenant: .standard)?.registeredBy == "gw-1")
      // A list says so for any vehicle, whoever registered it.
      let listed = Sample.gateway("gw-2", ["VAN-001"])
      #expect(try await take(fleet, listed, [Sample.record(2, gateway: "gw-2")]) == [nil])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_vehicle_is_found_by_its_vin(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let vin = "WVWZZZ3CZHE514839"
      _ = try await fleet.storage.addVehicle(
        "VAN-001", VehicleDetails(vin: vin), tenant: .standard, at: Sample.now)
      #expect(try await take(fleet, Sample.gateway(), [Sample.record(1, vehicle: vin)]) == [nil])
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.vehicle) == ["VAN-001"])
      #expect(try await fleet.storage.all(.telemetry(of: vin)).map(\.number) == [1])
      #expect(try await fleet.storage.vehicles(cursor: nil, limit: 10, tenant: .standard).items.count == 1)
      #expect(try await fleet.storage.vehicle(vin, tenant: .standard)?.registeredBy == "gw-17")
      // A resend under the other name is the same record.
      #expect(try await fleet.storage.take([Sample.record(1)]) == [.duplicate])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_vin_is_learnt_from_a_record(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      try await fleet.storage.take([Sample.record(1)])
      try await fleet.storage.take([Sample.record(2, "vehicle", keys: #","vin":"WVWZZZ3CZHE514839""#)])
      let vehicle = try await fleet.storage.vehicle("VAN-001", tenant: .standard)
      #expect(vehicle?.details.vin == "WVWZZZ3CZHE514839")
      // Another vehicle that says the same does not take it away.
      try await fleet.storage.take([Sample.record(3, vehicle: "VAN-002", keys: #","vin":"WVWZZZ3CZHE514839""#)])
      #expect(try await fleet.storage.vehicle("VAN-002", tenant: .standard)?.details.vin == nil)
      #expect(try await fleet.storage.vehicle("WVWZZZ3CZHE514839", tenant: .standard)?.id == "VAN-001")
    }
  }

  @Test(arguments: Kind.allCases)
  func an_unknown_tenant_is_an_error(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let nobody = try #require(TenantID("nobody"))
      let error = await #expect(throws: StorageError.self) {
        try await fleet.storage.take([Sample.record(1)], tenant: nobody)
      }
      #expect(error?.kind == .notFound)
    }
  }
}
