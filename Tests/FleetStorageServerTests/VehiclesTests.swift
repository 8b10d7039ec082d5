import FleetDomain
import FleetStorageTestKit
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct VehiclesTests {
  static let vehicle = Vehicle(
    vin: "WVWZZZ3CZHE514839", name: "Kühlwagen", make: "Volkswagen", model: "Crafter", modelYear: 2017,
    licencePlate: "KN-X 17")

  @Test(arguments: Kind.allCases)
  func a_vehicle_is_made_changed_and_removed_with_its_records(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let added = try await storage.addVehicle("VAN-001", Self.vehicle, tenant: .standard, at: Sample.now)
      #expect(try await storage.vehicle("VAN-001", tenant: .standard) == added)
      #expect(try await storage.vehicle("WVWZZZ3CZHE514839", tenant: .standard) == added)
      let changed = try await storage.updateVehicle("VAN-001", tenant: .standard) {
        $0.name = nil
        $0.vin = nil
      }
      #expect(changed.version == 2 && changed.value.name == nil && changed.value.make == "Volkswagen")
      #expect(try await storage.vehicle("VAN-001", tenant: .standard) == changed)
      #expect(try await storage.vehicle("WVWZZZ3CZHE514839", tenant: .standard) == nil)
      try await storage.store([Sample.record(1), Sample.record(2, "trip"), Sample.record(1, vehicle: "VAN-002")])
      #expect(try await storage.removeVehicle("VAN-001", tenant: .standard))
      #expect(try await storage.removeVehicle("VAN-001", tenant: .standard) == false)
      // Later records belong to a new vehicle without the data of the old one.
      #expect(try await storage.store([Sample.record(1), Sample.record(3)]) == [.stored, .stored])
      #expect(try await storage.all(.telemetry(of: "VAN-001")).map(\.number) == [1, 3])
      #expect(try await storage.all(.telemetry(of: "VAN-002")).map(\.number) == [1])
    }
  }

  @Test(arguments: Kind.allCases)
  func the_removal_of_a_vehicle_continues_after_a_restart(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      func rows(_ storage: StoredFleet) async throws -> Int64 {
        try await storage.engine.read { session throws(StoreFailure) in
          try session.rows("SELECT count(*) FROM record", []).first?.integer(0) ?? 0
        }
      }
      // The records need more than one step, and are in several partitions.
      let many = (0..<12_000).map { Sample.record($0, idAt: UInt64(Sample.day) - UInt64($0) * 400_000) }
      for start in stride(from: 0, to: many.count, by: 4_000) {
        try await fleet.storage.store(Array(many[start..<(start + 4_000)]))
      }
      try await fleet.storage.store([Sample.record(1, "trip"), Sample.record(2, vehicle: "VAN-002")])
      #expect(try await fleet.storage.removeVehicle("VAN-001", tenant: .standard))
      #expect(try await fleet.storage.vehicle("VAN-001", tenant: .standard) == nil)
      #expect(try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard) == nil)
      #expect(try await fleet.storage.all(RecordQuery(vehicle: nil, classes: RecordQuery.tripClasses)).isEmpty)
      #expect(try await fleet.storage.counts().removals == 1)
      // The vehicle is added again before its old rows are deleted.
      #expect(try await fleet.storage.store([Sample.record(5)]) == [.stored])
      #expect(try await rows(fleet.storage) == 12_003)
      await fleet.storage.close()
      let again = try await fleet.another()
      #expect(try await again.finishRemovals() == 12_001)
      #expect(try await rows(again) == 2)
      #expect(try await again.counts().removals == 0)
      #expect(try await again.counts().recordsRemoved == 12_001)
      #expect(try await again.finishRemovals() == 0)
      #expect(try await again.all(.telemetry(of: "VAN-001")).map(\.number) == [5])
      await again.close()
    }
  }

  @Test(arguments: Kind.allCases)
  func the_days_of_a_removed_vehicle_are_deleted_in_pieces(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      func hours() async throws -> Int64 {
        try await fleet.storage.engine.read { session throws(StoreFailure) in
          try session.rows("SELECT count(*) FROM stale_hour", []).first?.integer(0) ?? 0
        }
      }
      // A record in each hour of half a year.
      let many = (0..<4_500).map { Sample.record($0, at: -3_600 * Double($0)) }
      for start in stride(from: 0, to: many.count, by: 1_500) {
        try await fleet.storage.store(Array(many[start..<(start + 1_500)]))
      }
      try await fleet.storage.store([Sample.record(1, vehicle: "VAN-002")])
      #expect(try await fleet.storage.removeVehicle("VAN-001", tenant: .standard))
      // Not in the transaction of the removal, which would take long.
      #expect(try await hours() == 4_501)
      let stale = try await fleet.storage.staleVehicles(markedBefore: Sample.time(86_400), limit: 1)
      #expect(stale.map(\.vehicle) == ["VAN-002"])
      _ = try await fleet.storage.finishRemovals()
      #expect(try await hours() == 1)
    }
  }

  @Test(arguments: Kind.allCases)
  func records_under_a_learned_vin_belong_to_its_vehicle(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let (storage, vin) = (fleet.storage, "WVWZZZ3CZHE514839")
      try await storage.store([Sample.record(1, "vehicle", keys: ",\"vin\":\"\(vin)\"")])
      let changed = try await storage.updateVehicle("VAN-001", tenant: .standard) { $0.name = "Van" }
      #expect(changed.value.vin == vin && changed.value.name == "Van")
      try await storage.store([Sample.record(2, vehicle: vin)])
      #expect(try await storage.all(.telemetry(of: "VAN-001")).map(\.number) == [2])
      let other = "WVWZZZ3CZHE514840"
      #expect(try await storage.updateVehicle("VAN-001", tenant: .standard) { $0.vin = other }.value.vin == other)
    }
  }

  @Test(arguments: Kind.allCases)
  func registration_by_records_is_in_the_audit(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let vin = "WVWZZZ3CZHE514839"
      try await fleet.storage.store([Sample.record(1)])
      try await fleet.storage.store([Sample.record(2, "vehicle", keys: ",\"vin\":\"\(vin)\"")])
      let entries = try await fleet.storage.auditEntries(after: 0, limit: 10, tenant: .standard)
      #expect(entries.map(\.action) == ["register", "register"])
      #expect(entries.map(\.version) == [1, 2])
      #expect(entries.first?.change?.after["id"] == .text("VAN-001"))
      #expect(entries.last?.change == ThingChange(before: ["vin": .null], after: ["vin": .text(vin)]))
      #expect(entries.allSatisfy { $0.content["actor"]?["kind"] == .text("gateway") })
    }
  }

  @Test(arguments: Kind.allCases)
  func two_vehicles_never_share_an_id_or_vin(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      try await storage.addVehicle("VAN-001", Self.vehicle, tenant: .standard, at: Sample.now)
      for (id, vehicle, field) in [
        ("VAN-001", Vehicle(), "id"), ("VAN-002", Self.vehicle, "vin"), ("WVWZZZ3CZHE514839", Vehicle(), "id"),
      ] {
        await #expect(throws: ThingError.duplicate(field: field)) {
          try await storage.addVehicle(id, vehicle, tenant: .standard, at: Sample.now)
        }
      }
      try await storage.addVehicle("VAN-002", tenant: .standard, at: Sample.now)
      await #expect(throws: ThingError.duplicate(field: "vin")) {
        try await storage.updateVehicle("VAN-002", tenant: .standard) { $0.vin = Self.vehicle.vin }
      }
      // A vehicle may repeat its own VIN.
      try await storage.updateVehicle("VAN-001", tenant: .standard) { $0.vin = Self.vehicle.vin }
    }
  }

  @Test(arguments: Kind.allCases)
  func lists_continue_after_their_cursor(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let ids = (0..<25).map { "VAN-\($0)" } + ["a", "ä", "Z"]
      for id in ids.shuffled() {
        _ = try await fleet.storage.addVehicle(id, tenant: .standard, at: Sample.now)
      }
      var found: [String] = []
      var cursor: String?
      repeat {
        let page = try await fleet.storage.vehicles(cursor: cursor, limit: 4, tenant: .standard)
        found += page.items.map(\.value.id)
        cursor = page.next
      } while cursor != nil
      #expect(found == ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
      let error = await #expect(throws: StorageError.self) {
        try await fleet.storage.vehicles(cursor: "4142434445464748", limit: 4, tenant: .standard)
      }
      #expect(error?.kind == .invalidCursor)
    }
  }
}
