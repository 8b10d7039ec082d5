import FleetAccess
import FleetConnectors
import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Changes by people whose scope is one fleet, which must not reach beyond it; on both databases.
@Suite struct AccessScopeTests {
  private static let any = ["If-Match": "*"]

  /// The owner of an account has access to all fleets of its scope. A person who gets a link for a new password of the
  /// account gets this access.
  @Test(arguments: TestServer.Database.allCases)
  func an_administrator_of_a_fleet_changes_only_accounts_inside_it(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      let (north, south) = (try UUIDv7.parsed(fleets.north), try UUIDv7.parsed(fleets.south))
      var people: [(scope: String, id: String)] = []
      for (name, scope) in [
        ("inside", FleetScope.fleets([north])), ("both", .fleets([north, south])), ("other", .fleets([south])),
        ("all", .all), ("none", .fleets([])),
      ] {
        people.append((name, try await server.addPerson("\(name)@example.com", [.driver], scope: scope).id.string))
      }
      let accounts = people
      try await runBlocking {
        let admin = try server.signIn("north@example.com")
        for (scope, id) in accounts {
          let path = "/api/people/\(id)"
          let replies = try [
            server.asPage(admin, "POST", path + "/invite"), server.asPage(admin, "POST", path + "/deactivate"),
            server.asPage(admin, "POST", path + "/activate"),
            server.asPage(admin, "PATCH", path, #"{"email":"taken-\#(scope)@example.com"}"#, headers: Self.any),
            server.asPage(admin, "PATCH", path, #"{"roles":["viewer"]}"#, headers: Self.any),
            server.asPage(admin, "PATCH", path, #"{"scope":["\#(fleets.north)"]}"#, headers: Self.any),
            server.asPage(admin, "DELETE", path),
          ]
          // Who may read an account but not change it gets 403, not 404. Erasure needs the scope of the whole tenant.
          let refused = scope == "both" ? 403 : 404
          let expected =
            scope == "inside" ? [200, 200, 200, 200, 200, 200, 403] : Array(repeating: refused, count: 6) + [403]
          #expect(replies.map(\.status) == expected, "\(scope): \(replies.map(\.text))")
        }
        // A person of the own fleet cannot get a wider scope.
        let wider = try server.asPage(
          admin, "PATCH", "/api/people/\(accounts[0].id)", #"{"scope":["\#(fleets.north)","\#(fleets.south)"]}"#,
          headers: Self.any)
        #expect(wider.status == 403)
      }
    }
  }

  /// The id of a vehicle is unique in a tenant. Only a request that would otherwise make the vehicle learns that another
  /// fleet uses the id.
  @Test(arguments: TestServer.Database.allCases)
  func an_id_of_another_fleet_is_answered_like_a_free_one(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      try await runBlocking {
        let admin = try server.signIn("north@example.com")
        func statuses(_ id: String, _ fleet: String?) throws -> [Int] {
          let more = fleet.map { #","fleetId":"\#($0)""# } ?? ""
          let (body, path) = (#"{"id":"\#(id)"\#(more)}"#, "/api/vehicles/\(id)")
          return try [
            server.asPage(admin, "POST", "/api/vehicles", body),
            server.asPage(admin, "PUT", path, body, headers: ["If-None-Match": "*"]),
            server.asPage(admin, "PUT", path, #"{"name":"x"}"#), server.asPage(admin, "GET", path),
            server.asPage(admin, "DELETE", path),
          ].map(\.status)
        }
        for fleet in [nil, fleets.south] {
          for id in ["VAN-2", "FREE", "VAN-ZZ"] {
            #expect(try statuses(id, fleet) == [403, 403, 404, 404, 404], "\(id), \(fleet ?? "no fleet")")
          }
        }
        #expect(try statuses("VAN-2", fleets.north) == [409, 409, 404, 404, 404])
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_change_cannot_move_a_thing_out_of_the_callers_fleets(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      try await runBlocking {
        let everywhere = try server.client(server.keys.admin)
        func make(_ path: String, _ body: String) throws -> String {
          let reply = try everywhere.send("POST", path, json: body)
          return try #require(try reply.json["id"] as? String, "\(reply.text)")
        }
        let driver = try make("/api/drivers", #"{"name":"Ann","fleetId":"\#(fleets.north)"}"#)
        let foreign = try make("/api/drivers", #"{"name":"Bob","fleetId":"\#(fleets.south)"}"#)
        let schedule = try make(
          "/api/service-schedules",
          #"{"fleetId":"\#(fleets.north)","serviceType":"oilChange","every":{"kilometers":10000}}"#)
        let expense = try make(
          "/api/expenses",
          #"{"vehicleId":"VAN-1","at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"1","currency":"EUR"}}"#
        )
        let rule = try make(
          "/api/rules", #"{"name":"N","events":["journeyIncident"],"roles":["admin"],"fleetIds":["\#(fleets.north)"]}"#)
        let shared = try make(
          "/api/rules",
          #"{"name":"B","events":["journeyIncident"],"roles":["admin"],"fleetIds":["\#(fleets.north)","\#(fleets.south)"]}"#
        )
        let admin = try server.signIn("north@example.com")
        func patch(_ path: String, _ body: String) throws -> TestClient.Reply {
          try server.asPage(admin, "PATCH", path, body, headers: Self.any)
        }
        let before = try ["/api/drivers/\(driver)", "/api/service-schedules/\(schedule)", "/api/expenses/\(expense)"]
          .map { try everywhere.send("GET", $0).text }
        for (path, body) in [
          ("/api/drivers/\(driver)", #"{"fleetId":"\#(fleets.south)"}"#),
          ("/api/drivers/\(driver)", #"{"fleetId":null}"#),
          ("/api/service-schedules/\(schedule)", #"{"fleetId":"\#(fleets.south)"}"#),
          ("/api/service-schedules/\(schedule)", #"{"fleetId":null}"#),
          ("/api/expenses/\(expense)", #"{"vehicleId":"VAN-2"}"#),
          ("/api/expenses/\(expense)", #"{"vehicleId":null,"driverId":"\#(foreign)"}"#),
          ("/api/rules/\(rule)", #"{"fleetIds":[]}"#), ("/api/rules/\(rule)", #"{"fleetIds":["\#(fleets.south)"]}"#),
          ("/api/rules/\(rule)", #"{"fleetIds":["\#(fleets.north)","\#(fleets.south)"]}"#),
          ("/api/rules/\(shared)", #"{"name":"x"}"#),
        ] {
          let reply = try patch(path, body)
          // A schedule without a vehicle and a fleet is invalid in itself.
          #expect([403, 422].contains(reply.status), "\(path) \(body): \(reply.text)")
        }
        let after = try ["/api/drivers/\(driver)", "/api/service-schedules/\(schedule)", "/api/expenses/\(expense)"]
          .map { try everywhere.send("GET", $0).text }
        #expect(after == before)
        #expect(try patch("/api/drivers/\(driver)", #"{"name":"Ann Lee"}"#).status == 200)
        #expect(try patch("/api/rules/\(rule)", #"{"name":"x"}"#).status == 200)
        // Imports are another way to change things, and replacement of a vehicle a third.
        let replaced = try server.asPage(admin, "PUT", "/api/vehicles/VAN-1", #"{"fleetId":"\#(fleets.south)"}"#)
        #expect(replaced.status == 403, "\(replaced.text)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_driver_is_linked_only_to_accounts_that_the_caller_may_change(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      let (north, south) = (try UUIDv7.parsed(fleets.north), try UUIDv7.parsed(fleets.south))
      let mine = try await server.addPerson("mine@example.com", [.driver], scope: .fleets([north])).id.string
      let theirs = try await server.addPerson("theirs@example.com", [.driver], scope: .fleets([south])).id.string
      let wide = try await server.addPerson("wide@example.com", [.driver]).id.string
      try await runBlocking {
        let everywhere = try server.client(server.keys.admin)
        let admin = try server.signIn("north@example.com")
        func driver(_ person: String?) throws -> String {
          let link = person.map { #","personId":"\#($0)""# } ?? ""
          let reply = try everywhere.send(
            "POST", "/api/drivers", json: #"{"name":"D","fleetId":"\#(fleets.north)"\#(link)}"#)
          return try #require(try reply.json["id"] as? String, "\(reply.text)")
        }
        func link(_ driver: String, _ person: String) throws -> Int {
          try server.asPage(
            admin, "PATCH", "/api/drivers/\(driver)", #"{"personId":\#(person)}"#, headers: Self.any
          ).status
        }
        let free = try driver(nil)
        #expect(try link(free, "\"\(theirs)\"") == 403)
        #expect(try link(free, "\"\(wide)\"") == 403)
        #expect(try link(free, "\"\(fleets.north)\"") == 403)
        #expect(
          try server.asPage(
            admin, "POST", "/api/drivers", #"{"name":"E","fleetId":"\#(fleets.north)","personId":"\#(theirs)"}"#
          ).status == 403)
        let linked = try driver(theirs)
        #expect(try link(linked, "null") == 403)
        #expect(try link(free, "\"\(mine)\"") == 200)
        #expect(try link(free, "null") == 200)
        // While the record has no account, anyone may allow the phone to share its position. This permission ends with
        // the link, because only the owner of the account may give it.
        let phone = try server.asPage(
          admin, "POST", "/api/phones", #"{"driverId":"\#(free)","name":"P","sharesPosition":true}"#)
        let id = try #require(try phone.json["id"] as? String, "\(phone.text)")
        #expect(try link(free, "\"\(mine)\"") == 200)
        let shown = try server.asPage(admin, "GET", "/api/phones/\(id)").json
        #expect(shown["sharesPosition"] as? Bool == false)
        let again = try server.asPage(
          admin, "PATCH", "/api/phones/\(id)", #"{"sharesPosition":true}"#, headers: Self.any)
        #expect(again.status == 403)
      }
    }
  }

  /// All fleets of the tenant use them.
  @Test(arguments: TestServer.Database.allCases)
  func types_of_service_and_checklists_are_changed_only_for_the_whole_tenant(_ database: TestServer.Database)
    async throws
  {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      let north = try UUIDv7.parsed(fleets.north)
      try await server.addPerson("shop@example.com", [.maintenance], scope: .fleets([north]))
      try await server.addPerson("main@example.com", [.maintenance])
      try await runBlocking {
        let things = [
          ("/api/service-types", #"{"code":"adBlue","name":"AdBlue"}"#, #"{"name":"Other"}"#),
          (
            "/api/checklists",
            #"{"name":"vans","text":"Vans","vehicleTypes":["van"],"items":[{"item":"horn","text":"Horn"}]}"#,
            #"{"text":"Other"}"#
          ),
        ]
        let (shop, main) = (try server.signIn("shop@example.com"), try server.signIn("main@example.com"))
        for (path, body, change) in things {
          #expect(try server.asPage(shop, "POST", path, body).status == 403, "\(path)")
          let made = try server.asPage(main, "POST", path, body)
          let id = try #require(try made.json["id"] as? String, "\(made.text)")
          #expect(try server.asPage(shop, "GET", "\(path)/\(id)").status == 200)
          #expect(try server.asPage(shop, "PATCH", "\(path)/\(id)", change, headers: Self.any).status == 403)
          #expect(try server.asPage(main, "PATCH", "\(path)/\(id)", change, headers: Self.any).status == 200)
        }
      }
    }
  }

  /// A viewer reads the people of the scope and the settings, but nothing about their sign-ins.
  @Test(arguments: TestServer.Database.allCases)
  func a_viewer_reads_people_and_settings_of_the_scope(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      let (north, south) = (try UUIDv7.parsed(fleets.north), try UUIDv7.parsed(fleets.south))
      try await server.addPerson("all@example.com", [.viewer])
      try await server.addPerson("admin@example.com")
      try await server.addPerson("both@example.com", [.driver], scope: .fleets([south, north]))
      let other = try await server.addPerson("south@example.com", [.driver], scope: .fleets([south])).id.string
      try await runBlocking {
        let admin = try server.signIn("admin@example.com")
        func emails(_ session: String) throws -> [String] {
          try server.asPage(session, "GET", "/api/people").list.compactMap { $0["email"] as? String }.sorted()
        }
        let scoped = ["both@example.com", "north@example.com", "viewer@example.com"]
        let everyone = ["admin@example.com", "all@example.com"] + scoped + ["south@example.com"]
        for (email, expected) in [("all", everyone), ("viewer", scoped), ("north", scoped), ("admin", everyone)] {
          #expect(try emails(try server.signIn("\(email)@example.com")).sorted() == expected.sorted(), "\(email)")
        }
        let (viewer, all) = (try server.signIn("viewer@example.com"), try server.signIn("all@example.com"))
        #expect(try server.asPage(viewer, "GET", "/api/people/\(other)").status == 404)
        let shown = try server.asPage(all, "GET", "/api/people").list
        let seen = shown.filter { $0["lastSeenAt"] != nil }.compactMap { $0["email"] as? String }
        #expect(seen == ["all@example.com"])
        #expect(try server.asPage(all, "GET", "/api/people?sort=lastSeenAt").status == 403)
        #expect(try server.asPage(admin, "GET", "/api/people?sort=lastSeenAt").status == 200)
        let owners = Set(try server.asPage(all, "GET", "/api/sessions").list.compactMap { $0["personId"] as? String })
        #expect(owners.count == 1)
        for path in ["/api/settings", "/api/rules", "/api/gateways"] {
          #expect(try server.asPage(all, "GET", path).status == 200, "\(path)")
        }
        #expect(try server.asPage(all, "GET", "/api/tokens").status == 403)
        let change = try server.asPage(
          all, "PATCH", "/api/settings", #"{"timeZone":"Europe/Vienna"}"#, headers: Self.any)
        #expect(change.status == 403)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_administrator_allows_a_viewer_to_read_costs(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      _ = try await FleetRoutesTests.depots(server)
      let viewer = try await server.addPerson("costs@example.com", [.viewer]).id.string
      try await server.addPerson("admin@example.com")
      try await runBlocking {
        let (admin, session) = (try server.signIn("admin@example.com"), try server.signIn("costs@example.com"))
        func status() throws -> Int { try server.asPage(session, "GET", "/api/vehicles/VAN-1/costs").status }
        #expect(try status() == 403)
        let path = "/api/people/\(viewer)"
        #expect(try server.asPage(session, "PATCH", path, #"{"mayReadCosts":true}"#, headers: Self.any).status == 403)
        let granted = try server.asPage(admin, "PATCH", path, #"{"mayReadCosts":true}"#, headers: Self.any)
        #expect(try granted.status == 200 && granted.json["mayReadCosts"] as? Bool == true, "\(granted.text)")
        #expect(try status() == 200)
        #expect(try server.asPage(admin, "PATCH", path, #"{"mayReadCosts":false}"#, headers: Self.any).status == 200)
        #expect(try status() == 403)
      }
    }
  }

  /// A driver's own figures are the consumption of the assigned vehicle, but not its costs.
  @Test(arguments: TestServer.Database.allCases)
  func a_driver_reads_the_consumption_but_not_the_costs_of_the_assigned_vehicle(_ database: TestServer.Database)
    async throws
  {
    try await TestServer.run(on: database) { server in
      let dora = try await server.addPerson("dora@example.com", [.driver]).id.string
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let driver = try client.send("POST", "/api/drivers", json: #"{"name":"Dora","personId":"\#(dora)"}"#)
        let id = try #require(try driver.json["id"] as? String, "\(driver.text)")
        let assigned = try client.send(
          "POST", "/api/assignments", json: #"{"driverId":"\#(id)","vehicleId":"VAN-1"}"#)
        #expect(assigned.status == 201, "\(assigned.text)")
        let session = try server.signIn("dora@example.com")
        func status(_ path: String) throws -> Int { try server.asPage(session, "GET", path).status }
        #expect(try status("/api/vehicles/VAN-1/fuel-economy") == 200)
        #expect(try status("/api/vehicles/VAN-2/fuel-economy") == 404)
        #expect(try status("/api/vehicles/VAN-1/days") == 200)
        #expect(try status("/api/vehicles/VAN-1/costs") == 403)
      }
    }
  }

  /// A driver whose phone was offline adds a reading after the vehicle was given back.
  @Test(arguments: TestServer.Database.allCases)
  func a_driver_adds_a_reading_of_the_time_of_an_earlier_assignment(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let dora = try await server.addPerson("dora@example.com", [.driver]).id.string
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let driver = try client.send("POST", "/api/drivers", json: #"{"name":"Dora","personId":"\#(dora)"}"#)
        let id = try #require(try driver.json["id"] as? String, "\(driver.text)")
        let span = #""from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z""#
        let assigned = try client.send(
          "POST", "/api/assignments", json: #"{"driverId":"\#(id)","vehicleId":"VAN-1",\#(span)}"#)
        #expect(assigned.status == 201, "\(assigned.text)")
        let session = try server.signIn("dora@example.com")
        func body(_ time: String, _ odometer: Int, vehicle: String = "VAN-1") -> String {
          #"{"vehicleId":"\#(vehicle)","at":"\#(time)","odometer":\#(odometer)}"#
        }
        func add(_ json: String) throws -> TestClient.Reply {
          try server.asPage(session, "POST", "/api/meter-readings", json)
        }
        let made = try add(body("2026-01-01T12:00:00Z", 41_000))
        #expect(made.status == 201, "\(made.text)")
        for refused in [
          body("2025-12-31T23:00:00Z", 41_000), body("2026-01-02T00:00:01Z", 41_000),
          body("2026-01-01T12:00:00Z", 41_000, vehicle: "VAN-2"), #"{"vehicleId":"VAN-1","odometer":41000}"#,
        ] {
          let reply = try add(refused)
          #expect(reply.status == 403, "\(refused): \(reply.text)")
        }
        // A request that is sent again is answered like the first one.
        let path = "/api/meter-readings/\(UUIDv7.random(at: WallClock.now).string)"
        for _ in 0..<2 {
          let put = try server.asPage(
            session, "PUT", path, body("2026-01-01T13:00:00Z", 41_010), headers: ["If-None-Match": "*"])
          #expect(put.status == 201, "\(put.text)")
        }
        #expect(try server.asPage(session, "GET", path).json["odometer"] as? Int == 41_010)
        let changed = try server.asPage(session, "PATCH", path, #"{"void":true}"#, headers: Self.any)
        #expect(changed.status == 403, "\(changed.text)")
        #expect(try client.send("GET", "/api/meter-readings").list.count == 2)
      }
    }
  }
}
