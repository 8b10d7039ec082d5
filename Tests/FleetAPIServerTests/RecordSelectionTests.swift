import FleetAccess
import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Every route with records × people of every role and scope × vehicles of their own, of their fleet, of another fleet and
/// of another tenant, on both databases.
@Suite struct RecordSelectionTests {
  /// The relation of a vehicle to a driver and to people whose scope is the fleet North.
  ///
  /// OWN and NORTH are in the fleet North, SOUTH in another one, FREE in none. OWN is assigned to the driver from second
  /// 100 up to second 200. FOREIGN belongs to another tenant, which has a vehicle OWN, too.
  private enum Vehicle: String, CaseIterable {
    case own = "OWN"
    case north = "NORTH"
    case south = "SOUTH"
    case free = "FREE"
  }

  private static let types = ["telemetry", "trip", "dtc", "driving"]
  private static let seconds = [50, 100, 150, 199, 200, 250]

  /// The seconds of the records of a vehicle that a caller may see, by the table of rights.
  private static func visible(_ vehicle: Vehicle, _ caller: String) -> [Int] {
    switch (caller, vehicle) {
    case ("driver", .own): [100, 150, 199]
    case ("driver", _): []
    case ("northViewer", .own), ("northViewer", .north), ("northMechanic", .own), ("northMechanic", .north): seconds
    case ("northAdmin", .own), ("northAdmin", .north): seconds
    case ("northViewer", _), ("northMechanic", _), ("northAdmin", _): []
    // The driver of OWN, who also may read the fleet South.
    case ("driverViewer", .own): [100, 150, 199]
    case ("driverViewer", .south): seconds
    case ("driverViewer", _): []
    default: seconds
    }
  }

  private static let callers: [(name: String, roles: [PersonRole], isNorth: Bool)] = [
    ("driver", [.driver], false), ("viewer", [.viewer], false), ("mechanic", [.maintenance], false),
    ("admin", [.admin], false), ("northViewer", [.viewer], true), ("northMechanic", [.maintenance], true),
    ("northAdmin", [.admin], true),
  ]

  @Test(arguments: TestServer.Database.allCases)
  func a_person_sees_the_records_of_the_table_of_rights_on_every_route(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await Self.prepare(server)
      for (name, roles, isNorth) in Self.callers {
        try await server.addPerson("\(name)@example.com", roles, scope: isNorth ? .fleets([fleets.north]) : .all)
      }
      let both = try await server.addPerson(
        "driverViewer@example.com", [.driver, .viewer], scope: .fleets([fleets.south]))
      let driver = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.first(ThingQuery<Person>(.oneOf(key: "email", [.text("driver@example.com")])))
      }
      try await Self.assign("OWN", to: try #require(driver).id, both.id, on: server)
      try await runBlocking {
        for caller in Self.callers.map(\.name) + ["driverViewer"] {
          try Self.check(try server.signIn("\(caller)@example.com"), caller, server)
        }
      }
    }
  }

  private static func check(_ session: String, _ caller: String, _ server: TestServer) throws {
    func seen(_ path: String) throws -> [String]? {
      var (found, next): ([String], String?) = ([], nil)
      repeat {
        let separator = path.contains("?") ? "&" : "?"
        let reply = try server.asPage(
          session, "GET", path + separator + "limit=2" + (next.map { "&cursor=\($0)" } ?? ""))
        if reply.status == 404 { return nil }
        guard reply.status == 200 else { throw TestClient.Failure(description: "\(path): \(reply.text)") }
        found += reply.list.map { "\($0["vehicleId"] ?? "") \(second($0))" }
        next = try reply.json["next"] as? String
      } while next != nil
      return found
    }
    for (path, isAscending) in [("trips", false), ("dtcs", false), ("events", false), ("telemetry", true)] {
      for vehicle in Vehicle.allCases {
        let seconds = visible(vehicle, caller).map { "\(vehicle.rawValue) \($0)" }
        let expected = isAscending ? seconds : seconds.reversed()
        let found = try seen("/api/vehicles/\(vehicle.rawValue)/\(path)")
        #expect(found == (expected.isEmpty ? nil : expected), "\(caller) \(path)")
        guard path != "telemetry" else {
          let newest = try seen("/api/vehicles/\(vehicle.rawValue)/telemetry?every=1000")
          #expect(newest == (expected.isEmpty ? nil : [expected.last ?? ""]), "\(caller) every")
          continue
        }
        let filtered = try seen("/api/\(path)?vehicle=\(vehicle.rawValue)")
        #expect(filtered == (expected.isEmpty ? nil : expected), "\(caller) \(path)?vehicle=")
      }
      guard path != "telemetry" else { continue }
      let all = Vehicle.allCases.flatMap { vehicle in visible(vehicle, caller).map { "\(vehicle.rawValue) \($0)" } }
      let found = try #require(try seen("/api/\(path)"))
      #expect(found.sorted() == all.sorted(), "\(caller) \(path)")
    }
    for vehicle in Vehicle.allCases {
      let reply = try server.asPage(session, "GET", "/api/vehicles/\(vehicle.rawValue)/latest")
      // The assignment is over: the driver has no vehicle now.
      let sees = visible(vehicle, caller).count == seconds.count
      #expect(reply.status == (sees ? 200 : 404), "\(caller) latest: \(reply.text)")
    }
    for path in ["trips", "dtcs", "events", "telemetry", "latest"] {
      let reply = try server.asPage(session, "GET", "/api/vehicles/FOREIGN/\(path)")
      #expect(reply.status == 404, "\(caller) \(path) of another tenant: \(reply.text)")
    }
  }

  private static func second(_ record: [String: Any]) -> Int {
    record["rpm"] as? Int ?? -1
  }

  /// Adds vehicles, fleets and records.
  private static func prepare(_ server: TestServer) async throws -> (north: UUIDv7, south: UUIDv7) {
    func records(_ vehicles: [String]) -> [IncomingRecord] {
      var (records, number) = ([IncomingRecord](), 0)
      for vehicle in vehicles {
        for type in types {
          for second in seconds {
            number += 1
            let sample = SampleRecord(number, type: type, vehicle: vehicle, second: second, rest: #""rpm":\#(second)"#)
            guard let record = try? IncomingRecord(parsing: Array(sample.line.utf8).span) else { continue }
            records.append(record)
          }
        }
      }
      return records
    }
    let other = TenantID("other")!
    let fleets = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
      transaction throws(ThingError) in
      var fleets: [UUIDv7] = []
      for (name, vehicles) in [("North", ["OWN", "NORTH"]), ("South", ["SOUTH"])] {
        var fleet = Fleet()
        fleet.name = name
        let stored = try transaction.insert(fleet)
        for id in vehicles { try transaction.insert(FleetDomain.Vehicle(id: id)) }
        fleets.append(try transaction.setVehicles(vehicles, of: stored, seen: stored.version).id)
      }
      return fleets
    }
    _ = try await server.storage.ingest(
      records(Vehicle.allCases.map(\.rawValue)), from: .trusted, tenant: .standard, at: WallClock.now)
    _ = try await server.storage.ingest(
      records(["OWN", "FOREIGN"]), from: .trusted, tenant: other, at: WallClock.now)
    return (fleets[0], fleets[1])
  }

  /// Assigns a vehicle to two people from second 100 up to second 200.
  private static func assign(
    _ vehicle: String, to first: UUIDv7, _ second: UUIDv7, on server: TestServer
  ) async throws {
    @Sendable func time(_ second: Int64) -> Timestamp {
      Timestamp(nanoseconds: SampleRecord.start + second * 1_000_000_000)
    }
    try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
      transaction throws(ThingError) in
      for person in [first, second] {
        var driver = Driver()
        driver.name = "Dora"
        driver.personID = person
        let stored = try transaction.insert(driver)
        var assignment = Assignment()
        (assignment.driver, assignment.vehicle) = (stored.id, vehicle)
        (assignment.from, assignment.to) = (time(100), time(200))
        assignment.status = .completed
        try transaction.insert(assignment)
        // A cancelled assignment gives no right.
        (assignment.from, assignment.to, assignment.status) = (time(0), time(1_000), .cancelled)
        try transaction.insert(assignment)
      }
    }
  }

  /// The selection and the permission function agree for every combination of roles, scope and relation.
  @Test func a_selection_contains_what_the_permission_function_allows() throws {
    let (north, south) = (UUIDv7.random(at: WallClock.now), UUIDv7.random(at: WallClock.now))
    let time = Timestamp(nanoseconds: SampleRecord.start)
    for bits in 0..<16 {
      let roles = Set(PersonRole.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
      for scope in [FleetScope.all, .fleets([north]), .fleets([north, south]), .fleets([])] {
        let reach = Reach(of: .person(roles: roles, scope: scope), to: .read, .records)
        for fleet in [north, south, nil] {
          for isOwn in [false, true] {
            let windows = isOwn ? [VehicleWindow("V", from: time, to: nil)] : []
            let selection = reach.selection(windows: windows)
            let allowed = reach.contains(Relation(fleets: Set([fleet].compactMap { $0 }), isOwn: isOwn))
            #expect(selection.contains("V", of: fleet, at: time) == allowed, "\(roles) \(scope) \(isOwn)")
          }
        }
      }
    }
  }
}
