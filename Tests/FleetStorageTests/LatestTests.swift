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
  func what_is_no_place_on_earth_is_kept_and_is_no_position(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      try await fleet.storage.take([
        Sample.record(1, keys: #","latitude":90,"longitude":-180"#),
        Sample.record(2, keys: #","latitude":91,"longitude":9"#),
        Sample.record(3, keys: #","latitude":47,"longitude":180.5"#),
      ])
      let latest = try #require(try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard))
      #expect(latest.position?.number == 1)
      #expect(latest.telemetry?.number == 3)
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

  @Test(arguments: Kind.allCases)
  func what_moves_back_in_time_is_the_newest_no_more(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let (place, id) = (#","latitude":47.5,"longitude":9.25"#, UInt64(Sample.day))
      func latest() async throws -> LatestRecords? {
        try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard)
      }
      // A clock that was years ahead; there is nothing but that.
      try await fleet.storage.take([Sample.record(1, at: 1e8, quality: "system", idAt: id, keys: place)])
      #expect(try await latest()?.vehicle.lastRecordAt == Sample.time(1e8))
      #expect(try await fleet.storage.take([Sample.record(1, at: 9e7, quality: "ntp", idAt: id)]) == [.improved])
      #expect(try await latest()?.vehicle.lastRecordAt == Sample.time(9e7))
      #expect(try await latest()?.position?.number == 1)
      // Others came meanwhile, of which many say no position.
      let others = (50..<400).map { Sample.record($0) } + [Sample.record(401, "dtc")]
      try await fleet.storage.take([Sample.record(40, keys: place), Sample.record(41, keys: place)] + others)
      #expect(try await latest()?.position?.number == 1)
      #expect(try await fleet.storage.take([Sample.record(1, at: 20, quality: "gps", idAt: id)]) == [.improved])
      #expect(try await latest()?.vehicle.lastRecordAt == Sample.time(401))
      #expect(try await latest()?.position?.number == 41)
      // What was not the newest changes nothing.
      try await fleet.storage.take([Sample.record(2, at: 30, quality: "system", idAt: id, keys: place)])
      try await fleet.storage.take([Sample.record(2, at: 10, quality: "gps", idAt: id)])
      #expect(try await latest()?.vehicle.lastRecordAt == Sample.time(401))
      #expect(try await latest()?.position?.number == 41)
      try await fleet.storage.take([Sample.record(500, keys: place)])
      #expect(try await latest()?.position?.number == 500)
    }
  }
}
