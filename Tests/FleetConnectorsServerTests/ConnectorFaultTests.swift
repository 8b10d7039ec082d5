import FleetDomain
import FleetProviders
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// Faults that every service can have, for each service and on both databases.
@Suite struct ConnectorFaultTests {
  private static let vins = ["1FUJA6CV77LSYNTH1", "1GBJ6P1B2HV112765", "4SYNTHV1N00000020"]

  private static func time(_ second: Int) -> Timestamp {
    Timestamp(nanoseconds: (ConnectedFleet.start + Int64(second) * 1_000) * 1_000_000)
  }

  /// The vehicles of a service: one for Ford, and three for the others.
  private static func cars(_ service: Connector.Service, from second: Int = 0) -> [ServiceCloud.Car] {
    (0..<(service == .ford ? 1 : 3)).map { number in
      .init(id: "\(number + 1)", vin: vins[number], kilometers: 1_000 + number, at: time(second + number))
    }
  }

  private static func connect(
    _ fleet: ConnectedFleet, _ service: Connector.Service, _ name: String = "Cloud"
  ) async throws -> UUIDv7 {
    try await fleet.connect(name, service) { ($0.address, $0.signIn) = (ServiceCloud.address, .bearer) }
  }

  /// Checks that the odometer of each vehicle is stored once.
  private static func check(_ fleet: ConnectedFleet, _ cars: [ServiceCloud.Car]) async throws {
    for car in cars {
      #expect(try await fleet.values("odometer", of: car.vin) == [Double(car.kilometers)], "\(car.vin)")
    }
  }

  /// The answers in place of a page, the state that follows, and the time until the next attempt, s.
  private static let faults: [(answer: ProviderClient.Answer, state: Connector.State, wait: Double)] = [
    (.error(401), .refused, 3_601), (.error(429, retryAfter: "90.5"), .failing, 91), (.error(429), .failing, 31),
    (.error(500, "Internal Server Error"), .failing, 31), (.ok(#"{"response":{"vin""#), .failing, 31),
    (.ok(""), .failing, 31),
  ]

  @Test(arguments: Connector.Service.allCases, Database.allCases)
  func a_fault_between_pages_loses_and_repeats_nothing(
    _ service: Connector.Service, _ database: Database
  ) async throws {
    let cars = Self.cars(service)
    for (answer, state, wait) in Self.faults {
      try await ConnectedFleet.with(database) { fleet in
        let cloud = ServiceCloud(service, cars)
        let id = try await Self.connect(fleet, service)
        let server = fleet.server(cloud)
        // The second page, or the only one.
        let number = min(cars.count, 2)
        cloud.fail(number, answer)
        #expect(try await server.round() == 1)
        var connector = try await fleet.connector(id)
        #expect(connector.state == state && connector.failures.count == 1, "\(service) \(answer.status)")
        #expect(connector.stored == Int64(number - 1), "\(service) \(answer.status)")
        fleet.clock.advance(seconds: wait - 2)
        #expect(try await server.round() == 0, "\(service) \(answer.status)")
        fleet.clock.advance(seconds: 2)
        #expect(try await server.round() == 1, "\(service) \(answer.status)")
        try await Self.check(fleet, cars)
        connector = try await fleet.connector(id)
        #expect(connector.state == .working && connector.stored == Int64(cars.count), "\(connector.failures)")
        #expect(connector.ignored == .object([:]), "\(connector.ignored)")
      }
    }
  }

  @Test(arguments: Connector.Service.allCases, Database.allCases)
  func duplicate_and_reordered_pages_store_each_value_once(
    _ service: Connector.Service, _ database: Database
  ) async throws {
    let cars = Self.cars(service)
    try await ConnectedFleet.with(database) { fleet in
      let cloud = ServiceCloud(service, cars)
      cloud.makeMessy()
      let id = try await Self.connect(fleet, service)
      let server = fleet.server(cloud)
      #expect(try await server.round() == 1)
      try await Self.check(fleet, cars)
      // The same values once more.
      fleet.clock.advance(seconds: 3_700)
      #expect(try await server.round() == 1)
      try await Self.check(fleet, cars)
      let connector = try await fleet.connector(id)
      #expect(connector.state == .working && connector.stored == Int64(cars.count), "\(connector.failures)")
      #expect(connector.assets == Int64(cars.count))
      #expect(try await fleet.all(Vehicle.self).count == cars.count)
    }
  }

  @Test(arguments: Connector.Service.allCases, Database.allCases)
  func values_of_a_wrong_clock_are_kept_out_or_old(_ service: Connector.Service, _ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      // Two days ahead.
      let cars = Self.cars(service, from: 2 * 86_400)
      let id = try await Self.connect(fleet, service)
      #expect(try await fleet.server(ServiceCloud(service, cars)).round() == 1)
      for car in cars { #expect(try await fleet.values("odometer", of: car.vin).isEmpty) }
      let connector = try await fleet.connector(id)
      #expect(connector.state == .working && connector.stored == 0)
      #expect(connector.ignored["time in the future"] == .integer(Int64(cars.count)), "\(connector.ignored)")
      #expect(try await fleet.all(Vehicle.self).allSatisfy { $0.value.odometer == nil })
    }
    try await ConnectedFleet.with(database) { fleet in
      // Ten years behind: the values have the times that the service states.
      let cars = Self.cars(service, from: -10 * 365 * 86_400)
      let id = try await Self.connect(fleet, service)
      #expect(try await fleet.server(ServiceCloud(service, cars)).round() == 1)
      try await Self.check(fleet, cars)
      #expect(try await fleet.connector(id).stored == Int64(cars.count))
      let vehicles = try await fleet.all(Vehicle.self).map(\.value)
      #expect(vehicles.compactMap(\.lastRecordAt?.string).sorted() == cars.map(\.at.string).sorted())
    }
  }

  @Test(arguments: Database.allCases)
  func a_vin_of_all_services_is_one_vehicle_with_all_sources(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      var ids: [UUIDv7] = []
      for (number, service) in Connector.Service.allCases.enumerated() {
        let car = ServiceCloud.Car(
          id: "device-\(number)", vin: Self.vins[0], kilometers: 1_000 + number, at: Self.time(number))
        ids.append(try await Self.connect(fleet, service, service.rawValue))
        #expect(try await fleet.server(ServiceCloud(service, [car])).round() == 1)
      }
      #expect(try await fleet.all(Vehicle.self).map(\.value.id) == [Self.vins[0]])
      #expect(try await fleet.values("odometer", of: Self.vins[0]) == [1_000, 1_001, 1_002, 1_003])
      let sources = try await fleet.all(ConnectedAsset.self).map(\.value)
      #expect(Set(sources.map(\.connectorID)) == Set(ids) && sources.count == ids.count)
      let page = try await fleet.storage.records(.telemetry(of: Self.vins[0], limit: 100), tenant: .standard)
      let gateways = try page.items.compactMap { try JSON(parsing: $0.body)["gatewayId"]?.textValue }
      #expect(gateways == ids.map(Connector.gatewayName))
    }
  }

  /// Tesla and Ford name their vehicles by VIN, so only these services can change an ID.
  @Test(arguments: [Connector.Service.samsara, .aemp], Database.allCases)
  func a_vehicle_stays_the_same_if_its_id_changes(_ service: Connector.Service, _ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = ServiceCloud(service, [.init(id: "old", vin: Self.vins[0], kilometers: 1_000, at: Self.time(0))])
      let id = try await Self.connect(fleet, service)
      let server = fleet.server(cloud)
      #expect(try await server.round() == 1)
      // Samsara's feed continues after the first reading.
      let first = ServiceCloud.Car(id: "old", vin: Self.vins[0], kilometers: 1_000, at: Self.time(0))
      let second = ServiceCloud.Car(id: "new", vin: Self.vins[0], kilometers: 1_001, at: Self.time(60))
      cloud.set(service == .samsara ? [first, second] : [second])
      fleet.clock.advance(seconds: 3_700)
      #expect(try await server.round() == 1)
      #expect(try await fleet.values("odometer", of: Self.vins[0]) == [1_000, 1_001])
      #expect(try await fleet.all(Vehicle.self).count == 1)
      // AEMP identifies a machine by its PIN, which stays the same.
      #expect(try await fleet.connector(id).assets == (service == .samsara ? 2 : 1))
    }
  }
}
