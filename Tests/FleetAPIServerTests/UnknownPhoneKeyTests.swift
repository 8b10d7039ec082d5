import FleetConnectors
import FleetDomain
import TestKit
import Testing

@testable import FleetAPI

/// A flood of unknown keys of phones, or of unknown addresses of connectors, costs few look-ups, and valid ones from the
/// same address still work.
@Suite struct UnknownPhoneKeyTests {
  private static func newPhone(_ server: TestServer, _ name: String) throws -> (id: String, key: String) {
    let admin = try server.client(server.keys.admin)
    let driver = try admin.send("POST", "/api/drivers", json: #"{"name":"\#(name)"}"#).json["id"] as? String
    let phone = try admin.send(
      "POST", "/api/phones", json: #"{"driverId":"\#(try #require(driver))","name":"\#(name)"}"#)
    let id = try #require(try phone.json["id"] as? String, "\(phone.text)")
    return (id, try #require(try admin.send("POST", "/api/phones/\(id)/rotate").json["key"] as? String))
  }

  @Test(arguments: TestServer.Database.allCases, [true, false])
  func unknown_keys_cost_at_most_the_burst_in_look_ups(
    _ database: TestServer.Database, _ isInBody: Bool
  ) async throws {
    try await TestServer.run(.test { $0.signInRate = $0.rate }, on: database) { server in
      try await runBlocking {
        let phone = try Self.newPhone(server, "Dora")
        func report(_ key: String) throws -> TestClient.Reply {
          let values = "lat=48.2&lon=16.2&id=\(key)"
          let client = try server.client(from: 9)
          return isInBody
            ? try client.send(
              "POST", "/api/phone-reports/osmand", Array(values.utf8),
              headers: ["Content-Type": "application/x-www-form-urlencoded"])
            : try client.send("GET", "/api/phone-reports/osmand?\(values)")
        }
        #expect(try report(phone.key).status == 200)
        // Each of these keys has the form of a key of this tenant, so that it can be looked up.
        let before = server.storage.views.value
        let start = ContinuousClock.now
        var statuses: [Int: Int] = [:]
        for number in 0..<400 {
          statuses[try report(String(phone.key.dropLast(4)) + String(1_000 + number)).status, default: 0] += 1
        }
        let refilled = Authenticator.strangers.perSecond * (start.duration(to: .now) / .seconds(1))
        let lookups = server.storage.views.value - before
        #expect(Double(lookups) <= Authenticator.strangers.burst + refilled + 1, "\(lookups) look-ups: \(statuses)")
        #expect(Double(lookups) >= Authenticator.strangers.burst / 2)
        #expect(statuses[429, default: 0] >= 100, "\(statuses)")
        // The phone of the same address is served, and so are phones of other addresses.
        for _ in 0..<3 { #expect(try report(phone.key).status == 200) }
        let other = try Self.newPhone(server, "Emil")
        let path = "/api/phone-reports/osmand?lat=48.2&lon=16.2&id=\(other.key)"
        let elsewhere = try server.client(from: 10)
        #expect(try elsewhere.send("GET", path).status == 200)
        // A key that was replaced is unknown from then on, although it was valid recently.
        _ = try server.client(server.keys.admin).send("POST", "/api/phones/\(phone.id)/rotate")
        #expect([400, 404, 429].contains(try report(phone.key).status))
        let again = server.storage.views.value
        for _ in 0..<100 { _ = try report(phone.key) }
        #expect(server.storage.views.value - again < 100)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func unknown_addresses_of_connectors_cost_at_most_the_burst_in_look_ups(
    _ database: TestServer.Database
  ) async throws {
    try await TestServer.run(.test { $0.signInRate = $0.rate }, on: database) { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        let made = try admin.send("POST", "/api/connectors", json: #"{"name":"S","service":"samsara"}"#)
        let id = try #require(try made.json["id"] as? String, "\(made.text)")
        func event(_ id: String) throws -> Int {
          let client = try server.client(from: 9)
          return try client.send("POST", "/api/connector-events/default/\(id)", json: "{}").status
        }
        // The event has no signature. The look-up was not refused.
        #expect(try event(id) == 401)
        let before = server.storage.views.value
        let start = ContinuousClock.now
        for number in 0..<400 { _ = try event(String(id.dropLast(4)) + String(1_000 + number)) }
        let refilled = Authenticator.strangers.perSecond * (start.duration(to: .now) / .seconds(1))
        // An admitted event is looked up for its owner, and once more to check its signature.
        let lookups = Double(server.storage.views.value - before)
        #expect(lookups <= 2 * (Authenticator.strangers.burst + refilled + 1), "\(lookups) look-ups")
        #expect(try event(id) == 401)
      }
    }
  }
}
