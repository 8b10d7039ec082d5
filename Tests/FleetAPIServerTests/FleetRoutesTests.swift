import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Vehicles with their fields, fleets, and people whose scope is a fleet; on both databases.
@Suite struct FleetRoutesTests {
  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_has_the_fields_of_the_contract(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let body = #"""
          {"id":"V-1","registrationNumber":"KN-X 17","type":"van","fuelType":"diesel","tankCapacity":75,"capacity":3,
           "payload":1150.5,"engineSize":1.968,"transmission":"manual","notes":"Winter tyres\nin the shed","acquiredOn":"2024-02-29",
           "acquisitionCost":{"amount":"34900.00","currency":"EUR"},"residualValue":{"amount":"12000","currency":"EUR"}}
          """#
        let made = try client.send("POST", "/api/vehicles", json: body)
        #expect(made.status == 201, "\(made.text)")
        let vehicle = try made.json
        #expect(vehicle["licencePlate"] as? String == "KN-X 17")
        #expect(vehicle["registrationNumber"] as? String == "KN-X 17")
        #expect(vehicle["status"] as? String == "available")
        #expect(vehicle["tankCapacity"] as? Double == 75 && vehicle["acquiredOn"] as? String == "2024-02-29")
        #expect((vehicle["residualValue"] as? [String: String]) == ["amount": "12000", "currency": "EUR"])
        #expect(vehicle["createdAt"] as? String == vehicle["addedAt"] as? String)
        for (wrong, path) in [
          (#"{"id":"V-2","acquiredOn":"2023-02-29"}"#, "acquiredOn"), (#"{"id":"V-2","type":"tank"}"#, "type"),
          (#"{"id":"V-2","acquisitionCost":{"amount":"1.00001","currency":"EUR"}}"#, "acquisitionCost.amount"),
          (#"{"id":"V-2","status":"retired"}"#, "status"), (#"{"id":"V-2","payload":0}"#, "payload"),
          (#"{"id":"V-2","licencePlate":"A","registrationNumber":"B"}"#, "registrationNumber"),
        ] {
          let reply = try client.send("POST", "/api/vehicles", json: wrong)
          let fields = try (reply.json["error"] as? [String: Any])?["fields"] as? [[String: String]]
          #expect(reply.status == 422 && fields?.first?["path"] == path, "\(reply.text)")
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func vehicles_are_filtered_sorted_and_searched(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for (id, plate, type, year) in [
          ("A", "ÜB-1", "van", 2019), ("B", "FN-2", "car", 2021), ("C", "FN-3", "van", 2020),
          ("D", "FN-4", "truck", 2018),
        ] {
          let body = #"{"id":"\#(id)","licencePlate":"\#(plate)","type":"\#(type)","modelYear":\#(year)}"#
          #expect(try client.send("POST", "/api/vehicles", json: body).status == 201)
        }
        func ids(_ query: String) throws -> [String] {
          try client.send("GET", "/api/vehicles?\(query)").list.compactMap { $0["id"] as? String }
        }
        #expect(try ids("type=van,truck") == ["A", "C", "D"])
        #expect(try ids("type=van,truck&sort=-modelYear") == ["C", "A", "D"])
        #expect(try ids("q=fn-") == ["B", "C", "D"])
        #expect(try ids("q=%C3%BCb") == ["A"])
        #expect(try ids("registrationNumber=FN-3") == ["C"])
        #expect(try ids("sort=registrationNumber&type=van,car") == ["B", "C", "A"])
        #expect(
          try client.pages("/api/vehicles?limit=1&sort=-modelYear&q=fn").joined().map { $0["id"] as? String } == [
            "B", "C", "D",
          ])
      }
    }
  }

  /// A vehicle without a fleet is in nobody's scope: neither the vehicle's own field nor the fleet's list takes it away.
  @Test(arguments: TestServer.Database.allCases)
  func an_administrator_of_a_fleet_cannot_take_a_vehicle_out_of_it(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await Self.depots(server).ids
      try await runBlocking {
        let north = try server.signIn("north@example.com")
        let any = ["If-Match": "*"]
        for (path, body) in [
          ("/api/vehicles/VAN-1", #"{"fleetId":null}"#), ("/api/fleets/\(fleets.north)", #"{"vehicleIds":[]}"#),
        ] {
          #expect(try server.asPage(north, "PATCH", path, body, headers: any).status == 403, "\(path)")
        }
        #expect(try server.asPage(north, "GET", "/api/vehicles/VAN-1").status == 200)
        let admin = try server.client(server.keys.admin)
        let emptied = try admin.send(
          "PATCH", "/api/fleets/\(fleets.north)", json: #"{"vehicleIds":[]}"#, headers: any)
        #expect(emptied.status == 200, "\(emptied.text)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func changes_of_two_people_merge_and_the_same_field_conflicts(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let tag = try #require(try client.send("GET", "/api/vehicles/VAN-1").headers["etag"])
        func patch(_ body: String, _ tag: String) throws -> TestClient.Reply {
          try client.send("PATCH", "/api/vehicles/VAN-1", json: body, headers: ["If-Match": tag])
        }
        #expect(try client.send("PATCH", "/api/vehicles/VAN-1", json: "{}").status == 428)
        #expect(try patch(#"{"name":"Ann's"}"#, tag).status == 200)
        let merged = try patch(#"{"notes":"new tyres"}"#, tag)
        #expect(try merged.status == 200 && merged.json["name"] as? String == "Ann's")
        let conflict = try patch(#"{"name":"Bob's"}"#, tag)
        let fields = try (conflict.json["error"] as? [String: Any])?["conflicts"] as? [[String: Any]]
        #expect(conflict.status == 409 && fields?.first?["theirs"] as? String == "Ann's", "\(conflict.text)")
        // A record changes `lastRecordAt` and therefore the tag. It does not conflict with a change by a person.
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        let shown = try client.send("GET", "/api/vehicles/VAN-1")
        #expect(shown.headers["etag"] != merged.headers["etag"])
        #expect(try patch(#"{"notes":"old tyres"}"#, try #require(merged.headers["etag"])).status == 200)
        let audit = try client.send("GET", "/api/audit").list.filter { $0["kind"] as? String == "vehicle" }
        #expect(audit.prefix(3).map { $0["action"] as? String } == ["change", "register", "change"])
        // The history of the vehicle has the same entries, and no others.
        let history = try client.send("GET", "/api/audit?vehicle=VAN-1").list
        let thing = try #require(audit.first?["thing"] as? String)
        #expect(
          history.map { $0["number"] as? Int }
            == audit.filter { $0["thing"] as? String == thing }.map { $0["number"] as? Int })
        #expect(try client.send("GET", "/api/audit?vehicle=NONE").status == 404)
        #expect(try client.send("GET", "/api/audit?vehicle=VAN-1&thing=\(thing)").status == 400)
        // All entries are as they were written; so is the rest after any of them, but only with its hash.
        let head = try #require(try client.send("GET", "/api/audit?limit=1").list.first)
        let checked = try client.send("GET", "/api/audit/verification").json
        #expect(checked["isComplete"] as? Bool == true && checked["fault"] == nil)
        #expect(
          checked["number"] as? Int == head["number"] as? Int && checked["hash"] as? String == head["hash"] as? String)
        let second = try #require(try client.send("GET", "/api/audit?before=3&limit=1").list.first)
        let hash = try #require(second["hash"] as? String)
        let rest = try client.send("GET", "/api/audit/verification?after=2&hash=\(hash)").json
        #expect(rest["fault"] == nil && rest["hash"] as? String == head["hash"] as? String)
        let wrong = try client.send("GET", "/api/audit/verification?after=2&hash=\(String(repeating: "0", count: 64))")
          .json
        let fault = wrong["fault"] as? [String: Any]
        #expect(fault?["kind"] as? String == "changed" && fault?["number"] as? Int == 3)
        #expect(try client.send("GET", "/api/audit/verification?after=2").status == 400)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func put_with_an_own_id_is_harmless_when_repeated(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func put(_ body: String) throws -> TestClient.Reply {
          try client.send("PUT", "/api/vehicles/NEW-1", json: body, headers: ["If-None-Match": "*"])
        }
        #expect(try put(#"{"name":"New"}"#).status == 201)
        #expect(try put(#"{"name":"New"}"#).status == 201)
        #expect(try put(#"{"name":"Newer"}"#).status == 409)
        #expect(try client.send("PUT", "/api/vehicles/NEW-1", json: #"{"make":"VW"}"#).json["name"] == nil)
        // The first request again, although the vehicle has changed since.
        #expect(try put(#"{"name":"New"}"#).json["make"] as? String == "VW")
        #expect(try client.send("GET", "/api/vehicles").list.count == 3)
      }
    }
  }

  /// Many vehicles are moved in several transactions, so that no other tenant waits long.
  @Test(arguments: TestServer.Database.allCases)
  func many_vehicles_are_moved_in_steps(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      let now = WallClock.now
      let ids = (100..<140).map { "CAR-\($0)" }
      let fleet = try await storage.change(tenant: .standard, by: Actor(.command), at: now) {
        transaction throws(ThingError) in
        for id in ids { try transaction.insert(Vehicle(id: id)) }
        var fleet = Fleet()
        fleet.name = "North"
        return try transaction.insert(fleet)
      }
      // The moves are planned once. A transaction moves some of them, and leaves the rest for the next one.
      let plan = try await storage.view(tenant: .standard) { view throws(ThingError) in
        try view.moves(to: ids, of: fleet, seen: fleet.version) { _ in }
      }
      #expect(plan == VehicleMoves(added: ids))
      func step(_ moves: VehicleMoves) async throws -> (moved: Int, rest: VehicleMoves) {
        try await storage.change(tenant: .standard, by: Actor(.command), at: now) { transaction throws(ThingError) in
          let present = try transaction.existing(fleet.id, Fleet.self)
          let done = try transaction.move(moves, of: present, for: .zero)
          return (done.moved.count, done.rest)
        }
      }
      var (moved, rest) = try await step(plan)
      #expect(moved == 8)
      // What another client adds meanwhile stays.
      try await storage.change(tenant: .standard, by: Actor(.command), at: now) { transaction throws(ThingError) in
        let present = try transaction.existing(fleet.id, Fleet.self)
        let some = try transaction.vehicles(of: fleet.id)
        try transaction.setVehicles(some + ["VAN-1"], of: present, seen: present.version)
      }
      var steps: [Int] = []
      repeat {
        (moved, rest) = try await step(rest)
        steps.append(moved)
      } while !rest.isEmpty
      #expect(steps == [8, 8, 8, 8])
      let id = fleet.id
      #expect(
        try await storage.view(tenant: .standard) { view throws(ThingError) in try view.vehicles(of: id) } == ids + [
          "VAN-1"
        ])
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let path = "/api/fleets/\(id.string)"
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        for (body, count) in [("", 0), (list, 40)] {
          let changed = try client.send("PATCH", path, json: #"{"vehicleIds":[\#(body)]}"#, headers: ["If-Match": "*"])
          #expect(
            try changed.status == 200 && (changed.json["vehicleIds"] as? [String])?.count == count, "\(changed.text)")
          #expect(try client.send("GET", path).headers["etag"] == changed.headers["etag"])
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_fleet_has_vehicles_and_a_vehicle_one_fleet(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "POST", "/api/fleets", json: #"{"name":"North","timeZone":"Europe/Vienna","vehicleIds":["VAN-1","VAN-2"]}"#)
        #expect(try made.status == 201 && made.json["vehicleIds"] as? [String] == ["VAN-1", "VAN-2"], "\(made.text)")
        #expect(
          try (made.json["metrics"] as? [String: Int]) == ["total": 2, "active": 2, "inService": 0, "utilization": 0])
        let north = try #require(made.json["id"] as? String)
        #expect(try client.send("GET", "/api/vehicles?fleetId=\(north)").list.count == 2)
        let taken = try client.send("POST", "/api/fleets", json: #"{"name":"South","vehicleIds":["VAN-1"]}"#)
        #expect(taken.status == 409 && taken.errorCode == "inAnotherFleet" && taken.text.contains("North"))
        #expect(try client.send("GET", "/api/fleets").list.count == 1)
        #expect(try client.send("POST", "/api/fleets", json: #"{"name":"North"}"#).status == 409)
        // Two people change the vehicles of the same version: both changes hold.
        let tag = try #require(made.headers["etag"])
        _ = try client.send("POST", "/api/vehicles", json: #"{"id":"VAN-3","fleetId":"\#(north)"}"#)
        let path = "/api/fleets/\(north)"
        let left = try client.send("PATCH", path, json: #"{"vehicleIds":["VAN-1"]}"#, headers: ["If-Match": tag])
        #expect(try left.status == 200 && left.json["vehicleIds"] as? [String] == ["VAN-1", "VAN-3"], "\(left.text)")
        #expect(try client.send("GET", "/api/vehicles/VAN-2").json["fleetId"] == nil)
        #expect(try client.send("DELETE", path).status == 409)
        let unknown = try client.send(
          "PATCH", path, json: #"{"vehicleIds":["NOPE"]}"#, headers: ["If-Match": "*"])
        #expect(unknown.status == 422 && unknown.errorMessage.contains("NOPE"))
        _ = try client.send("PATCH", path, json: #"{"vehicleIds":[]}"#, headers: ["If-Match": "*"])
        #expect(try client.send("DELETE", path).status == 204)
        let wrong = try client.send("POST", "/api/vehicles", json: #"{"id":"VAN-4","fleetId":"\#(north)"}"#)
        #expect(wrong.status == 422 && wrong.errorMessage.contains("fleetId"))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_person_of_a_fleet_sees_and_changes_only_that(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let (ids, scoped) = try await Self.depots(server)
      _ = scoped
      try await runBlocking {
        let viewer = try server.signIn("viewer@example.com")
        #expect(try server.asPage(viewer, "GET", "/api/vehicles").list.compactMap { $0["id"] as? String } == ["VAN-1"])
        #expect(try server.asPage(viewer, "GET", "/api/vehicles?q=van-2").list.isEmpty)
        #expect(try server.asPage(viewer, "GET", "/api/vehicles?fleetId=\(ids.south)").list.isEmpty)
        #expect(try server.asPage(viewer, "GET", "/api/vehicles/VAN-1").status == 200)
        #expect(try server.asPage(viewer, "GET", "/api/vehicles/VAN-2").status == 404)
        #expect(try server.asPage(viewer, "GET", "/api/fleets").list.compactMap { $0["name"] as? String } == ["North"])
        #expect(try server.asPage(viewer, "GET", "/api/fleets/\(ids.south)").status == 404)
        let admin = try server.signIn("north@example.com")
        func patch(_ path: String, _ body: String) throws -> TestClient.Reply {
          try server.asPage(admin, "PATCH", path, body, headers: ["If-Match": "*"])
        }
        #expect(try patch("/api/vehicles/VAN-1", #"{"name":"x"}"#).status == 200)
        #expect(try patch("/api/vehicles/VAN-2", #"{"name":"x"}"#).status == 404)
        #expect(try patch("/api/vehicles/VAN-1", #"{"fleetId":"\#(ids.south)"}"#).status == 403)
        #expect(try patch("/api/vehicles/VAN-1", #"{"fleetId":null}"#).status == 403)
        #expect(try patch("/api/fleets/\(ids.north)", #"{"vehicleIds":["VAN-1","FREE"]}"#).status == 403)
        #expect(try server.asPage(admin, "POST", "/api/vehicles", #"{"id":"X"}"#).status == 403)
        #expect(
          try server.asPage(admin, "POST", "/api/vehicles", #"{"id":"X","fleetId":"\#(ids.north)"}"#).status == 201)
        #expect(try server.asPage(admin, "POST", "/api/fleets", #"{"name":"East"}"#).status == 403)
        #expect(try server.asPage(admin, "DELETE", "/api/vehicles/VAN-2").status == 404)
      }
    }
  }

  /// Two fleets, with VAN-1 and VAN-2, a vehicle in none, and people of the first one.
  static func depots(_ server: TestServer) async throws -> (ids: (north: String, south: String), viewer: Stored<Person>)
  {
    let now = WallClock.now
    let fleets = try await server.storage.change(tenant: .standard, by: Actor(.command), at: now) {
      transaction throws(ThingError) in
      var fleets: [Stored<Fleet>] = []
      for (name, vehicle) in [("North", "VAN-1"), ("South", "VAN-2")] {
        var fleet = Fleet()
        fleet.name = name
        let stored = try transaction.insert(fleet)
        fleets.append(try transaction.setVehicles([vehicle], of: stored, seen: stored.version))
      }
      try transaction.insert(Vehicle(id: "FREE"))
      return fleets
    }
    let scope = FleetScope.fleets([fleets[0].id])
    let viewer = try await server.addPerson("viewer@example.com", [.viewer], scope: scope)
    _ = try await server.addPerson("north@example.com", [.admin], scope: scope)
    return ((fleets[0].id.string, fleets[1].id.string), viewer)
  }
}
