import FleetDomain
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct LatestTests {
  @Test(arguments: Kind.allCases)
  func the_newest_of_each_class_and_the_last_position(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let place = #","latitude":47.5,"longitude":9.25"#
      try await fleet.storage.take([
        Sample.record(5, keys: place), Sample.record(9), Sample.record(2, keys: place), Sample.record(3, "trip"),
        Sample.record(7, "trip"), Sample.record(8, "dtc"), Sample.record(6, "novelty"),
        Sample.record(50, vehicle: "VAN-002", keys: place),
      ])
      // A backlog that comes later is not the newest.
      try await fleet.storage.take([Sample.record(4, keys: place)])
      let latest = try #require(try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard))
      #expect(latest.telemetry?.number == 9)
      #expect(latest.position?.number == 5)
      #expect(latest.others.map(\.number) == [8, 7, 6])
      #expect(latest.vehicle.id == "VAN-001")
      #expect(latest.vehicle.lastRecordAt == Sample.time(9))
      #expect(try await fleet.storage.latest(vehicle: "nobody", tenant: .standard) == nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_vehicle_without_records_has_none(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let vehicle = try await fleet.storage.addVehicle("VAN-9", VehicleDetails(), tenant: .standard, at: Sample.now)
      let latest = try #require(try await fleet.storage.latest(vehicle: "VAN-9", tenant: .standard))
      #expect(latest == LatestRecords(vehicle: vehicle, telemetry: nil, position: nil, others: []))
    }
  }
}
