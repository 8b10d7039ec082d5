import FleetAccess
import FleetDomain
import Foundation
import Synchronization
import TestKit
import Testing

@testable import FleetAPI

@Suite struct SignInTests {
  @Test(arguments: TestServer.Database.allCases)
  func a_person_signs_in_reads_and_signs_out(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let reply = try server.asPage(
          nil, "POST", "/api/auth/login", #"{"email":"Ann@Example.COM","password":"\#(TestServer.password)"}"#)
        #expect(reply.status == 200)
        let person = try reply.json["person"] as? [String: Any]
        #expect(person?["email"] as? String == "ann@example.com")
        #expect(person?["passwordHash"] == nil)
        let cookie = try #require(reply.cookies.first { $0.hasPrefix("fleet-session=") })
        #expect(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Lax") && cookie.contains("; Path=/"))
        // The cookie lacks `Secure`, because plain HTTP on this machine is allowed.
        #expect(!cookie.contains("Secure"))
        let session = try #require(reply.cookie("fleet-session"))
        #expect(try server.asPage(session, "GET", "/api/auth/session").status == 200)
        #expect(try server.asPage(session, "GET", "/api/vehicles").list.count == 2)
        #expect(try server.asPage(session, "POST", "/api/auth/logout").status == 204)
        #expect(try server.asPage(session, "GET", "/api/auth/session").errorCode == "sessionEnded")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func unknown_accounts_inactive_ones_and_wrong_passwords_have_one_answer(_ database: TestServer.Database) async throws
  {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("admin@example.com")
      let gone = try await server.addPerson("gone@example.com", [.viewer])
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in try transaction.setActive(false, gone)
      }
      try await runBlocking {
        let bodies = [
          ("admin@example.com", "wrong", "default"), ("nobody@example.com", TestServer.password, "default"),
          ("gone@example.com", TestServer.password, "default"), ("no address", TestServer.password, "default"),
          ("admin@example.com", TestServer.password, "other"), ("admin@example.com", TestServer.password, "none"),
          ("admin@example.com", String(repeating: "x", count: 100_000), "default"),
        ].map { #"{"email":"\#($0)","password":"\#($1)","tenant":"\#($2)"}"# }
        let answers = try bodies.map { try server.asPage(nil, "POST", "/api/auth/login", $0) }
        #expect(Set(answers.map(\.status)) == [401])
        #expect(Set(answers.map(\.text)).count == 1)
        #expect(answers.allSatisfy { $0.cookies.isEmpty })
      }
    }
  }

  @Test func guesses_for_one_account_are_slowed_down_and_its_owner_still_gets_in() async throws {
    try await TestServer.run { server in
      try await server.addPerson("ann@example.com")
      try await server.addPerson("bob@example.com")
      try await runBlocking {
        let right = #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#
        let known = try server.asPage(nil, "POST", "/api/auth/login", right)
        let device = try #require(known.cookie("fleet-device"))
        // The guesses come from many addresses, as those of a distributed attack do.
        var statuses: [Int] = []
        for number in 0..<30 {
          statuses.append(
            try server.asPage(
              nil, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"guess \#(number)"}"#,
              from: UInt32(10 + number)
            ).status)
        }
        #expect(statuses.prefix(10).allSatisfy { $0 == 401 })
        #expect(statuses.suffix(15).allSatisfy { $0 == 429 })
        let stranger = try server.asPage(nil, "POST", "/api/auth/login", right, from: 99)
        #expect(stranger.status == 429)
        #expect(stranger.headers["retry-after"].flatMap { Int($0) } ?? 0 > 0)
        // The owner uses the browser that has signed in before.
        let owner = try server.asPage(
          nil, "POST", "/api/auth/login", right, headers: ["Cookie": "fleet-device=\(device)"], from: 99)
        #expect(owner.status == 200)
        // A proof that the server did not make is not accepted.
        let forged = try server.asPage(
          nil, "POST", "/api/auth/login", right,
          headers: ["Cookie": "fleet-device=\(device.prefix(68)).\(String(repeating: "0", count: 64))"], from: 98)
        #expect(forged.status == 429)
        // Others are not delayed.
        #expect(try server.signIn("bob@example.com").hasPrefix("fss_"))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_short_password_without_a_second_factor_must_be_replaced(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let ann = try await server.addPerson("ann@example.com")
      let short = try PasswordHash(of: "kelp rift", .fast).text
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        // As after the removal of the last factor.
        var person = ann.value
        person.passwordHash = short
        return try transaction.update(ann, to: person, action: "setPassword")
      }
      try await runBlocking {
        let login = #"{"email":"ann@example.com","password":"kelp rift"}"#
        let grant = #"{"grant":"password",\#(login.dropFirst())"#
        for (path, body) in [("/api/auth/login", login), ("/api/auth/token", grant)] {
          let reply = try server.asPage(nil, "POST", path, body)
          #expect(try reply.status == 200 && reply.json["next"] as? String == "newPassword")
          #expect(reply.cookies.isEmpty && !reply.text.contains("accessToken"))
          let token = try #require(try reply.json["token"] as? String)
          guard path.hasSuffix("login") else { continue }
          let still = try server.asPage(
            nil, "POST", "/api/auth/reset", #"{"token":"\#(token)","password":"gulf tarn"}"#)
          #expect(still.status == 422)
        }
        let reply = try server.asPage(nil, "POST", "/api/auth/login", login)
        let token = try #require(try reply.json["token"] as? String)
        let reset = #"{"token":"\#(token)","password":"\#(TestServer.password)"}"#
        #expect(try server.asPage(nil, "POST", "/api/auth/reset", reset).cookie("fleet-session") != nil)
        let used = try server.asPage(nil, "POST", "/api/auth/reset", reset)
        #expect(used.errorCode == "expiredLink" && used.text.contains("POST /api/auth/recover"), "\(used.text)")
        #expect(try server.signIn("ann@example.com").hasPrefix("fss_"))
      }
    }
  }

  @Test func the_value_of_a_session_cookie_is_no_key() async throws {
    try await TestServer.run { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        #expect(try server.client(session).send("GET", "/api/auth/session").status == 401)
        #expect(try server.client(session).send("GET", "/api/vehicles").status == 401)
        let socket = try WebSocketTestClient(port: server.port, token: nil)
        try socket.send(#"{"action":"authenticate","token":"\#(session)"}"#)
        #expect((try socket.event()["error"] as? [String: Any])?["code"] as? String == "unauthorized")
        #expect(try server.asPage(session, "GET", "/api/auth/session").status == 200)
      }
    }
  }

  @Test func one_address_cannot_try_many_accounts() async throws {
    try await TestServer.run { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        var attempts = 0
        // One more attempt is possible after each 2 s, and an attempt may take most of a second on a busy machine.
        while attempts < 200,
          try server.asPage(
            nil, "POST", "/api/auth/login", #"{"email":"p\#(attempts)@example.com","password":"x"}"#, from: 7
          ).status == 401
        { attempts += 1 }
        #expect((50..<200).contains(attempts))
        #expect(
          try server.asPage(
            nil, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#,
            from: 8
          ).status == 200)
      }
    }
  }

  @Test func a_request_that_a_page_of_others_makes_changes_nothing() async throws {
    try await TestServer.run { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        let body = #"{"id":"VAN-9"}"#
        func status(_ headers: [String: String]) throws -> Int {
          try server.client().send(
            "POST", "/api/vehicles", json: body,
            headers: headers.merging(["Cookie": "fleet-session=\(session)"]) { $1 }
          ).status
        }
        #expect(try status([:]) == 403)
        #expect(try status(["Origin": "http://evil.example"]) == 403)
        #expect(try status(["Origin": "null"]) == 403)
        #expect(try status(["Sec-Fetch-Site": "cross-site"]) == 403)
        #expect(try status(["Sec-Fetch-Site": "same-site", "Origin": "http://localhost"]) == 403)
        #expect(try status(["Sec-Fetch-Site": "none"]) == 403)
        #expect(try server.asPage(session, "GET", "/api/vehicles/VAN-9").status == 404)
        #expect(try status(["Sec-Fetch-Site": "same-origin"]) == 201)
        // A page of another site cannot sign its visitors in either.
        let login = #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#
        let foreign = try server.client().send(
          "POST", "/api/auth/login", json: login, headers: ["Origin": "http://evil.example"])
        #expect(foreign.status == 403 && foreign.cookies.isEmpty)
      }
    }
  }

  /// If the server knows its own address, a name that leads to the same machine is not enough.
  @Test func with_a_configured_address_only_its_pages_use_the_cookie() async throws {
    try await TestServer.run(.test { $0.accounts.publicURL = "https://fleet.example:443/" }) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        func send(_ origin: String, _ path: String, _ body: String, _ session: String? = nil) throws -> TestClient.Reply
        {
          var headers = ["Origin": origin]
          if let session { headers["Cookie"] = "fleet-session=\(session)" }
          return try server.client().send("POST", path, json: body, headers: headers)
        }
        let login = #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#
        // The first one is the origin that the header `Host` of the request names.
        for origin in ["http://localhost", "http://fleet.example", "https://fleet.example:8443", "null"] {
          #expect(try send(origin, "/api/auth/login", login).errorCode == "crossSite", "\(origin)")
        }
        let reply = try send("https://fleet.example", "/api/auth/login", login)
        let session = try #require(reply.cookie("fleet-session"), "\(reply.text)")
        #expect(try send("http://localhost", "/api/vehicles", #"{"id":"VAN-9"}"#, session).errorCode == "crossSite")
        #expect(try send("https://fleet.example", "/api/vehicles", #"{"id":"VAN-9"}"#, session).status == 201)
      }
    }
  }

  @Test func every_route_that_changes_something_refuses_the_cookie_of_a_foreign_page() async throws {
    try await TestServer.run { server in
      try await server.addPerson("ann@example.com")
      let routes = FleetRoutes.table(of: server.storage).routes
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        var count = 0
        for route in routes where route.method != .get && route.access != .open {
          let path = route.path.text.replacing("{vehicleId}", with: "VAN-1").replacing("{gatewayId}", with: "gw-1")
          let reply = try server.client().send(
            route.method.rawValue, path, json: "{}",
            headers: ["Cookie": "fleet-session=\(session)", "Origin": "https://evil.example"])
          #expect(reply.errorCode == "crossSite", "\(route.method) \(path): \(reply.text)")
          count += 1
        }
        #expect(count > 20)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_long_history_is_not_read(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let person = try await server.addPerson("ann@example.com")
      for number in 0..<300 {
        try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
          transaction throws(ThingError) in
          let stored = try transaction.existing(person.id, Person.self)
          var changed = stored.value
          changed.lastName = "Lee \(number)"
          try transaction.update(stored, to: changed, action: "change")
        }
      }
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        let path = "/api/people/\(person.id.json.textValue ?? "")"
        func patch(_ version: Int) throws -> TestClient.Reply {
          try admin.send("PATCH", path, json: #"{"locale":"de-AT"}"#, headers: ["If-Match": "\"\(version)\""])
        }
        #expect(try patch(1).status == 412)
        #expect(try patch(200).status == 200)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_null_character_in_a_query_is_rejected(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        for query in ["people?q=%00", "people?q=a%00b", "vehicles?make=%00", "assignments?vehicle=a%00"] {
          #expect(try admin.send("GET", "/api/\(query)").status == 400, "\(query)")
        }
        let body = #"{"driverId":"0193e0f2-0000-7000-8000-000000000000","vehicleId":"a\u0000"}"#
        #expect([400, 422].contains(try admin.send("POST", "/api/assignments", json: body).status))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func people_are_found_by_address_in_any_case_and_by_both_names(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        for query in ["email=ANN@example.com", "q=lee%20ann", "q=ann+lee", "q=EXAMPLE"] {
          #expect(try admin.send("GET", "/api/people?\(query)").list.count == 1, "\(query)")
        }
        #expect(try admin.send("GET", "/api/people?q=ann+berg").list.isEmpty)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_last_administrator_cannot_be_shut_out(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let admin = try await server.addPerson("admin@example.com")
      try await runBlocking {
        let session = try server.signIn("admin@example.com")
        let path = "/api/people/\(admin.id.json.textValue ?? "")"
        #expect(try server.asPage(session, "POST", path + "/deactivate").errorCode == "lastAdministrator")
        #expect(try server.asPage(session, "DELETE", path).errorCode == "lastAdministrator")
        let demoted = try server.asPage(
          session, "PATCH", path, #"{"roles":["viewer"]}"#, headers: ["If-Match": "*"])
        #expect(demoted.errorCode == "lastAdministrator")
        let narrowed = try server.asPage(session, "PATCH", path, #"{"scope":[]}"#, headers: ["If-Match": "*"])
        #expect(narrowed.errorCode == "lastAdministrator")
        // An administrator who has not finished the invitation cannot sign in.
        let other = try server.asPage(
          session, "POST", "/api/people",
          #"{"email":"new@example.com","firstName":"New","lastName":"One","roles":["admin"]}"#)
        #expect(other.status == 201)
        #expect(try server.asPage(session, "POST", path + "/deactivate").errorCode == "lastAdministrator")
        let invited = try #require(try other.json["id"] as? String)
        let link = try server.asPage(session, "POST", "/api/people/\(invited)/invite")
        let token = try #require(try link.json["token"] as? String)
        let finished = try server.asPage(
          nil, "POST", "/api/auth/setup", #"{"token":"\#(token)","password":"a quite different text"}"#)
        #expect(finished.status == 200)
        #expect(try server.asPage(session, "POST", path + "/deactivate").status == 200)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func two_parallel_claims_of_a_link_make_one_administrator(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let secret = Secret(.ticket, of: "default")
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        try transaction.issueTicket(.firstAdministrator, secret.hash, of: nil, seconds: 60)
      }
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<8 {
          group.addTask {
            try await runBlocking {
              try server.asPage(
                nil, "POST", "/api/auth/setup",
                #"{"token":"\#(secret.text)","password":"\#(TestServer.password)","email":"a\#(number)@example.com","firstName":"A","lastName":"B"}"#
              ).status
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.filter { $0 == 200 }.count == 1)
      #expect(statuses.filter { $0 == 401 }.count == 7)
      let people = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<Person>()).items
      }
      #expect(people.count == 1 && people.first?.value.roles == [.admin])
    }
  }
}
