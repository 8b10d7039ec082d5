import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Files that are stored in several transactions, on both databases: no part of a file with an error is stored, and an
/// answer states which part was stored before the storage failed.
@Suite struct ImportPartTests {
  /// A file whose last rows conflict with its first rows.
  private struct Conflict {
    let kind: String
    let file: String
    /// The lines of the rows with errors.
    let lines: [Int]
  }

  private static func conflicts(_ client: TestClient) throws -> [Conflict] {
    func id(_ reply: TestClient.Reply) throws -> String {
      #expect(reply.status == 201, "\(reply.text)")
      return try #require(try reply.json["id"] as? String)
    }
    let person = try id(
      client.send(
        "POST", "/api/people",
        json: #"{"email":"dora@example.com","firstName":"Dora","lastName":"Lee","roles":["driver"]}"#))
    let schedule = #"{"vehicleId":"VAN-1","serviceType":"inspection","every":{"days":900}}"#
    let schedules = try (0..<10).map { _ in try id(client.send("POST", "/api/service-schedules", json: schedule)) }
    let fill = UUIDv7.random(at: WallClock.now).string
    func rows(_ count: Int, _ row: (Int) -> String) -> String { (0..<count).map { row($0) + "\n" }.joined() }
    let vin = "WVWZZZ3CZHE514839"
    return [
      Conflict(
        kind: "vehicles", file: "id,vin\nEV-0,\(vin)\n" + rows(300) { "EV-\($0 + 1)," } + "\(vin),\n", lines: [303]),
      Conflict(
        kind: "drivers",
        file: "name,personId\nDora,\(person)\n" + rows(300) { "Driver \($0)," } + "Dora Lee,\(person)\n", lines: [303]),
      // A vehicle has at most 50 schedules, and has 10 already.
      Conflict(
        kind: "service-schedules",
        file: "vehicleId,serviceType,every.days\n" + rows(43) { "VAN-1,inspection,\($0 + 800)" }, lines: [42, 43, 44]),
      // A schedule has at most one open record.
      Conflict(
        kind: "maintenance-records",
        file: "vehicleId,serviceType,scheduleId,notes\nVAN-1,inspection,\(schedules[0]),first\n"
          + rows(100) { "VAN-1,repair,,\($0)" } + "VAN-1,inspection,\(schedules[0]),second\n", lines: [103]),
      // One id for two fills of different vehicles.
      Conflict(
        kind: "fuel-entries",
        file: "id,vehicleId,at,energy,quantity\n\(fill),VAN-1,2026-05-04T10:00:00Z,diesel,41\n"
          + rows(100) { ",VAN-1,2026-05-04T11:00:00Z,diesel,\($0 + 1)" }
          + "\(fill),VAN-2,2026-05-04T12:00:00Z,diesel,41\n", lines: [103]),
    ]
  }

  @Test(arguments: TestServer.Database.allCases)
  func rows_that_conflict_with_earlier_rows_are_found_before_anything_is_stored(
    _ database: TestServer.Database
  ) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for conflict in try Self.conflicts(client) {
          func count() throws -> Int? {
            try client.send("GET", "/api/\(conflict.kind)?count=true&limit=1").json["count"] as? Int
          }
          let before = try count()
          let dry = try ImportRoutesTests.send(client, "kind=\(conflict.kind)&dryRun=true", conflict.file)
          let errors = try #require(try dry.json["errors"] as? [[String: Any]], "\(dry.text)")
          #expect(errors.map { $0["line"] as? Int } == conflict.lines, "\(conflict.kind): \(errors)")
          let reply = try ImportRoutesTests.send(client, "kind=\(conflict.kind)", conflict.file)
          #expect(reply.status == 422, "\(conflict.kind): \(reply.text)")
          #expect(try before != nil && count() == before, "\(conflict.kind)")
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_answer_states_what_is_stored_if_the_storage_fails_meanwhile(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      @Sendable func vehicles() async throws(StorageError) -> Int64 {
        do throws(ThingError) {
          return try await storage.view(tenant: .standard) { view throws(ThingError) in
            try view.count(ThingQuery<Vehicle>())
          }
        } catch {
          throw StorageError(.system, "test", "\(error)")
        }
      }
      let before = try await vehicles()
      let file = "id,name\n" + (0..<400).map { "EV-\($0),Van \($0)\n" }.joined()
      // The first transaction that stores rows succeeds.
      storage.set(.change) { () throws(StorageError) in
        guard try await vehicles() == before else { throw StorageError(.unavailable, "test", "does not answer") }
      }
      let reply = try await runBlocking {
        try ImportRoutesTests.send(try server.client(server.keys.admin), "kind=vehicles", file)
      }
      storage.set(.change, nil)
      let stored = Int(try await vehicles() - before)
      #expect((8..<400).contains(stored))
      #expect(reply.status == 503 && reply.errorCode == "storageUnavailable", "\(reply.text)")
      #expect(reply.text.contains("Of the 400 rows of the file, \(stored) are stored."), "\(reply.text)")
      let again = try await runBlocking {
        try ImportRoutesTests.send(try server.client(server.keys.admin), "kind=vehicles", file)
      }
      #expect(
        try again.json["created"] as? Int == 400 - stored && again.json["unchanged"] as? Int == stored,
        "\(again.text.prefix(300))")
      #expect(try await vehicles() == before + 400)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_answer_states_what_is_stored_if_the_tenant_becomes_full(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      func send(_ rows: Int) async throws -> TestClient.Reply {
        try await runBlocking {
          let start = try #require(Timestamp(year: 2026, month: 5, day: 4))
          let file =
            "time,lat,lon\n"
            + (0..<rows).map { "\(start.adding(seconds: $0).string),47.5,9.\(10_000 + $0)\n" }.joined()
          return try ImportRoutesTests.send(
            try server.client(server.keys.admin), "kind=tracks&vehicle=VAN-1", file)
        }
      }
      // One transaction stores 4,096 records. The size before a transaction counts.
      server.storage.limitRecords(ofTenant: 1)
      let full = try await send(5_000)
      #expect(full.status == 507 && full.errorCode == "tenantFull", "\(full.text.prefix(300))")
      #expect(full.text.contains("4096 of the 5000 records of the batch were stored before this"), "\(full.text)")
      #expect(full.text.contains("Send the file again"), "\(full.text)")
      // Nothing of the next file is stored, so the answer states no number.
      let none = try await send(10)
      #expect(none.status == 507 && !none.text.contains("were stored before this"), "\(none.text)")
      server.storage.limitRecords(ofTenant: nil)
      let again = try await send(5_000)
      #expect(
        try again.json["created"] as? Int == 904 && again.json["unchanged"] as? Int == 4_096,
        "\(again.text.prefix(300))")
    }
  }
}
