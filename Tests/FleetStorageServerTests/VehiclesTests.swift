import FleetDomain
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct VehiclesTests {
  static let details = VehicleDetails(
    vin: "WVWZZZ3CZHE514839", name: "Kühlwagen", make: "Volkswagen", model: "Crafter", modelYear: 2017,
    licencePlate: "KN-X 17")

  @Test(arguments: Kind.allCases)
  func a_vehicle_is_made_changed_and_removed_with_its_records(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let storage = fleet.storage
      let added = try await storage.addVehicle("VAN-001", Self.details, tenant: .standard, at: Sample.now)
      #expect(try await storage.vehicle("VAN-001", tenant: .standard) == added)
      #expect(try await storage.vehicle("WVWZZZ3CZHE514839", tenant: .standard) == added)
      var details = Self.details
      details.name = nil
      details.vin = nil
      #expect(try await storage.updateVehicle("VAN-001", details, tenant: .standard).details.vin == Self.details.vin)
      let changed = try await storage.updateVehicle("VAN-001", details, removesVIN: true, tenant: .standard)
      #expect(changed.details == details)
      #expect(try await storage.vehicle("WVWZZZ3CZHE514839", tenant: .standard) == nil)
      try await storage.store([Sample.record(1), Sample.record(2, "trip"), Sample.record(1, vehicle: "VAN-002")])
      #expect(try await storage.removeVehicle("VAN-001", tenant: .standard))
      #expect(try await storage.removeVehicle("VAN-001", tenant: .standard) == false)
      // What comes then is a new vehicle's, and nothing of the old one is there.
      #expect(try await storage.store([Sample.record(1), Sample.record(3)]) == [.stored, .stored])
      #expect(try await storage.all(.telemetry(of: "VAN-001")).map(\.number) == [1, 3])
      #expect(try await storage.all(.telemetry(of: "VAN-002")).map(\.number) == [1])
    }
  }

  @Test(arguments: Kind.allCases)
  func the_removal_of_a_vehicle_continues_after_a_restart(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      func rows(_ storage: StoredFleet) async throws -> Int64 {
        try await storage.engine.read { session throws(StoreFailure) in
          try session.rows("SELECT count(*) FROM record", []).first?.integer(0) ?? 0
        }
      }
      // More than one piece, in several partitions.
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
      // It is added again before its rows are gone.
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
  func a_vin_from_records_survives_a_change_without_a_vin(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let (storage, vin) = (fleet.storage, "WVWZZZ3CZHE514839")
      try await storage.store([Sample.record(1, "vehicle", keys: ",\"vin\":\"\(vin)\"")])
      let changed = try await storage.updateVehicle("VAN-001", VehicleDetails(name: "Van"), tenant: .standard)
      #expect(changed.details == VehicleDetails(vin: vin, name: "Van"))
      // What comes under the VIN is still the same vehicle's.
      try await storage.store([Sample.record(2, vehicle: vin)])
      #expect(try await storage.all(.telemetry(of: "VAN-001")).map(\.number) == [2])
      let other = VehicleDetails(vin: "WVWZZZ3CZHE514840")
      #expect(try await storage.updateVehicle("VAN-001", other, tenant: .standard).details == other)
    }
  }

  @Test(arguments: Kind.allCases)
  func two_vehicles_never_share_an_id_or_vin(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let storage = fleet.storage
      _ = try await storage.addVehicle("VAN-001", Self.details, tenant: .standard, at: Sample.now)
      for (id, details) in [
        ("VAN-001", VehicleDetails()), ("VAN-002", Self.details), ("WVWZZZ3CZHE514839", VehicleDetails()),
      ] {
        let error = await #expect(throws: StorageError.self) {
          try await storage.addVehicle(id, details, tenant: .standard, at: Sample.now)
        }
        #expect(error?.kind == .exists)
      }
      _ = try await storage.addVehicle("VAN-002", VehicleDetails(), tenant: .standard, at: Sample.now)
      let taken = await #expect(throws: StorageError.self) {
        try await storage.updateVehicle("VAN-002", Self.details, tenant: .standard)
      }
      #expect(taken?.kind == .exists)
      let unknown = await #expect(throws: StorageError.self) {
        try await storage.updateVehicle("VAN-003", VehicleDetails(), tenant: .standard)
      }
      #expect(unknown?.kind == .notFound)
      // A vehicle may repeat its own VIN.
      _ = try await storage.updateVehicle("VAN-001", Self.details, tenant: .standard)
    }
  }

  @Test(arguments: Kind.allCases)
  func lists_continue_after_their_cursor(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let ids = (0..<25).map { "VAN-\($0)" } + ["a", "ä", "Z"]
      for id in ids.shuffled() {
        _ = try await fleet.storage.addVehicle(id, VehicleDetails(), tenant: .standard, at: Sample.now)
      }
      var found: [String] = []
      var cursor: String?
      repeat {
        let page = try await fleet.storage.vehicles(cursor: cursor, limit: 4, tenant: .standard)
        found += page.items.map(\.id)
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
