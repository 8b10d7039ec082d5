import FleetDomain
import FleetStorageTestKit
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Inspection reports and documents, on both databases.
@Suite struct InspectionRoutesTests {
  private static func body(_ more: String = "", horn: String = "ok") -> String {
    #"{"vehicleId":"VAN-1","kind":"preTrip","odometer":100,"items":[{"item":"horn","result":"\#(horn)"},{"item":"tyres","result":"ok"}]\#(more)}"#
  }

  /// A server with two drivers who can sign in, and a mechanic.
  private static func run(
    on database: TestServer.Database,
    _ body: @escaping @Sendable (TestServer, _ dora: String, _ emil: String) throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      let people = (
        try await server.addPerson("dora@example.com", [.driver]),
        try await server.addPerson("emil@example.com", [.driver])
      )
      _ = try await server.addPerson("mech@example.com", [.maintenance])
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func driver(_ name: String, _ person: Stored<Person>) throws -> String {
          let made = try client.send(
            "POST", "/api/drivers", json: #"{"name":"\#(name)","personId":"\#(person.id.string)"}"#)
          return try #require(try made.json["id"] as? String)
        }
        try body(server, try driver("Dora", people.0), try driver("Emil", people.1))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_report_is_signed_certified_and_reviewed_by_the_next_driver(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora, emil in
      let (first, next, mechanic) = (
        try server.signIn("dora@example.com"), try server.signIn("emil@example.com"),
        try server.signIn("mech@example.com")
      )
      let client = try server.client(server.keys.admin)
      let mine = try client.send("POST", "/api/assignments", json: #"{"driverId":"\#(dora)","vehicleId":"VAN-1"}"#)
      let made = try server.asPage(first, "POST", "/api/inspections", Self.body(horn: "defect"))
      #expect(made.status == 201 && made.text.contains(dora), "\(made.text)")
      let assignment = try #require(try mine.json["id"] as? String)
      #expect(try client.send("POST", "/api/assignments/\(assignment)/end").status == 200)
      let id = try #require(try made.json["id"] as? String)
      let path = "/api/inspections/\(id)"
      func command(_ session: String, _ name: String, _ body: String? = nil) throws -> TestClient.Reply {
        try server.asPage(session, "POST", "\(path)/\(name)", body)
      }
      // Another driver does not see it before the vehicle is theirs.
      #expect(try server.asPage(next, "GET", path).status == 404)
      let assigned = try client.send(
        "POST", "/api/assignments", json: #"{"driverId":"\#(emil)","vehicleId":"VAN-1"}"#)
      #expect(assigned.status == 201)
      #expect(try server.asPage(next, "GET", path).status == 200)
      #expect(try server.asPage(next, "GET", "/api/inspections").list.count == 1)
      #expect(try command(next, "sign", #"{"signature":"Emil"}"#).status == 403)
      #expect(
        try server.asPage(next, "PATCH", path, #"{"place":"x"}"#, headers: ["If-Match": "*"]).status == 403)
      #expect(try command(first, "sign").status == 422)
      let early = try command(first, "review")
      #expect(early.status == 409 && early.text.contains(#""allowedFrom":["certified"]"#), "\(early.text)")
      let signed = try command(first, "sign", #"{"signature":"Dora Drive"}"#)
      #expect(try signed.status == 200 && signed.json["status"] as? String == "signed", "\(signed.text)")
      #expect(try signed.json["intact"] as? Bool == true)
      #expect((try signed.json["contentHash"] as? String)?.count == 64)
      let locked = try client.send("PATCH", path, json: #"{"place":"x"}"#, headers: ["If-Match": "*"])
      #expect(locked.status == 409 && locked.errorCode == "invalidState")
      #expect(try command(first, "certify", #"{"result":"repaired"}"#).status == 403)
      #expect(try command(mechanic, "certify", #"{"result":"broken"}"#).status == 422)
      #expect(
        try command(mechanic, "certify", #"{"result":"repaired","notes":"new horn"}"#).json["status"] as? String
          == "certified")
      let reviewed = try command(next, "review")
      #expect(try reviewed.json["status"] as? String == "reviewed" && reviewed.json["intact"] as? Bool == true)
      #expect(try command(next, "review").errorCode == "invalidState")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_correction_supersedes_a_signed_report(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora, _ in
      let client = try server.client(server.keys.admin)
      func add(_ more: String = "") throws -> TestClient.Reply {
        try client.send("POST", "/api/inspections", json: Self.body(#","driverId":"\#(dora)"\#(more)"#))
      }
      let first = try #require(try add().json["id"] as? String)
      #expect(try add(#","supersedes":"\#(first)""#).status == 422)
      func sign(_ id: String) throws -> TestClient.Reply {
        try client.send("POST", "/api/inspections/\(id)/sign", json: #"{"signature":"D"}"#)
      }
      #expect(try sign(first).status == 200)
      let second = try #require(try add(#","supersedes":"\#(first)""#).json["id"] as? String)
      let third = try #require(try add(#","supersedes":"\#(first)""#).json["id"] as? String)
      #expect(try sign(second).status == 200)
      #expect(try client.send("GET", "/api/inspections/\(first)").json["supersededBy"] as? String == second)
      #expect(try sign(third).errorCode == "superseded")
      #expect(try client.send("POST", "/api/inspections/\(first)/review").errorCode == "superseded")
      #expect(
        try client.send("POST", "/api/inspections/\(second)/certify", json: #"{"result":"repaired"}"#).errorCode
          == "noDefect")
      #expect(try client.send("POST", "/api/inspections/\(second)/review").status == 200)
      // Without a defect, nothing must be certified.
      let twice = try client.send(
        "POST", "/api/inspections",
        json:
          #"{"vehicleId":"VAN-1","kind":"preTrip","driverId":"\#(dora)","items":[{"item":"a","result":"ok"},{"item":"a","result":"ok"},{"item":"b","result":"bad"}]}"#
      )
      #expect(twice.status == 422 && twice.text.contains(#""path":"items.2.result""#), "\(twice.text)")
      let lists = try client.send("GET", "/api/checklists").list
      #expect(lists.map { ($0["items"] as? [Any])?.count } == [11, 7])
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func names_of_an_item_that_differ_in_case_or_spaces_are_one_item(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora, _ in
      let client = try server.client(server.keys.admin)
      func add(_ names: String...) throws -> TestClient.Reply {
        let items = names.map { #"{"item":"\#($0)","result":"defect"}"# }.joined(separator: ",")
        return try client.send(
          "POST", "/api/inspections",
          json: #"{"vehicleId":"VAN-1","driverId":"\#(dora)","kind":"preTrip","items":[\#(items)]}"#)
      }
      let twice = try add("Horn", " horn ", "horn")
      #expect(twice.status == 422 && twice.text.contains("each item once"), "\(twice.text)")
      #expect(try add("  ").status == 422)
      for name in [" horn ", "HORN"] {
        let made = try add(name)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(try made.json["id"] as? String)
        let signed = try client.send("POST", "/api/inspections/\(id)/sign", json: #"{"signature":"Dora"}"#)
        #expect(signed.status == 200, "\(signed.text)")
      }
      let defects = try client.send("GET", "/api/defects?vehicle=VAN-1").list
      #expect(defects.map { $0["item"] as? String } == ["horn"])
      #expect((defects.first?["inspectionIds"] as? [String])?.count == 2)
      // The text is that of the checklist.
      #expect(defects.first?["text"] as? String == "Horn")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func documents_belong_to_the_vehicle_or_driver_of_their_subject(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, dora, emil in
      let client = try server.client(server.keys.admin)
      func add(_ kind: String, _ id: String, _ more: String = "") throws -> TestClient.Reply {
        let category = kind == "driver" ? "licence" : "insurance"
        return try client.send(
          "POST", "/api/documents",
          json: #"{"of":{"kind":"\#(kind)","id":"\#(id)"},"kind":"\#(category)"\#(more)}"#)
      }
      let own = try add("driver", dora, #","expiresOn":"2031-05-04""#)
      #expect(try own.status == 201 && own.json["driverId"] as? String == dora, "\(own.text)")
      #expect(try add("driver", emil).status == 201)
      #expect(try add("vehicle", "VAN-1").json["vehicleId"] as? String == "VAN-1")
      let fuel = try client.send(
        "POST", "/api/fuel-entries",
        json: #"{"vehicleId":"VAN-2","driverId":"\#(dora)","at":"2026-05-04T10:00:00Z","energy":"petrol","quantity":4}"#
      )
      let receipt = try add("fuelEntry", try #require(try fuel.json["id"] as? String))
      #expect(try receipt.json["vehicleId"] as? String == "VAN-2" && receipt.json["driverId"] as? String == dora)
      for (kind, id) in [("vehicle", "NONE"), ("driver", "VAN-1"), ("expense", dora)] {
        #expect(try add(kind, id).text.contains(#""path":"of.id""#))
      }
      #expect(try add("vehicle", "VAN-1", #","issuedOn":"2026-05-04","expiresOn":"2026-05-03""#).status == 422)
      let session = try server.signIn("dora@example.com")
      #expect(try server.asPage(session, "GET", "/api/documents").list.count == 2)
      let mechanic = try server.signIn("mech@example.com")
      #expect(try server.asPage(mechanic, "GET", "/api/documents").list.count == 2)
      #expect(
        try server.asPage(
          session, "POST", "/api/documents", #"{"of":{"kind":"driver","id":"\#(emil)"},"kind":"licence"}"#
        )
        .status == 403)
    }
  }
}
