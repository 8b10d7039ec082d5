import FleetAccess
import FleetConnectors
import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Connectors and phones over HTTP, on both databases.
@Suite struct ConnectorRoutesTests {
  private static let keys = SecretKeys(file: SecretKeys.newLine())!

  private static var options: ServerOptions { .test { $0.accounts.use(keys) } }

  @Test(arguments: TestServer.Database.allCases)
  func secrets_are_encrypted_and_never_shown(_ database: TestServer.Database) async throws {
    try await TestServer.run(Self.options, on: database) { server in
      let id = try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "POST", "/api/connectors",
          json:
            #"{"name":"Cloud","service":"tesla","secret":"very-secret","refreshToken":"fresh-secret","clientId":"me"}"#)
        #expect(made.status == 201 && made.text.contains(#""hasSecret":true"#), "\(made.text)")
        let id = try #require(try made.json["id"] as? String)
        let listed = try client.send("GET", "/api/connectors")
        let audit = try client.send("GET", "/api/audit")
        for reply in [made, listed, audit] { #expect(!reply.text.contains("-secret"), "\(reply.text)") }
        let changed = try client.send(
          "PATCH", "/api/connectors/\(id)", json: #"{"secret":null}"#, headers: ["If-Match": "*"])
        #expect(changed.status == 200 && changed.text.contains(#""hasSecret":false"#), "\(changed.text)")
        for (body, path) in [
          (#"{"name":"x","service":"aemp"}"#, "address"), (#"{"name":"x","service":"none"}"#, "service"),
          (#"{"name":"x","service":"ford","address":"http://ford.example"}"#, "address"),
          (#"{"name":"x","service":"ford","tokenAddress":"https://localhost/token"}"#, "tokenAddress"),
          (#"{"name":"x","service":"ford","secret":5}"#, "secret"),
          (#"{"name":"x","service":"ford","period":1}"#, "period"),
        ] {
          let reply = try client.send("POST", "/api/connectors", json: body)
          #expect(reply.status == 422 && reply.text.contains(#""path":"\#(path)""#), "\(reply.text)")
        }
        return id
      }
      let parsed = UUIDv7(id.utf8.span)
      let connector = try #require(parsed)
      let progress = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.progress(of: connector)
      }
      let sealed = try #require(progress?.value.tokens)
      #expect(Self.keys.open(sealed, for: SecretPlace.tokens(connector)) == Array(#"{"refresh":"fresh-secret"}"#.utf8))
    }
  }

  /// Commands on the server's machine find a connector by its name.
  @Test(arguments: TestServer.Database.allCases)
  func no_two_connectors_have_the_same_name(_ database: TestServer.Database) async throws {
    try await TestServer.run(Self.options, on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func add(_ name: String) throws -> TestClient.Reply {
          try client.send("POST", "/api/connectors", json: #"{"name":"\#(name)","service":"ford"}"#)
        }
        let first = try add("Cloud")
        #expect(first.status == 201, "\(first.text)")
        let same = try add("Cloud")
        #expect(same.status == 409 && same.errorCode == "duplicate", "\(same.text)")
        for name in ["Cloud ", " Cloud", "Cloud\u{3000}", "My\u{A0}cloud"] { #expect(try add(name).status == 422) }
        let other = try #require(try add("My cloud").json["id"] as? String)
        func rename(_ id: String, _ name: String) throws -> Int {
          try client.send(
            "PATCH", "/api/connectors/\(id)", json: #"{"name":"\#(name)"}"#, headers: ["If-Match": "*"]
          ).status
        }
        #expect(try rename(other, "Cloud") == 409)
        #expect(try rename(try #require(try first.json["id"] as? String), "Cloud") == 200)
        #expect(try rename(other, "Your cloud") == 200)
      }
    }
  }

  /// Names that RFC 9110 (7.2, 7.6.1, 8.3 to 8.6, 10.1.1), RFC 9112 (6) and proxies use for the message and the
  /// connection, in upper and lower case; names that are no token (RFC 9110, section 5.6.2).
  @Test(
    arguments: [
      "Content-Length", "content-length", "Transfer-Encoding", "Host", "host", "Connection", "Keep-Alive",
      "Proxy-Connection", "Proxy-Authorization", "TE", "Trailer", "Upgrade", "Expect", "Content-Type",
      "Content-Encoding", "Accept-Encoding", "X-Forwarded-Host", "Forwarded", "", "X Key", "X-Key:", "X-K\u{E9}y",
      "X-Key\\r\\nInj",
    ])
  func a_key_is_sent_in_no_header_of_the_message_or_the_connection(_ name: String) async throws {
    try await TestServer.run(Self.options) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for (path, settings) in [
          ("/api/forwards", #""name":"I","format":"influx","address":"https://influx.example/w""#),
          ("/api/connectors", #""name":"C","service":"aemp","signIn":"apiKey","address":"https://aemp.example/""#),
        ] {
          let reply = try client.send("POST", path, json: "{\(settings),\"keyHeader\":\"\(name)\",\"secret\":\"28\"}")
          #expect(reply.status == 422 && reply.text.contains(#""path":"keyHeader""#), "\(path) \(name): \(reply.text)")
          #expect(try client.send("GET", path).list.isEmpty)
        }
      }
    }
  }

  @Test func the_headers_of_usual_keys_are_accepted() async throws {
    try await TestServer.run(Self.options) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for name in ["Authorization", "X-API-Key", "Api_Key2", "Ocp-Apim-Subscription-Key"] {
          let reply = try client.send(
            "POST", "/api/forwards",
            json: #"{"name":"\#(name)","format":"influx","address":"https://influx.example/w","keyHeader":"\#(name)"}"#)
          #expect(reply.status == 201, "\(name): \(reply.text)")
        }
      }
    }
  }

  /// A line break in a value would begin another header.
  @Test(arguments: [#"x\r\nInj: 1"#, #"x\ny"#, #"x\ry"#, #"x\u0000y"#, #"x\u0001"#, #"x\u007f"#, "   "])
  func a_secret_has_no_control_characters(_ secret: String) async throws {
    try await TestServer.run(Self.options) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let broker = #""name":"H","format":"homeAssistant","address":"mqtts://me@broker.example/vans""#
        for (path, key, settings) in [
          ("/api/forwards", "secret", #""name":"I","format":"influx","address":"https://influx.example/w""#),
          ("/api/forwards", "secret", broker),
          ("/api/connectors", "secret", #""name":"C","service":"samsara""#),
          ("/api/connectors", "webhookSecret", #""name":"C","service":"samsara""#),
          ("/api/connectors", "refreshToken", #""name":"C","service":"ford""#),
        ] {
          let reply = try client.send("POST", path, json: "{\(settings),\"\(key)\":\"\(secret)\"}")
          #expect(reply.status == 422 && reply.text.contains("\"path\":\"\(key)\""), "\(path) \(key): \(reply.text)")
        }
      }
    }
  }

  @Test func a_secret_needs_a_file_with_keys() async throws {
    try await TestServer.run(.test { $0.accounts = AccountSettings() }) { server in
      try await runBlocking {
        let reply = try server.client(server.keys.admin).send(
          "POST", "/api/connectors", json: #"{"name":"Cloud","service":"samsara","secret":"x"}"#)
        #expect(reply.status == 409 && reply.errorCode == "noSecretKeys", "\(reply.text)")
      }
    }
  }

  /// The longitudes of the records of VAN-2 that phones have sent.
  private static func longitudes(_ server: TestServer) throws -> [Double] {
    try server.client(server.keys.admin).send("GET", "/api/vehicles/VAN-2/telemetry").list
      .compactMap { $0["longitude"] as? Double }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_phone_reports_in_the_formats_of_all_apps(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let now = WallClock.now
      let driverID = try await server.storage.change(tenant: .standard, by: Actor(.command), at: now) {
        transaction throws(ThingError) in
        var driver = Driver()
        driver.name = "Dora"
        let driverID = try transaction.insert(driver).id
        var assignment = Assignment()
        (assignment.driver, assignment.vehicle, assignment.from) = (driverID, "VAN-2", now.adding(seconds: -7_200))
        try transaction.insert(assignment)
        var journey = Journey()
        (journey.driverID, journey.vehicle, journey.status) = (driverID, "VAN-2", .inProgress)
        journey.startTime = now.adding(seconds: -3_600)
        journey.log = [JourneyEvent(.started, id: .random(at: now), at: now.adding(seconds: -3_600))]
        try transaction.insert(journey)
        return driverID.string
      }
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "POST", "/api/phones", json: #"{"driverId":"\#(driverID)","name":"Phone","sharesPosition":true}"#)
        #expect(made.status == 201 && !made.text.contains("keyHash"), "\(made.text)")
        let path = "/api/phones/\(try #require(try made.json["id"] as? String))"
        let key = try #require(try client.send("POST", path + "/rotate").json["key"] as? String)
        #expect(key.hasPrefix("fsp_default."))
        let app = try server.client()
        let basic = "Basic " + Data("user:\(key)".utf8).base64EncodedString()
        func second(_ number: Int64) -> Int64 { now.milliseconds / 1_000 - 3_000 + number * 300 }
        func time(_ number: Int64) -> String { Timestamp(nanoseconds: second(number) * 1_000_000_000).string }
        let tracks = try app.send(
          "POST", "/api/phone-reports/owntracks",
          json: #"{"_type":"location","lat":48.2,"lon":16.1,"tst":\#(second(0)),"acc":5}"#,
          headers: ["Authorization": basic, "X-Limit-U": "user", "X-Limit-D": "phone"])
        #expect(tracks.status == 200 && tracks.text == "[]", "\(tracks.text)")
        let query = try app.send(
          "GET", "/api/phone-reports/osmand?id=\(key)&lat=48.2&lon=16.2&timestamp=\(second(1))&speed=0&cell=1&cell=2")
        #expect(query.status == 200, "\(query.text)")
        let form = try app.send(
          "POST", "/api/phone-reports/osmand", Array("id=\(key)&lat=48.2&lon=16.3&timestamp=\(second(2))".utf8),
          headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(form.status == 200, "\(form.text)")
        let traccar = try app.send(
          "POST", "/api/phone-reports/osmand",
          json:
            #"{"device_id":"\#(key)","location":{"timestamp":"\#(time(3))","coords":{"latitude":48.2,"longitude":16.4}}}"#
        )
        #expect(traccar.status == 200, "\(traccar.text)")
        let overland = try app.send(
          "POST", "/api/phone-reports/overland?key=\(key)",
          json: #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[16.5,48.2]},"#
            + #""properties":{"timestamp":"\#(time(4))"}}]}"#)
        #expect(overland.status == 200 && overland.text == #"{"result":"ok"}"#, "\(overland.text)")
        let home = try app.send(
          "POST", "/api/phone-reports/home-assistant", json: #"{"type":"update_location","data":{"gps":[48.2,16.6]}}"#,
          headers: ["Authorization": "Bearer \(key)"])
        #expect(home.status == 200, "\(home.text)")
        #expect(try Self.longitudes(server) == [16.1, 16.2, 16.3, 16.4, 16.5, 16.6])

        let empty = try app.send(
          "POST", "/api/phone-reports/owntracks", [], headers: ["Authorization": basic])
        #expect(empty.status == 200 && empty.text == "[]", "\(empty.text)")
        let malformed = try app.send(
          "POST", "/api/phone-reports/owntracks", json: "{", headers: ["Authorization": basic])
        #expect(malformed.status == 400, "\(malformed.text)")
        #expect(try app.send("GET", "/api/phone-reports/owntracks?key=\(key)").status == 404)
        #expect(try app.send("POST", "/api/phone-reports/other?key=\(key)", json: "{}").status == 404)
        #expect(try app.send("GET", "/api/phone-reports/osmand?id=wrong&lat=1&lon=1").status == 400)
        #expect(
          try app.send("POST", "/api/phone-reports/osmand", json: #"{"device_id":"wrong","location":{}}"#).status == 404
        )
        // A new key makes the old one invalid.
        _ = try client.send("POST", path + "/rotate")
        #expect(try app.send("GET", "/api/phone-reports/osmand?id=\(key)&lat=1&lon=1").status == 400)
      }
    }
  }

  @Test func only_the_driver_allows_positions_to_be_stored() async throws {
    try await TestServer.run { server in
      let dora = try await server.addPerson("dora@example.com", [.driver])
      try await server.addPerson("ann@example.com")
      try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        var driver = Driver()
        (driver.name, driver.personID) = ("Dora", dora.id)
        try transaction.insert(driver)
      }
      try await runBlocking {
        let (admin, driver) = (try server.signIn("ann@example.com"), try server.signIn("dora@example.com"))
        let made = try server.asPage(driver, "POST", "/api/phones", #"{"name":"Mine"}"#)
        #expect(made.status == 201, "\(made.text)")
        let path = "/api/phones/\(try #require(try made.json["id"] as? String))"
        func set(_ session: String, _ value: Bool) throws -> Int {
          try server.asPage(session, "PATCH", path, #"{"sharesPosition":\#(value)}"#, headers: ["If-Match": "*"]).status
        }
        #expect(try set(admin, true) == 403)
        #expect(try set(driver, true) == 200)
        #expect(try set(admin, false) == 200)
        #expect(try server.asPage(driver, "POST", path + "/rotate").status == 200)
        #expect(try server.asPage(driver, "DELETE", path).status == 204)
      }
    }
  }
}
