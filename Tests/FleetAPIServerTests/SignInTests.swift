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
      try await aside {
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
      try await aside {
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
      try await aside {
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
      try await aside {
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

  @Test(arguments: TestServer.Database.allCases)
  func another_sign_in_of_a_browser_ends_its_session_before(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await server.addPerson("bob@example.com", tenant: TenantID("other")!)
      try await aside {
        let (first, elsewhere) = (try server.signIn("ann@example.com"), try server.signIn("ann@example.com"))
        let login = #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#
        let second = try #require(
          try server.asPage(first, "POST", "/api/auth/login", login).cookie("fleet-session"))
        #expect(try server.asPage(first, "GET", "/api/auth/session").errorCode == "sessionEnded")
        // Also that of another tenant.
        let other = #"{"email":"bob@example.com","password":"\#(TestServer.password)","tenant":"other"}"#
        let third = try #require(
          try server.asPage(second, "POST", "/api/auth/login", other).cookie("fleet-session"))
        #expect(try server.asPage(second, "GET", "/api/auth/session").errorCode == "sessionEnded")
        for session in [third, elsewhere] {
          #expect(try server.asPage(session, "GET", "/api/auth/session").status == 200)
        }
        // Neither a wrong password nor an app ends it.
        _ = try server.asPage(third, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"x"}"#)
        _ = try server.asPage(third, "POST", "/api/auth/token", #"{"grant":"password",\#(login.dropFirst())"#)
        #expect(try server.asPage(third, "GET", "/api/auth/session").status == 200)
      }
    }
  }

  @Test func the_value_of_a_session_cookie_is_no_key() async throws {
    try await TestServer.run { server in
      try await server.addPerson("ann@example.com")
      try await aside {
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
      try await aside {
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
      try await aside {
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

  @Test func every_route_that_changes_something_refuses_the_cookie_of_a_foreign_page() async throws {
    try await TestServer.run { server in
      try await server.addPerson("ann@example.com")
      let routes = FleetRoutes.table(of: server.storage).routes
      try await aside {
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
  func an_app_renews_its_tokens_and_a_stolen_refresh_token_ends_the_session(_ database: TestServer.Database)
    async throws
  {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await aside {
        let first = try server.client().send(
          "POST", "/api/auth/token",
          json: #"{"grant":"password","email":"ann@example.com","password":"\#(TestServer.password)"}"#)
        #expect(first.status == 200 && first.cookies.isEmpty)
        let access = try #require(try first.json["accessToken"] as? String)
        let refresh = try #require(try first.json["refreshToken"] as? String)
        #expect(try first.json["expiresIn"] as? Int == 900)
        #expect(try server.client(access).send("GET", "/api/vehicles").status == 200)
        let second = try server.client().send(
          "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(refresh)"}"#)
        let renewed = try #require(try second.json["accessToken"] as? String)
        let next = try #require(try second.json["refreshToken"] as? String)
        #expect(renewed != access && next != refresh)
        #expect(try server.client(access).send("GET", "/api/vehicles").status == 401)
        #expect(try server.client(renewed).send("GET", "/api/vehicles").status == 200)
        // The old token is used again, by a thief or by the owner. The session ends for both.
        let reused = try server.client().send(
          "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(refresh)"}"#)
        #expect(reused.status == 401)
        #expect(try server.client(renewed).send("GET", "/api/vehicles").errorCode == "sessionEnded")
        #expect(
          try server.client().send(
            "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(next)"}"#
          ).status == 401)
        for text in ["", "fsr_", "fsr_default/x.y", "fsr_none/0193e0f2-0000-7000-8000-000000000000.00", refresh + "0"] {
          #expect(
            try server.client().send(
              "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(text)"}"#
            ).status == 401)
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_stolen_refresh_token_ends_the_session_after_any_number_of_renewals(_ database: TestServer.Database)
    async throws
  {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await aside {
        func grant(_ members: String) throws -> TestClient.Reply {
          try server.client().send("POST", "/api/auth/token", json: #"{"grant":\#(members)}"#)
        }
        var reply = try grant(#""password","email":"ann@example.com","password":"\#(TestServer.password)""#)
        let stolen = try #require(try reply.json["refreshToken"] as? String)
        for _ in 0..<12 {
          let token = try #require(try reply.json["refreshToken"] as? String)
          reply = try grant(#""refresh","refreshToken":"\#(token)""#)
        }
        let access = try #require(try reply.json["accessToken"] as? String)
        #expect(try server.client(access).send("GET", "/api/vehicles").status == 200)
        #expect(try grant(#""refresh","refreshToken":"\#(stolen)""#).status == 401)
        #expect(try server.client(access).send("GET", "/api/vehicles").errorCode == "sessionEnded")
      }
    }
  }

  @Test func the_oldest_of_too_many_sessions_loses_its_websocket_at_once() async throws {
    try await TestServer.run { server in
      try await server.addPerson("ann@example.com")
      // Another server's revocations are read from the database. This test is about the server of the sign-in.
      server.storage.set(.revocations) { () throws(StorageError) in
        throw StorageError(.unavailable, "test", "does not answer")
      }
      try await aside {
        let first = try server.signIn("ann@example.com")
        let socket = try WebSocketTestClient(
          port: server.port, headers: ["Cookie": "fleet-session=\(first)", "Origin": "http://localhost"])
        _ = try socket.listen("fleet")
        for _ in 0..<100 { _ = try server.accessToken("ann@example.com") }
        guard case .close(1008, _) = try socket.close() else {
          Issue.record("expected the close code 1008")
          return
        }
        #expect(try server.asPage(first, "GET", "/api/vehicles").status == 401)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_invented_refresh_token_changes_nothing(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await aside {
        let first = try server.client().send(
          "POST", "/api/auth/token",
          json: #"{"grant":"password","email":"ann@example.com","password":"\#(TestServer.password)"}"#)
        let access = try #require(try first.json["accessToken"] as? String)
        let refresh = try #require(try first.json["refreshToken"] as? String)
        // The first part is the id of the session, which administrators and logs may show.
        let invented = refresh.prefix(while: { $0 != "." }) + "." + String(repeating: "0", count: 64)
        let refused = try server.client().send(
          "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(invented)"}"#)
        #expect(refused.status == 401)
        #expect(try server.client(access).send("GET", "/api/vehicles").status == 200)
        let renewed = try server.client().send(
          "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(refresh)"}"#)
        #expect(renewed.status == 200)
      }
    }
  }

  @Test(
    arguments: TestServer.Database.allCases, [#"{"roles":["driver"]}"#, #"{"scope":[]}"#])
  func a_change_of_rights_closes_open_websockets(_ database: TestServer.Database, _ change: String) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("admin@example.com")
      let bob = try await server.addPerson("bob@example.com", [.viewer])
      try await aside {
        let admin = try server.signIn("admin@example.com")
        let session = try server.signIn("bob@example.com")
        let trip = SampleRecord(1, type: "trip", rest: #""tripId":"t1","state":"started""#)
        #expect(try server.client(server.keys.admin).send("POST", "/api/telemetry", [trip].lines).status == 200)
        #expect(try server.asPage(session, "GET", "/api/trips").list.count == 1)
        let socket = try WebSocketTestClient(
          port: server.port, headers: ["Cookie": "fleet-session=\(session)", "Origin": "http://localhost"])
        _ = try socket.listen("fleet")
        let path = "/api/people/\(bob.id.json.textValue ?? "")"
        #expect(try server.asPage(admin, "PATCH", path, change, headers: ["If-Match": "*"]).status == 200)
        guard case .close(1008, _) = try socket.close() else {
          Issue.record("expected the close code 1008")
          return
        }
        // The session continues, with the new rights.
        #expect(try server.asPage(session, "GET", "/api/auth/session").status == 200)
        let trips = try server.asPage(session, "GET", "/api/trips")
        #expect(trips.status == 200 && trips.list.isEmpty, "\(trips.text)")
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
      try await aside {
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
      try await aside {
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
      try await aside {
        let admin = try server.client(server.keys.admin)
        for query in ["email=ANN@example.com", "q=lee%20ann", "q=ann+lee", "q=EXAMPLE"] {
          #expect(try admin.send("GET", "/api/people?\(query)").list.count == 1, "\(query)")
        }
        #expect(try admin.send("GET", "/api/people?q=ann+berg").list.isEmpty)
      }
    }
  }

  @Test func one_time_codes_need_keys_in_a_file() async throws {
    let options = ServerOptions.test { $0.accounts = AccountSettings() }
    try await TestServer.run(options) { server in
      try await server.addPerson("ann@example.com")
      try await aside {
        let session = try server.signIn("ann@example.com")
        let reply = try server.asPage(session, "POST", "/api/factors", #"{"kind":"totp"}"#)
        #expect(reply.status == 409 && reply.errorCode == "noSecretKeys" && reply.text.contains("secretKeysFile"))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_deactivated_person_loses_every_session_and_open_websocket_at_once(_ database: TestServer.Database) async throws
  {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("admin@example.com")
      let bob = try await server.addPerson("bob@example.com", [.viewer])
      try await aside {
        let admin = try server.signIn("admin@example.com")
        let session = try server.signIn("bob@example.com")
        let socket = try WebSocketTestClient(
          port: server.port, headers: ["Cookie": "fleet-session=\(session)", "Origin": "http://localhost"])
        _ = try socket.listen("fleet")
        let id = bob.id.json.textValue ?? ""
        #expect(try server.asPage(session, "GET", "/api/vehicles").status == 200)
        #expect(try server.asPage(admin, "POST", "/api/people/\(id)/deactivate").status == 200)
        #expect(try server.asPage(session, "GET", "/api/vehicles").errorCode == "sessionEnded")
        guard case .close(1008, _) = try socket.close() else {
          Issue.record("expected the close code 1008")
          return
        }
        let again = try server.asPage(
          nil, "POST", "/api/auth/login", #"{"email":"bob@example.com","password":"\#(TestServer.password)"}"#)
        #expect(again.status == 401)
        #expect(try server.asPage(admin, "POST", "/api/people/\(id)/activate").status == 200)
        #expect(try server.signIn("bob@example.com").hasPrefix("fss_"))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_last_administrator_cannot_be_shut_out(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let admin = try await server.addPerson("admin@example.com")
      try await aside {
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
            try await aside {
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

  @Test(arguments: TestServer.Database.allCases)
  func one_time_codes_are_needed_and_each_is_good_once(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      let oathtool = try Tool.required("oathtool")
      try await aside {
        let session = try server.signIn("ann@example.com")
        let added = try server.asPage(session, "POST", "/api/factors", #"{"kind":"totp","name":"Phone"}"#)
        #expect(added.status == 201)
        let seed = try #require(try added.json["secret"] as? String)
        let id = try #require((try added.json["factor"] as? [String: Any])?["id"] as? String)
        // It is not confirmed, so it is not requested.
        #expect(try server.signIn("ann@example.com").hasPrefix("fss_"))
        /// Returns a code that another implementation computes, for a step relative to the present one.
        func code(_ step: Int) throws -> String {
          let time = Int(Date().timeIntervalSince1970) + step * 30
          let ran = try Tool.run(oathtool, ["--totp", "--base32", "--now", "@\(time)", seed])
          return String(decoding: ran.stdout, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let confirmed = try server.asPage(
          session, "POST", "/api/factors/\(id)/confirm", #"{"code":"\#(try code(-1))"}"#)
        let recovery = try #require(try confirmed.json["recoveryCodes"] as? [String])
        #expect(confirmed.status == 200 && Set(recovery).count == 10)
        func ticket() throws -> String {
          let reply = try server.asPage(
            nil, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#)
          #expect(try reply.json["next"] as? String == "factor")
          #expect(reply.cookies.isEmpty)
          return try #require(try reply.json["ticket"] as? String)
        }
        func answer(_ ticket: String, _ code: String, _ kind: String? = "totp") throws -> TestClient.Reply {
          let form = kind.map { #""kind":"\#($0)","# } ?? ""
          return try server.asPage(
            nil, "POST", "/api/auth/factor", #"{"ticket":"\#(ticket)",\#(form)"code":"\#(code)"}"#)
        }
        let first = try ticket()
        let good = try code(0)
        #expect(try answer(first, "000000").status == 401)
        #expect(try answer(first, good).cookie("fleet-session") != nil)
        // The ticket and the code were used.
        #expect(try answer(first, try code(1)).errorCode == "expiredTicket")
        #expect(try answer(try ticket(), good).errorCode == "wrongFactor")
        let byRecovery = try answer(try ticket(), recovery[3].lowercased(), "recoveryCodes")
        #expect(byRecovery.cookie("fleet-session") != nil)
        #expect(try answer(try ticket(), recovery[3], "recoveryCodes").errorCode == "wrongFactor")
        // Without a kind, the length of the code determines it.
        #expect(try answer(try ticket(), recovery[5], nil).cookie("fleet-session") != nil)
        #expect(try answer(try ticket(), "000000", nil).errorCode == "wrongFactor")
        // After five wrong answers the password is needed again.
        let tried = try ticket()
        for _ in 0..<5 { #expect(try answer(tried, "123456").status == 401) }
        #expect(try answer(tried, recovery[4], "recoveryCodes").errorCode == "expiredTicket")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_new_password_never_skips_the_second_factor(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let ann = try await server.addPerson("ann@example.com")
      let secret = Secret(.ticket, of: "default")
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        var factor = Factor()
        factor.personID = ann.id
        factor.form = .totp
        factor.name = "Phone"
        factor.isConfirmed = true
        try transaction.insert(factor)
        try transaction.issueTicket(.recovery, secret.hash, of: ann.id, seconds: 60)
      }
      try await aside {
        let reply = try server.asPage(
          nil, "POST", "/api/auth/reset", #"{"token":"\#(secret.text)","password":"another long password"}"#)
        #expect(reply.status == 200)
        #expect(try reply.json["next"] as? String == "factor")
        #expect(reply.cookies.isEmpty)
        let again = try server.asPage(
          nil, "POST", "/api/auth/reset", #"{"token":"\#(secret.text)","password":"another long password 2"}"#)
        #expect(again.errorCode == "expiredLink")
      }
    }
  }
}
