import FleetDomain
import FleetStorageTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

/// Records that a gateway sends under its own id are not those of a vehicle.
@Suite struct GatewayRecordsTests {
  private static func own(_ number: Int, _ type: String = "telemetry", keys: String = "") -> IncomingRecord {
    Sample.record(number, type, vehicle: "gw-17", keys: keys)
  }

  private static func vehicles(_ storage: StoredFleet) async throws -> [String] {
    try await storage.view(tenant: .standard) { view throws(ThingError) in
      try view.list(ThingQuery<Vehicle>(order: [.init("id")])).items.map(\.value.id)
    }
  }

  private static func records(_ storage: StoredFleet, _ gateway: String = "gw-17") async throws -> [Int] {
    try await storage.all(
      RecordQuery(vehicle: nil, gateway: gateway, classes: RecordClass.allCases, order: .oldestFirst, limit: 2)
    ).map(\.number)
  }

  @Test(arguments: Kind.allCases)
  func own_records_of_a_gateway_make_no_vehicle(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let sent = [
        Self.own(1), Self.own(2, "gap"), Self.own(3, "dtc", keys: #","ecu":"7E8""#), Sample.record(4, "trip"),
        Sample.record(5, "gap"),
      ]
      let outcomes = try await storage.ingest(
        sent, from: .gateway(Sample.gateway()), tenant: .standard, at: Sample.now)
      #expect(outcomes == Array(repeating: .stored, count: 5))
      #expect(try await Self.vehicles(storage) == ["VAN-001"])
      #expect(try await Self.records(storage) == [1, 2, 3])
      #expect(try await storage.gatewaysWithRecords(tenant: .standard) == ["gw-17"])
      #expect(try await storage.counts().vehicles == 1)
      // A repeated record is recognised.
      let again = try await storage.ingest(
        sent, from: .gateway(Sample.gateway()), tenant: .standard, at: Sample.now)
      #expect(again == Array(repeating: .duplicate, count: 5))
      // Lists, the newest records and the feed of vehicles do not contain them.
      for classes in [RecordQuery.eventClasses, RecordQuery.dtcClasses, RecordQuery.tripClasses] {
        let found = try await storage.all(RecordQuery(vehicle: nil, classes: classes, limit: 1))
        #expect(found.allSatisfy { $0.vehicle == "VAN-001" })
      }
      let error = await #expect(throws: StorageError.self) { try await storage.all(.telemetry(of: "gw-17")) }
      #expect(error?.kind == .notFound)
      #expect(try await storage.latest(vehicle: "gw-17", tenant: .standard) == nil)
      let changes = try await storage.changes(after: .start, limit: 100, tenant: .standard)
      #expect(changes.map(\.record.number) == [4, 5])
      let audited = try await storage.auditEntries(after: 0, limit: 100, tenant: .standard)
      #expect(audited.count == 1)
    }
  }

  @Test(arguments: Kind.allCases)
  func own_records_become_those_of_a_vehicle_with_the_same_id(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      func send(_ records: [IncomingRecord], _ gateway: Gateway) async throws {
        let outcomes = try await storage.ingest(
          records, from: .gateway(gateway), tenant: .standard, at: Sample.now)
        #expect(outcomes == Array(repeating: .stored, count: records.count))
      }
      // A gateway that knows the VIN sends its own id only if this is the configured id of the vehicle.
      try await send([Self.own(1)], Sample.gateway())
      #expect(try await Self.vehicles(storage) == [])
      try await send([Self.own(2, "vehicle", keys: #","vin":"WVWZZZ1JZXW000001""#)], Sample.gateway())
      #expect(try await Self.vehicles(storage) == ["gw-17"])
      #expect(try await storage.all(.telemetry(of: "WVWZZZ1JZXW000001")).map(\.number) == [1])
      #expect(try await storage.gatewaysWithRecords(tenant: .standard) == [])
      // So does an operator who puts the id into the gateway's list.
      _ = try await storage.addGateway(
        "gw-1", allowedVehicles: [], key: Sample.secret(1), tenant: .standard, at: Sample.now)
      try await send([Sample.record(3, vehicle: "gw-1", gateway: "gw-1")], Sample.gateway("gw-1"))
      #expect(try await Self.vehicles(storage) == ["gw-17"])
      let listed = try await storage.setAllowedVehicles(
        ["gw-1"], gateway: "gw-1", tenant: .standard, by: Actor(.command), at: Sample.now)
      #expect(try await Self.vehicles(storage) == ["gw-1", "gw-17"])
      try await send([Sample.record(4, vehicle: "gw-1", gateway: "gw-1")], listed)
      #expect(try await storage.all(.telemetry(of: "gw-1")).map(\.number) == [3, 4])
    }
  }

  @Test(arguments: Kind.allCases)
  func attributed_records_are_in_lists_of_the_vehicle(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      try await storage.store(
        (0..<20).map { Self.own($0, keys: $0 == 6 ? #","speed":10"# : "") } + [Self.own(30, "gap")]
          + (8..<24).map { Sample.record($0 + 100, at: Double($0)) })
      func attribute(_ trip: UInt64, _ from: Double, _ to: Double) async throws {
        try await storage.attribute(to: "VAN-001", trip: trip, from, to)
      }
      try await attribute(1, 5, 8)
      // The same trip a second time changes nothing.
      try await attribute(1, 0, 20)
      let expected = [5, 6, 7] + (108..<124).map { $0 }
      for limit in [1, 2, 5, 1_000] {
        #expect(try await storage.all(.telemetry(of: "VAN-001", limit: limit)).map(\.number) == expected)
        var newest = RecordQuery.telemetry(of: "VAN-001", limit: limit)
        newest.order = .newestFirst
        #expect(try await storage.all(newest).map(\.number) == expected.reversed())
      }
      let all = try await storage.all(.telemetry(of: "VAN-001"))
      #expect(all.map(\.attributedFrom) == Array(repeating: "gw-17", count: 3) + Array(repeating: nil, count: 16))
      #expect(all.allSatisfy { $0.vehicle == "VAN-001" })
      #expect(
        try await storage.all(.telemetry(of: "VAN-001", from: Sample.time(6), to: Sample.time(9))).map(\.number)
          == [6, 7, 108])
      #expect(try await storage.all(.telemetry(of: "VAN-001", every: 4_000)).map(\.number) == [7, 111, 115, 119, 123])
      // They remain records of the gateway, and repeated ones are recognised.
      #expect(try await Self.records(storage).count == 21)
      #expect(try await storage.store([Self.own(6, keys: #","speed":10"#)]) == [.duplicate])
      // The gap is about the gateway.
      try await attribute(2, 29, 31)
      #expect(try await storage.all(RecordQuery(vehicle: "VAN-001", classes: RecordQuery.eventClasses)).isEmpty)
      // The days of the vehicle are computed again.
      let stale = try #require(try await storage.staleDays(of: "VAN-001", tenant: .standard))
      #expect(stale.hours.contains(Sample.day / 3_600_000))
      // A selection that hides the vehicle at these times hides them too.
      var hidden = RecordQuery.telemetry(of: "VAN-001")
      hidden.selection = VehicleSelection(
        fleets: nil, excluded: [VehicleWindow("VAN-001", from: Sample.time(6), to: Sample.time(10))])
      #expect(try await storage.all(hidden).map(\.number) == [5] + (110..<124).map { $0 })
    }
  }

  @Test(arguments: Kind.allCases)
  func attributed_records_are_in_lists_of_all_vehicles(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      try await storage.store(
        (0..<20).map { Self.own($0, $0 == 6 ? "gap" : "trip") }
          + (8..<24).map { Sample.record($0 + 100, "trip", at: Double($0), vehicle: "VAN-00\($0 % 2)") })
      func numbers(_ limit: Int, _ order: RecordQuery.Order, _ selection: VehicleSelection = .all) async throws -> [Int]
      {
        var query = RecordQuery(vehicle: nil, classes: RecordQuery.eventClasses + RecordQuery.tripClasses, limit: limit)
        (query.order, query.selection) = (order, selection)
        return try await storage.all(query).map(\.number)
      }
      #expect(try await numbers(100, .oldestFirst) == Array(108..<124))
      try await storage.attribute(to: "VAN-001", trip: 1, 5, 8)
      try await storage.attribute(to: "VAN-000", trip: 2, 16.5, 18.5)
      // The gap is about the gateway.
      let expected = [5, 7] + Array(108..<117) + [17, 117, 18] + Array(118..<124)
      for limit in [1, 2, 5, 1_000] {
        #expect(Set(try await numbers(limit, .oldestFirst)) == Set(expected))
        #expect(try await numbers(limit, .newestFirst) == (try await numbers(limit, .oldestFirst)).reversed())
      }
      let found = try await storage.all(RecordQuery(vehicle: nil, classes: RecordQuery.tripClasses, limit: 3))
      #expect(
        found.filter { $0.attributedFrom != nil }.map { "\($0.number) \($0.vehicle) \($0.attributedFrom ?? "")" }
          .sorted()
          == ["17 VAN-000 gw-17", "18 VAN-000 gw-17", "5 VAN-001 gw-17", "7 VAN-001 gw-17"])
      // They are visible when the vehicle is.
      let one = VehicleSelection(
        fleets: [], windows: [VehicleWindow("VAN-001", from: Sample.time(6), to: Sample.time(12))])
      #expect(try await numbers(2, .oldestFirst, one) == [7, 109, 111])
      let hidden = VehicleSelection(
        fleets: nil, excluded: [VehicleWindow("VAN-001", from: Sample.time(0), to: Sample.time(24))])
      #expect(Set(try await numbers(4, .newestFirst, hidden)) == Set([17, 18] + stride(from: 108, to: 124, by: 2)))
    }
  }

  @Test(arguments: Kind.allCases)
  func own_records_can_be_removed(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      try await storage.store((0..<40).map { Self.own($0) } + [Sample.record(50)])
      func remove() async throws {
        try await storage.removeRecords(
          ofGateway: "gw-17", tenant: .standard, by: Actor(.command), at: Sample.now)
      }
      try await remove()
      #expect(try await storage.finishRemovals() > 0)
      #expect(try await storage.gatewaysWithRecords(tenant: .standard) == [])
      let error = await #expect(throws: StorageError.self) { try await remove() }
      #expect(error?.kind == .notFound)
      #expect(try await storage.store([Self.own(3)]) == [.stored])
      #expect(try await Self.records(storage) == [3])
      #expect(try await storage.all(.telemetry(of: "VAN-001")).map(\.number) == [50])
    }
  }
}

extension StoredFleet {
  /// Attributes the own records of the gateway `gw-17` in a period, s, to a vehicle.
  func attribute(to vehicle: String, trip: UInt64, _ from: Double, _ to: Double) async throws {
    try await change(tenant: .standard, by: Actor(.server), at: Sample.now) { transaction throws(ThingError) in
      var attribution = Attribution()
      (attribution.gatewayID, attribution.vehicle) = ("gw-17", vehicle)
      attribution.tripID = UUIDv7(milliseconds: trip, first: 1, rest: 1)
      (attribution.from, attribution.to) = (Sample.time(from), Sample.time(to))
      try transaction.attribute(attribution)
    }
  }
}
