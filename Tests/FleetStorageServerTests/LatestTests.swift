import FleetDomain
import FleetStorageTestKit
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct LatestTests {
  @Test(arguments: Kind.allCases)
  func the_newest_record_of_each_class_and_the_last_position_are_returned(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let place = #","latitude":47.5,"longitude":9.25"#
      try await fleet.storage.store([
        Sample.record(5, keys: place), Sample.record(9), Sample.record(2, keys: place), Sample.record(3, "trip"),
        Sample.record(7, "trip"), Sample.record(8, "dtc"), Sample.record(6, "novelty"),
        Sample.record(50, vehicle: "VAN-002", keys: place),
      ])
      // A backlog that arrives later does not contain the newest record.
      try await fleet.storage.store([Sample.record(4, keys: place)])
      let latest = try #require(try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard))
      #expect(latest.telemetry?.number == 9)
      #expect(latest.position?.number == 5)
      #expect(latest.others.map(\.number) == [8, 7, 6])
      #expect(latest.vehicle.value.id == "VAN-001")
      #expect(latest.vehicle.value.lastRecordAt == Sample.time(9))
      #expect(try await fleet.storage.latest(vehicle: "nobody", tenant: .standard) == nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_record_without_both_degrees_is_no_position(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      try await fleet.storage.store([
        Sample.record(1, keys: #","latitude":90,"longitude":-180"#),
        Sample.record(2, keys: #","latitude":47"#),
        Sample.record(3, keys: #","longitude":9"#),
      ])
      let latest = try #require(try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard))
      #expect(latest.position?.number == 1)
      #expect(latest.telemetry?.number == 3)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_vehicle_without_records_has_none(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let vehicle = try await fleet.storage.addVehicle("VAN-9", tenant: .standard, at: Sample.now)
      let latest = try #require(try await fleet.storage.latest(vehicle: "VAN-9", tenant: .standard))
      #expect(latest == LatestRecords(vehicle: vehicle, telemetry: nil, position: nil, others: []))
    }
  }

  @Test(arguments: Kind.allCases)
  func a_record_whose_time_moves_back_is_no_longer_the_latest(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let (place, id) = (#","latitude":47.5,"longitude":9.25"#, UInt64(Sample.day))
      func latest() async throws -> LatestRecords? {
        try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard)
      }
      // The record comes from a clock that was hours ahead; there are no other records.
      try await fleet.storage.store([Sample.record(1, at: 80_000, quality: "system", idAt: id, keys: place)])
      #expect(try await latest()?.vehicle.value.lastRecordAt == Sample.time(80_000))
      #expect(try await fleet.storage.store([Sample.record(1, at: 70_000, quality: "ntp", idAt: id)]) == [.improved])
      #expect(try await latest()?.vehicle.value.lastRecordAt == Sample.time(70_000))
      #expect(try await latest()?.position?.number == 1)
      // Other records arrived meanwhile, many of them without a position.
      let others = (50..<400).map { Sample.record($0) } + [Sample.record(401, "dtc")]
      try await fleet.storage.store([Sample.record(40, keys: place), Sample.record(41, keys: place)] + others)
      #expect(try await latest()?.position?.number == 1)
      #expect(try await fleet.storage.store([Sample.record(1, at: 20, quality: "gps", idAt: id)]) == [.improved])
      #expect(try await latest()?.vehicle.value.lastRecordAt == Sample.time(401))
      #expect(try await latest()?.position?.number == 41)
      // A record that was not the newest changes nothing.
      try await fleet.storage.store([Sample.record(2, at: 30, quality: "system", idAt: id, keys: place)])
      try await fleet.storage.store([Sample.record(2, at: 10, quality: "gps", idAt: id)])
      #expect(try await latest()?.vehicle.value.lastRecordAt == Sample.time(401))
      #expect(try await latest()?.position?.number == 41)
      try await fleet.storage.store([Sample.record(500, keys: place)])
      #expect(try await latest()?.position?.number == 500)
    }
  }

  /// Two ECUs: one reports a trouble code and that its lamp is on; the other one, which answers later, reports none.
  @Test(arguments: Kind.allCases)
  func each_ecu_has_a_newest_record_of_its_own(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      func says(_ number: Int, _ type: String, _ ecu: String, _ keys: String = "") -> IncomingRecord {
        Sample.record(number, type, keys: (ecu.isEmpty ? "" : ",\"ecu\":\"\(ecu)\"") + keys)
      }
      try await fleet.storage.store([
        says(1, "dtc", "7E8", #","dtcCodes":[],"mil":false"#), says(2, "dtc", "7E9", #","dtcCodes":[],"mil":false"#),
        says(3, "dtc", "7E8", #","dtcCodes":["P0456"],"mil":true"#), says(4, "monitors", "7E9"),
        says(5, "monitors", "7E8"), says(6, "dtc", "7E9"), says(7, "dtc", ""), says(8, "driving", "7E9"),
        says(9, "driving", "7E8"),
      ])
      func latest() async throws -> [Int] {
        try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard)?.others.map(\.number) ?? []
      }
      #expect(try await latest() == [7, 3, 6, 5, 4, 9])
      // A later batch, and a backlog that arrives after it.
      try await fleet.storage.store([says(20, "dtc", "7E9"), says(12, "dtc", "7EA")])
      try await fleet.storage.store([says(15, "dtc", "7E9")])
      #expect(try await latest() == [7, 3, 20, 12, 5, 4, 9])
      // If the newest record of an ECU moves back in time, the record before it becomes the newest of that ECU.
      let id = UInt64(Sample.day)
      func moving(_ seconds: Double, _ quality: String) -> IncomingRecord {
        Sample.record(30, "dtc", at: seconds, quality: quality, idAt: id, keys: #","ecu":"7E8""#)
      }
      try await fleet.storage.store([moving(5_000, "system")])
      #expect(try await latest() == [7, 30, 20, 12, 5, 4, 9])
      #expect(try await fleet.storage.store([moving(1, "gps")]) == [.improved])
      #expect(try await latest() == [7, 3, 20, 12, 5, 4, 9])
    }
  }

  @Test(arguments: Kind.allCases)
  func only_the_last_64_ecus_of_a_vehicle_are_kept(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      for start in [0, 50, 100] {
        try await fleet.storage.store(
          (start..<(start + 50)).map { Sample.record($0, "dtc", keys: ",\"ecu\":\"E\($0)\"") })
      }
      let latest = try #require(try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard))
      #expect(Set(latest.others.map(\.number)) == Set(86..<150))
    }
  }

  /// In one batch, too, the ECUs with the latest records are kept: 64 for each class.
  @Test(arguments: Kind.allCases)
  func the_last_ecus_of_one_batch_are_kept(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      func record(_ number: Int, _ type: String, _ ecu: Int) -> IncomingRecord {
        Sample.record(number, type, keys: ",\"ecu\":\"E\(ecu)\"")
      }
      // Each of 150 ECUs reports trouble codes; the first ten of them once more at the end. 40 ECUs report monitors.
      let codes = (0..<150).map { record($0, "dtc", $0) } + (150..<160).map { record($0, "dtc", $0 - 150) }
      try await fleet.storage.store(codes + (200..<240).map { record($0, "monitors", $0) })
      let latest = try #require(try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard))
      #expect(Set(latest.others.map(\.number)) == Set(96..<160).union(200..<240))
    }
  }

  @Test(arguments: Kind.allCases)
  func a_record_with_an_implausible_time_is_stored_and_never_the_newest(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let (place, storage) = (#","latitude":47.5,"longitude":9.25"#, fleet.storage)
      func store(_ records: [IncomingRecord], at seconds: Double) async throws -> [IngestOutcome] {
        try await storage.ingest(records, from: .trusted, tenant: .standard, at: Sample.time(seconds))
      }
      func latest() async throws -> LatestRecords? { try await storage.latest(vehicle: "VAN-001", tenant: .standard) }
      let id = UInt64(Sample.day)
      let ahead = [
        Sample.record(1, at: 7.4e9, quality: "ntp", idAt: id, keys: place),
        Sample.record(2, "trip", at: 100_000, idAt: id), Sample.record(3, "driving", at: 86_400 + 60),
      ]
      #expect(try await store(ahead, at: 60) == [.stored, .stored, .stored])
      // The last record is ahead by a day and not more.
      #expect(try await latest()?.telemetry == nil)
      #expect(try await latest()?.others.map(\.number) == [3])
      #expect(try await latest()?.vehicle.value.lastRecordAt == Sample.time(86_460))
      #expect(
        try await store([Sample.record(10, at: 10, keys: place), Sample.record(11, "trip", at: 11)], at: 90) == [
          .stored, .stored,
        ])
      #expect(try await latest()?.telemetry?.number == 10)
      #expect(try await latest()?.position?.number == 10)
      #expect(try await latest()?.others.map(\.number) == [11, 3])
      // The records are sorted by their reception, and are marked.
      let found = try await storage.all(.telemetry(of: "VAN-001"))
      #expect(found.map(\.number) == [10, 1])
      #expect(found.map(\.isTimeAhead) == [false, true])
      #expect(found.map(\.receivedAt) == [Sample.time(90), Sample.time(60)])
      #expect(found[1].body == ahead[0].body)
      #expect(try await store([ahead[0]], at: 99) == [.duplicate])
      // A copy with a credible time replaces the wrong time, even if its quality is not better. A copy whose time is
      // also wrong does not.
      let wrong = Sample.record(1, at: 7.3e9, quality: "gps", idAt: id, keys: place)
      #expect(try await store([wrong], at: 100) == [.duplicate])
      let right = Sample.record(1, at: 50, quality: "ntp", idAt: id, keys: place)
      #expect(try await store([right], at: 110) == [.improved])
      #expect(try await latest()?.telemetry?.number == 1)
      #expect(try await latest()?.position?.number == 1)
      #expect(try await storage.all(.telemetry(of: "VAN-001")).map(\.isTimeAhead) == [false, false])
    }
  }
}
