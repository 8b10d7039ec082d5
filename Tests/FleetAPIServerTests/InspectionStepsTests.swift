import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Inspection reports with many failed items: their defects change in several transactions, because all other tenants
/// wait for each of them.
@Suite struct InspectionStepsTests {
  /// The defects that one transaction changes.
  private static let together = 16

  private struct Yard: Sendable {
    let server: TestServer
    let dora: String

    /// Returns the items of a report: `count` items of which some have failed.
    static func items(_ count: Int, failed: Range<Int>) -> String {
      let items = (0..<count).map { #"{"item":"part \#($0)","result":"\#(failed.contains($0) ? "defect" : "ok")"}"# }
      return "[\(items.joined(separator: ","))]"
    }

    func add(_ items: String, _ more: String = "") throws -> String {
      let made = try server.client(server.keys.admin).send(
        "POST", "/api/inspections",
        json: #"{"vehicleId":"VAN-1","kind":"preTrip","driverId":"\#(dora)","items":\#(items)\#(more)}"#)
      return try #require(try made.json["id"] as? String, "\(made.text)")
    }

    func command(_ id: String, _ name: String, _ body: String) throws -> TestClient.Reply {
      try server.client(server.keys.admin).send("POST", "/api/inspections/\(id)/\(name)", json: body)
    }

    func sign(_ id: String) throws -> TestClient.Reply { try command(id, "sign", #"{"signature":"Dora"}"#) }

    func report(_ id: String) throws -> [String: Any] {
      try server.client(server.keys.admin).send("GET", "/api/inspections/\(id)").json
    }

    func defects(_ filter: String = "") throws -> [[String: Any]] {
      try server.client(server.keys.admin).send("GET", "/api/defects?vehicle=VAN-1&limit=500\(filter)").list
    }

    /// Returns the number of defects in one of these states.
    func count(_ statuses: [Defect.Status]) async throws(StorageError) -> Int {
      do throws(ThingError) {
        return try await server.storage.view(tenant: .standard) { view throws(ThingError) in
          Int(try view.count(ThingQuery<Defect>(.oneOf(key: "status", statuses.map(\.json)))))
        }
      } catch {
        throw StorageError(.system, "test", "\(error)")
      }
    }

    /// Executes a command, whose second transaction fails.
    ///
    /// - Parameter statuses: the states of the defects of which the first transaction adds some.
    func interrupted(
      byDefects statuses: [Defect.Status], _ command: @escaping @Sendable () throws -> TestClient.Reply
    ) async throws {
      let before = try await count(statuses)
      server.storage.set(.change) { () throws(StorageError) in
        guard try await count(statuses) == before else {
          throw StorageError(.unavailable, "test", "does not answer")
        }
      }
      let reply = try await runBlocking { try command() }
      server.storage.set(.change, nil)
      #expect(reply.status == 503, "\(reply.text)")
    }
  }

  private static func run(
    on database: TestServer.Database, _ body: @escaping @Sendable (Yard) async throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      let person = try await server.addPerson("dora@example.com", [.driver])
      _ = try await server.addPerson("emil@example.com", [.driver])
      let dora = try await runBlocking {
        let made = try server.client(server.keys.admin).send(
          "POST", "/api/drivers", json: #"{"name":"Dora","personId":"\#(person.id.string)"}"#)
        return try #require(try made.json["id"] as? String)
      }
      try await body(Yard(server: server, dora: dora))
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_interrupted_signature_can_be_repeated(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { yard in
      let id = try await runBlocking { try yard.add(Yard.items(60, failed: 0..<50)) }
      try await yard.interrupted(byDefects: [.open]) { try yard.sign(id) }
      #expect(try await yard.count([.open]) == Self.together)
      try await runBlocking {
        #expect(try yard.report(id)["status"] as? String == "draft")
        // A person closes a defect before the request is repeated. It stays closed.
        let early = try #require(try yard.defects().first?["id"] as? String)
        let client = try yard.server.client(yard.server.keys.admin)
        #expect(
          try client.send("POST", "/api/defects/\(early)/dismiss", json: #"{"reason":"no defect"}"#).status == 200)
        let signed = try yard.sign(id)
        #expect(try signed.status == 200 && signed.json["status"] as? String == "signed", "\(signed.text)")
        #expect(try signed.json["intact"] as? Bool == true && signed.json["hasDefects"] as? Bool == true)
        let defects = try yard.defects()
        #expect(Set(defects.compactMap { $0["item"] as? String }) == Set((0..<50).map { "part \($0)" }))
        #expect(defects.count == 50 && defects.allSatisfy { $0["inspectionIds"] as? [String] == [id] })
        #expect(try yard.defects("&status=open").count == 49)
        #expect(try yard.defects("&status=dismissed").map { $0["id"] as? String } == [early])
        #expect(try yard.sign(id).errorCode == "invalidState")
        #expect(try yard.defects().count == 50)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_draft_can_change_after_an_interrupted_signature(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { yard in
      let id = try await runBlocking { try yard.add(Yard.items(20, failed: 0..<20)) }
      try await yard.interrupted(byDefects: [.open]) { try yard.sign(id) }
      try await runBlocking {
        let client = try yard.server.client(yard.server.keys.admin)
        func change(failed: Range<Int>) throws {
          let changed = try client.send(
            "PATCH", "/api/inspections/\(id)", json: #"{"items":\#(Yard.items(20, failed: failed))}"#,
            headers: ["If-Match": "*"])
          #expect(changed.status == 200, "\(changed.text)")
        }
        // Three of the 16 items that have a defect already are no longer failed.
        try change(failed: 3..<20)
      }
      // The dismissal of the three defects, and the last four new ones, are one transaction.
      let signed = try await runBlocking { try yard.sign(id) }
      #expect(signed.status == 200, "\(signed.text)")
      try await runBlocking {
        #expect(
          Set(try yard.defects("&status=open").compactMap { $0["item"] as? String })
            == Set((3..<20).map { "part \($0)" }))
        let dismissed = try yard.defects("&status=dismissed")
        #expect(Set(dismissed.compactMap { $0["item"] as? String }) == ["part 0", "part 1", "part 2"])
        #expect(
          dismissed.allSatisfy { $0["dismissReason"] as? String == "the report was changed before it was signed" })
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_correction_dismisses_many_defects(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { yard in
      let first = try await runBlocking {
        let first = try yard.add(Yard.items(40, failed: 0..<40))
        #expect(try yard.sign(first).status == 200)
        return first
      }
      #expect(try await yard.count([.open]) == 40)
      let second = try await runBlocking {
        try yard.add(Yard.items(40, failed: 0..<5), #","supersedes":"\#(first)""#)
      }
      try await yard.interrupted(byDefects: [.dismissed]) { try yard.sign(second) }
      // Five defects got the new report, and the rest of the 16 were dismissed.
      #expect(try await yard.count([.dismissed]) == Self.together - 5)
      try await runBlocking {
        #expect(try yard.report(first)["supersededBy"] == nil)
        let signed = try yard.sign(second)
        #expect(signed.status == 200, "\(signed.text)")
        #expect(try yard.report(first)["supersededBy"] as? String == second)
        let open = try yard.defects("&status=open")
        #expect(Set(open.compactMap { $0["item"] as? String }) == Set((0..<5).map { "part \($0)" }))
        #expect(open.allSatisfy { $0["inspectionIds"] as? [String] == [second] })
        let dismissed = try yard.defects("&status=dismissed")
        #expect(dismissed.count == 35)
        #expect(dismissed.allSatisfy { $0["dismissReason"] as? String == "the report was corrected by \(second)" })
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func many_defects_are_certified(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { yard in
      let id = try await runBlocking {
        let id = try yard.add(Yard.items(40, failed: 0..<40))
        #expect(try yard.sign(id).status == 200)
        return id
      }
      let body = #"{"result":"repaired"}"#
      try await yard.interrupted(byDefects: [.repaired]) { try yard.command(id, "certify", body) }
      #expect(try await yard.count([.repaired]) == Self.together)
      try await runBlocking {
        #expect(try yard.report(id)["status"] as? String == "signed")
        let certified = try yard.command(id, "certify", body)
        #expect(try certified.status == 200 && certified.json["status"] as? String == "certified", "\(certified.text)")
        #expect(try yard.command(id, "certify", body).errorCode == "invalidState")
      }
      #expect(try await yard.count([.repaired]) == 40)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_refused_signature_opens_no_defect(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { yard in
      try await runBlocking {
        let server = yard.server
        let id = try yard.add(Yard.items(20, failed: 0..<20))
        let emil = try server.client(server.keys.admin).send(
          "POST", "/api/drivers",
          json: #"{"name":"Emil","personId":"\#(try Self.person("emil@example.com", server))"}"#)
        let other = try #require(try emil.json["id"] as? String, "\(emil.text)")
        #expect(
          try server.client(server.keys.admin).send(
            "POST", "/api/assignments", json: #"{"driverId":"\#(other)","vehicleId":"VAN-1"}"#
          ).status == 201)
        let session = try server.signIn("emil@example.com")
        let path = "/api/inspections/\(id)/sign"
        #expect(try server.asPage(session, "POST", path, #"{"signature":"Emil"}"#).status == 403)
        #expect(try yard.command(id, "sign", "{}").status == 422)
        #expect(try yard.defects().isEmpty)
      }
    }
  }

  private static func person(_ email: String, _ server: TestServer) throws -> String {
    let people = try server.client(server.keys.admin).send("GET", "/api/people").list
    return try #require(people.first { $0["email"] as? String == email }?["id"] as? String)
  }

  /// Each use of a photo is a row that the transaction of the request adds.
  @Test func a_report_has_a_limited_number_of_photos() async throws {
    try await Self.run(on: .sqlite) { yard in
      try await runBlocking {
        let photos = (0..<20).map { _ in "\"\(UUIDv7.random(at: WallClock.now).string)\"" }.joined(separator: ",")
        let items = (0..<11).map { #"{"item":"part \#($0)","result":"ok","photos":[\#(photos)]}"# }
        func add(_ count: Int) throws -> TestClient.Reply {
          try yard.server.client(yard.server.keys.admin).send(
            "POST", "/api/inspections",
            json:
              #"{"vehicleId":"VAN-1","kind":"preTrip","driverId":"\#(yard.dora)","items":[\#(items.prefix(count).joined(separator: ","))]}"#
          )
        }
        let refused = try add(11)
        #expect(refused.status == 422 && refused.text.contains("200 photos of all items together"), "\(refused.text)")
        // Ten items have 200 photos. The limit allows them, but the files do not exist.
        let unknown = try add(10)
        #expect(unknown.status == 422 && !unknown.text.contains("of all items together"), "\(unknown.text)")
      }
    }
  }
}
