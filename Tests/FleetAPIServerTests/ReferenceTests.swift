import FleetAccess
import FleetConnectors
import FleetDomain
import FleetFigures
import FleetStorageTestKit
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// References to other things: a caller refers only to things of the own scope; on both databases.
@Suite struct ReferenceTests {
  private static let any = ["If-Match": "*"]

  /// The declared references of a type, as paths of members in its JSON.
  private static func declared<Value: Described>(_ type: Value.Type) -> Set<String> {
    Set(type.fields.filter { $0.reference != nil && $0.access != .server }.map(\.key))
  }

  /// Every kind and command that clients send with ids of other things.
  private static let known: [String: Set<String>] = [
    "Vehicle": declared(Vehicle.self), "Driver": declared(Driver.self), "Assignment": declared(Assignment.self),
    "Expense": declared(Expense.self), "FuelEntry": declared(FuelEntry.self), "Journey": declared(Journey.self),
    "Inspection": declared(Inspection.self), "Document": declared(Document.self),
    "Rule": declared(NotificationRule.self), "MeterReading": declared(MeterReading.self),
    "ServiceSchedule": declared(ServiceSchedule.self), "MaintenanceRecord": declared(MaintenanceRecord.self),
    "Defect": declared(Defect.self), "Webhook": declared(Webhook.self), "Phone": declared(Phone.self),
    "Report": declared(Report.self), "MaintenanceCompletion": declared(MaintenanceCompletion.self),
    "ServiceSnooze": declared(ServiceSnooze.self),
  ]

  /// Members with ids that refer to no other thing, or that another rule checks.
  private static let others: Set<String> = [
    // Records, whose gateway's rights are checked. The id of a command is chosen by the client.
    "RecordBatch.id", "RecordBatch.epoch", "RecordBatch.vehicleId", "JourneyCommand.id", "MaintenanceCompletion.id",
    // The fleet's own list, which `FleetGroupRoutes` checks, and scopes, which must be inside of the caller's scope.
    "Fleet.vehicleIds", "Person.scope", "Token.scope",
  ]

  /// A new kind with a reference that is not declared, and therefore not checked, fails here.
  @Test func every_id_that_clients_send_is_a_declared_reference() throws {
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.schemas)) as? [String: Any])
    var count = 0
    for (name, schema) in document where !name.hasSuffix("List") {
      var base = name
      for prefix in ["New"] where base.hasPrefix(prefix) { base = String(base.dropFirst(prefix.count)) }
      for suffix in ["Change", "Details"] where base.hasSuffix(suffix) { base = String(base.dropLast(suffix.count)) }
      // Only bodies of requests: what creates and changes things, and commands.
      guard base != name || Self.known[name] != nil && document["New\(name)"] == nil || name == "JourneyCommand" else {
        continue
      }
      let members = (schema as? [String: Any])?["properties"] as? [String: Any] ?? [:]
      for (key, member) in members where Self.hasIDs(member) || key == "vehicleId" {
        count += 1
        let isKnown = Self.known[base]?.contains(key) ?? false
        #expect(isKnown || Self.others.contains("\(base).\(key)"), "\(name).\(key) is not a declared reference")
      }
    }
    #expect(count > 40)
  }

  private static func hasIDs(_ schema: Any) -> Bool {
    if let list = schema as? [Any] { return list.contains(where: hasIDs) }
    guard let members = schema as? [String: Any] else { return false }
    return members["format"] as? String == "uuid" || members.values.contains(where: hasIDs)
  }

  /// The answer is the same for a thing outside of the scope as for one that does not exist.
  @Test(arguments: TestServer.Database.allCases)
  func a_caller_refers_only_to_things_of_the_scope(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      let north = try UUIDv7.parsed(fleets.north)
      try await server.addPerson("mech@example.com", [.maintenance], scope: .fleets([north]))
      try await runBlocking {
        let everywhere = try server.client(server.keys.admin)
        func make(_ path: String, _ body: String) throws -> String {
          let reply = try everywhere.send("POST", "/api/\(path)", json: body)
          return try #require(try reply.json["id"] as? String, "\(reply.text)")
        }
        let own = try make("drivers", #"{"name":"Ann","fleetId":"\#(fleets.north)"}"#)
        let foreign = try make("drivers", #"{"name":"Bob","fleetId":"\#(fleets.south)"}"#)
        let document = try make("documents", #"{"of":{"kind":"vehicle","id":"VAN-2"},"kind":"receipt"}"#)
        let visible = try make("documents", #"{"of":{"kind":"vehicle","id":"VAN-1"},"kind":"receipt"}"#)
        let elsewhere = try server.client(server.keys.foreignAdmin).send(
          "POST", "/api/documents", json: #"{"of":{"kind":"vehicle","id":"VAN-1"},"kind":"receipt"}"#)
        let otherTenant = try #require(try elsewhere.json["id"] as? String, "\(elsewhere.text)")
        let unknown = UUIDv7.random(at: WallClock.now).string
        let toll = #""at":"2026-05-04T10:00:00Z","category":"fine","amount":{"amount":"1","currency":"EUR"}"#
        let expense = try make("expenses", #"{"vehicleId":"VAN-1",\#(toll)}"#)
        let start = TextOf.time(WallClock.now.adding(seconds: -60))
        let bodies = [
          ("north", "POST", "/api/journeys", #"{"vehicleId":"VAN-1","driverId":"$D","startTime":"\#(start)"}"#),
          ("north", "POST", "/api/expenses", #"{"vehicleId":"VAN-1","driverId":"$D",\#(toll)}"#),
          ("north", "PATCH", "/api/expenses/\(expense)", #"{"driverId":"$D"}"#),
          (
            "north", "POST", "/api/fuel-entries",
            #"{"vehicleId":"VAN-1","driverId":"$D","at":"\#(start)","energy":"diesel","quantity":1}"#
          ),
          ("north", "POST", "/api/defects", #"{"vehicleId":"VAN-1","driverId":"$D","text":"no horn"}"#),
          ("north", "POST", "/api/phones", #"{"driverId":"$D","name":"P"}"#),
          ("north", "POST", "/api/assignments", #"{"vehicleId":"VAN-1","driverId":"$D"}"#),
          (
            "mech", "POST", "/api/inspections",
            #"{"vehicleId":"VAN-1","driverId":"$D","kind":"preTrip","items":[{"item":"horn","result":"ok"}]}"#
          ),
        ]
        for (name, method, path, body) in bodies {
          let session = try server.signIn("\(name)@example.com")
          func send(_ driver: String) throws -> TestClient.Reply {
            try server.asPage(session, method, path, body.replacing("$D", with: driver), headers: Self.any)
          }
          let (refused, missing) = (try send(foreign), try send(unknown))
          #expect(refused.status == 403 && refused.text == missing.text, "\(path): \(refused.text) \(missing.text)")
          let allowed = try send(own)
          #expect([200, 201].contains(allowed.status), "\(path): \(allowed.text)")
        }
        // The foreign driver is on no journey because of that.
        let journey = try everywhere.send(
          "POST", "/api/journeys", json: #"{"vehicleId":"VAN-2","driverId":"\#(foreign)","startTime":"\#(start)"}"#)
        #expect(journey.status == 201, "\(journey.text)")
        let admin = try server.signIn("north@example.com")
        for (id, status) in [(document, 422), (otherTenant, 422), (unknown, 422), (visible, 201)] {
          let reply = try server.asPage(
            admin, "POST", "/api/expenses", #"{"vehicleId":"VAN-1","documentId":"\#(id)",\#(toll)}"#)
          #expect(reply.status == status, "\(reply.text)")
        }
        #expect(
          try everywhere.send("POST", "/api/expenses", json: #"{"documentId":"\#(otherTenant)",\#(toll)}"#).status
            == 422)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func errors_describe_nothing_outside_of_the_scope(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      try await runBlocking {
        let everywhere = try server.client(server.keys.admin)
        let made = try everywhere.send("POST", "/api/drivers", json: #"{"name":"Ann","fleetId":"\#(fleets.north)"}"#)
        let driver = try #require(try made.json["id"] as? String)
        // The driver drives a vehicle of another fleet.
        let start = TextOf.time(WallClock.now.adding(seconds: -60))
        let journey = try everywhere.send(
          "POST", "/api/journeys", json: #"{"vehicleId":"VAN-2","driverId":"\#(driver)","startTime":"\#(start)"}"#)
        let assignment = try everywhere.send(
          "POST", "/api/assignments",
          json: #"{"vehicleId":"VAN-2","driverId":"\#(driver)","from":"2020-02-03T04:05:06Z"}"#)
        let secrets = [
          try #require(try journey.json["id"] as? String), try #require(try assignment.json["id"] as? String),
          "2020-02-03", "South",
        ]
        let admin = try server.signIn("north@example.com")
        for (method, path, body, status) in [
          ("POST", "/api/assignments", #"{"vehicleId":"VAN-1","driverId":"\#(driver)"}"#, 409),
          ("POST", "/api/journeys", #"{"vehicleId":"VAN-1","driverId":"\#(driver)","startTime":"\#(start)"}"#, 409),
          ("PATCH", "/api/fleets/\(fleets.north)", #"{"vehicleIds":["VAN-1","VAN-2"]}"#, 403),
          ("PATCH", "/api/fleets/\(fleets.north)", #"{"vehicleIds":["VAN-1","NOPE"]}"#, 403),
        ] {
          let reply = try server.asPage(admin, method, path, body, headers: Self.any)
          #expect(reply.status == status, "\(path): \(reply.text)")
          for secret in secrets { #expect(!reply.text.contains(secret), "\(path): \(reply.text)") }
        }
        // A caller of the whole tenant reads which one it is.
        let full = try everywhere.send(
          "POST", "/api/assignments", json: #"{"vehicleId":"VAN-1","driverId":"\#(driver)"}"#)
        #expect(
          full.status == 409 && full.text.contains(secrets[1]) && full.text.contains("2020-02-03"), "\(full.text)")
      }
    }
  }
}
