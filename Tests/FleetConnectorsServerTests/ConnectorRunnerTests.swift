import FleetAccess
import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// Pulls from a simulated cloud, on both databases.
@Suite struct ConnectorRunnerTests {
  private static let cars = [
    SamsaraCloud.Car(id: "1", vin: "1FUJA6CV77LSYNTH1"), SamsaraCloud.Car(id: "2", serial: "S2"),
  ]
  private static let expected = (0..<5).map { 1_000.0 + Double($0) }

  /// Checks that each reading of both cars is stored once.
  private static func check(_ fleet: ConnectedFleet, seconds: Int = 5) async throws {
    let expected = (0..<seconds).map { 1_000.0 + Double($0) }
    for vehicle in ["1FUJA6CV77LSYNTH1", "samsara-2"] {
      #expect(try await fleet.values("odometer", of: vehicle) == expected, "\(vehicle)")
    }
  }

  @Test(arguments: Database.allCases)
  func repeated_pulls_store_each_value_once(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud(Self.cars)
      cloud.drive(seconds: 0..<3)
      let id = try await fleet.connect()
      let server = fleet.server(cloud)
      #expect(try await server.round() == 1)
      #expect(try await server.round() == 0, "the next pull is not due")
      try await Self.check(fleet, seconds: 3)
      cloud.drive(seconds: 3..<5)
      fleet.clock.advance(seconds: 31)
      #expect(try await server.round() == 1)
      try await Self.check(fleet)
      let connector = try await fleet.connector(id)
      #expect(connector.state == .working && connector.assets == 2 && connector.stored == 10)
      #expect(connector.failures.isEmpty && connector.ignored == .object([:]))
      #expect(cloud.authorizations == ["Authorization: Bearer token-1"])
      // The list of vehicles is read once an hour.
      #expect(cloud.paths.filter { $0.contains("/fleet/vehicles?") }.count == 1)
      // One reading a day becomes a reading of the meter.
      #expect(try await fleet.all(MeterReading.self).map(\.value.odometer) == [1_000, 1_000])
      let car = try await fleet.storage.vehicle("samsara-2", tenant: .standard)
      #expect(car?.value.name == "Car 2" && car?.value.registeredBy == "connector-\(id.string)")
    }
  }

  @Test(arguments: Database.allCases)
  func a_pull_continues_after_a_failure(_ database: Database) async throws {
    let troubles: [(SamsaraCloud.Trouble, state: Connector.State, wait: Double)] = [
      (.status(429, retryAfter: "90.5"), .failing, 91), (.status(429), .failing, 31), (.truncated, .failing, 31),
      (.status(500, body: "Internal Server Error"), .failing, 31), (.status(401), .refused, 3_601),
    ]
    for (trouble, state, wait) in troubles {
      try await ConnectedFleet.with(database) { fleet in
        let cloud = SamsaraCloud(Self.cars)
        cloud.drive(seconds: 0..<5)
        let id = try await fleet.connect()
        let server = fleet.server(cloud)
        // The third page of the feed: one request for the vehicles comes before.
        cloud.fail(4, trouble)
        #expect(try await server.round() == 1)
        var connector = try await fleet.connector(id)
        #expect(connector.state == state && connector.failures.count == 1, "\(trouble)")
        #expect(try !#require(connector.failures.first).message.contains("token-1"))
        #expect(try await fleet.values("odometer", of: "samsara-2").count == 3, "two pages of three are stored")
        fleet.clock.advance(seconds: wait - 2)
        #expect(try await server.round() == 0, "\(trouble)")
        fleet.clock.advance(seconds: 2)
        #expect(try await server.round() == 1, "\(trouble)")
        try await Self.check(fleet)
        connector = try await fleet.connector(id)
        #expect(connector.state == .working && connector.stored == 10)
      }
    }
  }

  @Test(arguments: Database.allCases)
  func duplicate_and_reversed_pages_store_each_value_once(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud(Self.cars)
      cloud.drive(seconds: 0..<5)
      try await fleet.connect()
      cloud.fail(3, .duplicate)
      cloud.fail(4, .reversed)
      #expect(try await fleet.server(cloud).round() == 1)
      try await Self.check(fleet)
    }
  }

  @Test(arguments: Database.allCases)
  func an_expired_cursor_begins_again_and_is_counted(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud(Self.cars)
      cloud.drive(seconds: 0..<3)
      let id = try await fleet.connect()
      let server = fleet.server(cloud)
      _ = try await server.round()
      cloud.expire("6")
      cloud.drive(seconds: 3..<5)
      fleet.clock.advance(seconds: 31)
      _ = try await server.round()
      try await Self.check(fleet)
      let connector = try await fleet.connector(id)
      #expect(connector.state == .working && connector.stored == 10)
      #expect(connector.ignored["cursor expired: values in between may be missing"] == .integer(1))
    }
  }

  @Test(arguments: Database.allCases)
  func a_vin_of_two_connectors_is_one_vehicle(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let (first, second) = (SamsaraCloud([Self.cars[0]]), SamsaraCloud([.init(id: "77", vin: Self.cars[0].vin)]))
      first.drive(seconds: 0..<2)
      second.drive(seconds: 2..<4)
      let one = try await fleet.connect("One")
      _ = try await fleet.server(first).round()
      let two = try await fleet.connect("Two")
      _ = try await fleet.server(second).round()
      #expect(try await fleet.values("odometer", of: "1FUJA6CV77LSYNTH1") == [1_000, 1_001, 1_002, 1_003])
      #expect(try await fleet.all(Vehicle.self).count == 1)
      let sources = try await fleet.all(ConnectedAsset.self).map(\.value)
      #expect(Set(sources.map(\.connectorID)) == [one, two] && Set(sources.map(\.assetID)) == ["1", "77"])
      #expect(Set(sources.map(\.vehicle)) == ["1FUJA6CV77LSYNTH1"])
    }
  }

  @Test(arguments: Database.allCases)
  func a_vehicle_stays_the_same_if_its_id_changes(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud(Self.cars)
      cloud.drive(seconds: 0..<2)
      try await fleet.connect()
      let server = fleet.server(cloud)
      _ = try await server.round()
      cloud.set([.init(id: "101", vin: Self.cars[0].vin), .init(id: "102", serial: "S2")])
      cloud.drive(seconds: 2..<5)
      fleet.clock.advance(seconds: 3_601)
      _ = try await server.round()
      try await Self.check(fleet)
      #expect(try await fleet.all(Vehicle.self).count == 2)
      // The device of car 102 moves to another vehicle.
      cloud.set([.init(id: "101", vin: Self.cars[0].vin), .init(id: "102", vin: "1GBJ6P1B2HV112765", serial: "S2")])
      fleet.clock.advance(seconds: 3_601)
      _ = try await server.round()
      cloud.set([.init(id: "101", vin: Self.cars[0].vin), .init(id: "102", vin: "4SYNTHV1N00000020", serial: "S2")])
      fleet.clock.advance(seconds: 3_601)
      _ = try await server.round()
      let asset = try await fleet.all(ConnectedAsset.self).first { $0.value.assetID == "102" }
      #expect(asset?.value.vehicle == "4SYNTHV1N00000020")
      // The first VIN was that of the vehicle that was known without one.
      #expect(try await fleet.storage.vehicle("samsara-2", tenant: .standard)?.value.vin == "1GBJ6P1B2HV112765")
    }
  }

  @Test(arguments: Database.allCases)
  func times_in_the_future_are_kept_out_and_counted(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud([Self.cars[0]])
      cloud.drive(seconds: 0..<2)
      cloud.drive(seconds: 200_000..<200_003)
      let id = try await fleet.connect()
      _ = try await fleet.server(cloud).round()
      #expect(try await fleet.values("odometer", of: "1FUJA6CV77LSYNTH1") == [1_000, 1_001])
      #expect(try await fleet.connector(id).ignored["time in the future"] == .integer(3))
    }
  }

  @Test(arguments: Database.allCases)
  func servers_share_the_work_by_a_lease(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud(Self.cars)
      cloud.drive(seconds: 0..<5)
      let id = try await fleet.connect()
      let (first, second) = (fleet.server(cloud), fleet.server(SamsaraCloud([])))
      let other = fleet.server(cloud)
      cloud.onRequest { number in
        // While the first server works, the connector belongs to it.
        if number == 3 { #expect(try! await second.round() == 0) }
        // The first server stops for longer than the lease lasts, and another one takes over.
        guard number == 4 else { return }
        fleet.clock.advance(seconds: Double(ConnectorRunner.lease) + 1)
        #expect(try! await other.round() == 1)
      }
      #expect(try await first.round() == 1)
      try await Self.check(fleet)
      let progress = try await fleet.all(ConnectorProgress.self).map(\.value)
      #expect(progress.map(\.leaseHolder) == [nil] && progress[0].cursors["stats1"] == .text("10"))
      #expect(try await fleet.connector(id).stored == 10)
    }
  }

  @Test(arguments: Database.allCases)
  func a_long_pull_makes_way_for_the_other_connectors(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud(Self.cars)
      cloud.drive(seconds: 0..<5)
      cloud.onRequest { _ in fleet.clock.advance(seconds: 25) }
      let ids = [try await fleet.connect("One"), try await fleet.connect("Two")]
      let server = fleet.server(cloud)
      func stored() async throws -> [Int64] {
        var counts: [Int64] = []
        for id in ids { counts.append(try await fleet.connector(id).stored) }
        return counts
      }
      // Each turn reads three pages. The turns of the connectors alternate.
      #expect(try await server.round() == 1)
      let first = try await stored()
      #expect(try await server.round() == 1)
      let second = try await stored()
      #expect(first.filter { $0 > 0 }.count == 1 && first.max() ?? 0 < 10, "\(first)")
      #expect(second.allSatisfy { $0 > 0 }, "\(second)")
      cloud.onRequest { _ in }
      while try await server.round() > 0 {}
      #expect(try await stored() == [10, 10])
    }
  }

  @Test(arguments: Database.allCases)
  func changed_settings_are_used_at_once(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud(Self.cars)
      cloud.drive(seconds: 0..<5)
      let id = try await fleet.connect()
      let server = fleet.server(cloud)
      cloud.fail(1, .status(401))
      _ = try await server.round()
      #expect(try await fleet.connector(id).state == .refused)
      try await fleet.change { [keys = fleet.keys] transaction throws(ThingError) in
        let stored = try transaction.existing(id, Connector.self)
        var changed = stored.value
        changed.secret = keys.seal(Array("token-2".utf8), for: SecretPlace.connector(id))
        try transaction.follow(try transaction.update(stored, to: changed, action: "change"))
      }
      #expect(try await server.round() == 1)
      try await Self.check(fleet)
      #expect(cloud.authorizations.contains("Authorization: Bearer token-2"))
      try await fleet.change { transaction throws(ThingError) in
        let stored = try transaction.existing(id, Connector.self)
        var changed = stored.value
        changed.isActive = false
        try transaction.follow(try transaction.update(stored, to: changed, action: "change"))
      }
      fleet.clock.advance(seconds: 90_000)
      #expect(try await server.round() == 0)
      let removed = try await fleet.change { transaction throws(ThingError) in
        try transaction.removeParts(of: id)
        return try transaction.list(ThingQuery<ConnectedAsset>()).items.count
      }
      #expect(removed == 0)
    }
  }

  @Test func ten_thousand_assets_are_pulled_in_pages() async throws {
    try await ConnectedFleet.with(.sqlite) { fleet in
      let cars = (0..<10_000).map { SamsaraCloud.Car(id: "\($0)", vin: "1FUJA6CV7" + String(10_000_000 + $0)) }
      let cloud = SamsaraCloud(cars, pageLength: 500)
      cloud.drive(seconds: 0..<1)
      let id = try await fleet.connect()
      _ = try await fleet.server(cloud).round()
      let connector = try await fleet.connector(id)
      #expect(connector.assets == 10_000 && connector.stored == 10_000 && connector.failures.isEmpty)
      // 20 pages of vehicles and of values, and one of each of the other feeds and lists.
      #expect(cloud.paths.count == 46)
    }
  }
}
