import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Meter readings that journeys, fuel entries, inspections and maintenance records state, and the defects that
/// inspections find, on both databases.
@Suite struct MeterSourceTests {
  private struct Depot {
    let client: TestClient
    let driver: String

    func at(_ hours: Int) -> String {
      Timestamp(nanoseconds: WallClock.now.nanoseconds - Int64(hours) * 3_600_000_000_000).string
    }

    func made(_ path: String, _ body: String) throws -> String {
      let reply = try client.send("POST", "/api/\(path)", json: body)
      #expect(reply.status == 201, "\(path): \(reply.text)")
      return try #require(try reply.json["id"] as? String)
    }

    func change(_ path: String, _ body: String) throws {
      let reply = try client.send("PATCH", "/api/\(path)", json: body, headers: ["If-Match": "*"])
      #expect(reply.status == 200, "\(path): \(reply.text)")
    }

    func command(_ path: String, _ body: String = "{}") throws {
      let reply = try client.send("POST", "/api/\(path)", json: body)
      #expect(reply.status == 200, "\(path): \(reply.text)")
    }

    /// The readings of the vehicle: source and value, oldest first.
    func readings() throws -> [String] {
      try client.send("GET", "/api/meter-readings?vehicle=VAN-1&sort=at").list.map {
        "\($0["source"] as? String ?? "") \(Int($0["odometer"] as? Double ?? 0))"
          + (($0["flag"] as? String).map { " \($0)" } ?? "")
      }
    }

    func odometer() throws -> Double? { try client.send("GET", "/api/vehicles/VAN-1").json["odometer"] as? Double }

    func report(_ hours: Int, _ items: String, _ more: String = "") throws -> String {
      let id = try made(
        "inspections",
        #"{"vehicleId":"VAN-1","driverId":"\#(driver)","kind":"preTrip","at":"\#(at(hours))","items":[\#(items)]\#(more)}"#
      )
      try command("inspections/\(id)/sign", #"{"signature":"Dora"}"#)
      return id
    }

    func defects() throws -> [[String: Any]] {
      // Defects of one report have the same time.
      func place(_ defect: [String: Any]) -> String { "\(defect["createdAt"] ?? "") \(defect["text"] ?? "")" }
      return try client.send("GET", "/api/defects?vehicle=VAN-1").list.sorted { place($0) < place($1) }
    }

    func statuses() throws -> [String] { try defects().compactMap { $0["status"] as? String } }
  }

  private static func run(
    on database: TestServer.Database, _ body: @escaping @Sendable (Depot) throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#)
        try body(Depot(client: client, driver: try #require(try made.json["id"] as? String)))
      }
    }
  }

  private static let fine = #"{"item":"horn","result":"ok"}"#
  private static let silent = #"{"item":"horn","result":"defect","note":"silent"}"#

  @Test(arguments: TestServer.Database.allCases)
  func a_thing_states_each_reading_once_and_corrects_it(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { depot in
      let journey = try depot.made(
        "journeys",
        #"{"vehicleId":"VAN-1","driverId":"\#(depot.driver)","purpose":"business","startTime":"\#(depot.at(30))","endTime":"\#(depot.at(28))","startOdometer":10000,"endOdometer":10080}"#
      )
      let fuel = try depot.made(
        "fuel-entries",
        #"{"vehicleId":"VAN-1","at":"\#(depot.at(26))","energy":"diesel","quantity":40,"full":true,"odometer":10100}"#)
      // A draft states nothing yet.
      _ = try depot.made(
        "inspections",
        #"{"vehicleId":"VAN-1","driverId":"\#(depot.driver)","kind":"preTrip","odometer":99999,"items":[\#(Self.fine)]}"#
      )
      let report = try depot.report(20, Self.fine, #","odometer":10150"#)
      let record = try depot.made(
        "maintenance-records",
        #"{"vehicleId":"VAN-1","serviceType":"repair","completedDate":"\#(CalendarDate(utc: WallClock.now).text)","odometer":10200,"engineHours":900}"#
      )
      var expected = ["journey 10000", "journey 10080", "fuel 10100", "inspection 10150", "service 10200", "service 0"]
      #expect(try depot.readings().sorted() == expected.sorted())
      #expect(try depot.odometer() == 10_200)

      // Other changes add no reading, and corrections replace it.
      try depot.change("fuel-entries/\(fuel)", #"{"notes":"at the depot"}"#)
      try depot.change("maintenance-records/\(record)", #"{"notes":"done"}"#)
      #expect(try depot.readings().sorted() == expected.sorted())
      try depot.change("fuel-entries/\(fuel)", #"{"odometer":10110}"#)
      try depot.change("journeys/\(journey)", #"{"endOdometer":10090}"#)
      try depot.change("maintenance-records/\(record)", #"{"odometer":10220}"#)
      let correct = try depot.report(19, Self.fine, #","odometer":10140,"supersedes":"\#(report)""#)
      expected = [
        "journey 10000", "journey 10090", "fuel 10110", "inspection 10140 outOfOrder", "service 10220", "service 0",
      ]
      #expect(try depot.readings().sorted() == expected.sorted())
      #expect(try depot.odometer() == 10_220)
      let origins = try depot.client.send("GET", "/api/meter-readings?origin=\(correct)").list
      #expect(origins.count == 1)

      // A reading that is not stated any more is removed.
      try depot.change("maintenance-records/\(record)", #"{"odometer":null,"engineHours":null}"#)
      #expect(try depot.odometer() == 10_140)
      try depot.change("fuel-entries/\(fuel)", #"{"odometer":null}"#)
      #expect(try depot.readings() == ["journey 10000", "journey 10090", "inspection 10140"])
      try depot.change("fuel-entries/\(fuel)", #"{"odometer":10110}"#)
      #expect(try depot.readings().count == 4)

      // A reading that a person made void stays void, until another one is stated.
      let stated = try #require(try depot.client.send("GET", "/api/meter-readings?origin=\(correct)").list.first)
      let id = try #require(stated["id"] as? String)
      try depot.change("meter-readings/\(id)", #"{"void":true}"#)
      #expect(try depot.odometer() == 10_110)
      try depot.command("inspections/\(correct)/review")
      #expect(try depot.odometer() == 10_110)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_reading_is_checked_against_those_before_it(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { depot in
      func fuel(_ hours: Int, _ odometer: Int) throws -> String {
        try depot.made(
          "fuel-entries",
          #"{"vehicleId":"VAN-1","at":"\#(depot.at(hours))","energy":"diesel","quantity":40,"odometer":\#(odometer)}"#)
      }
      _ = try fuel(100, 10_000)
      let wrong = try fuel(80, 60_000)
      _ = try fuel(60, 10_300)
      _ = try fuel(70, 10_250)
      #expect(
        try depot.readings() == ["fuel 10000", "fuel 60000 tooFast", "fuel 10250 outOfOrder", "fuel 10300"])
      #expect(try depot.odometer() == 10_300)
      // A correction decides about all later ones again.
      try depot.change("fuel-entries/\(wrong)", #"{"odometer":10200}"#)
      #expect(
        try depot.readings() == ["fuel 10000", "fuel 10200", "fuel 10250 outOfOrder", "fuel 10300"])
      // The entry belongs to another vehicle.
      try depot.change("fuel-entries/\(wrong)", #"{"vehicleId":"VAN-2"}"#)
      #expect(try depot.readings().count == 3)
      #expect(try depot.client.send("GET", "/api/vehicles/VAN-2").json["odometer"] as? Double == 10_200)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_failed_item_opens_or_joins_a_defect_and_the_certified_repair_closes_it(
    _ database: TestServer.Database
  ) async throws {
    try await Self.run(on: database) { depot in
      let first = try depot.report(10, Self.silent + #",{"item":"tyres","result":"defect"}"#)
      var defects = try depot.defects()
      #expect(defects.count == 2)
      #expect(defects[0]["text"] as? String == "Horn: silent" && defects[0]["source"] as? String == "inspection")
      #expect(defects[0]["driverId"] as? String == depot.driver)
      let second = try depot.report(9, Self.silent)
      defects = try depot.defects()
      #expect(defects.count == 2)
      #expect(defects[0]["inspectionIds"] as? [String] == [first, second])
      // 49 CFR 396.11 before 396.13: the next driver reviews the report only after the certification.
      #expect(try depot.client.send("POST", "/api/inspections/\(first)/review").status == 409)
      try depot.command("inspections/\(first)/certify", #"{"result":"repaired"}"#)
      try depot.command("inspections/\(first)/review")
      #expect(try depot.statuses() == ["repaired", "repaired"])
      // The horn fails again: this is another defect, which needs no repair.
      let third = try depot.report(8, Self.silent)
      #expect(try depot.statuses() == ["repaired", "repaired", "open"])
      try depot.command("inspections/\(third)/certify", #"{"result":"repairUnnecessary","notes":"a fuse"}"#)
      defects = try depot.defects()
      #expect(defects[2]["status"] as? String == "dismissed" && defects[2]["dismissReason"] as? String == "a fuse")
      // A corrected report finds nothing.
      let wrong = try depot.report(7, Self.silent)
      _ = try depot.report(6, Self.fine, #","supersedes":"\#(wrong)""#)
      #expect(try depot.statuses() == ["repaired", "repaired", "dismissed", "dismissed"])
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_fill_is_compared_with_the_level_of_the_tank(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { depot in
      let fill = try depot.made(
        "fuel-entries",
        #"{"vehicleId":"VAN-1","at":"2026-01-01T01:00:00Z","energy":"diesel","quantity":30,"full":true}"#)
      func check() throws -> [String: Any] {
        let reply = try depot.client.send("GET", "/api/fuel-entries/\(fill)/check")
        #expect(reply.status == 200, "\(reply.text)")
        return try reply.json
      }
      #expect(try check()["tankRise"] as? String == "noData")
      try depot.change("vehicles/VAN-1", #"{"tankCapacity":60}"#)
      #expect(try check()["tankRise"] as? String == "noData")
      let records = (0..<40).map { number in
        SampleRecord(number + 1, second: 2_400 + number * 60, rest: #""fuelLevel":\#(number < 20 ? 20 : 70)"#)
      }
      #expect(try depot.client.send("POST", "/api/telemetry", records.lines).status == 200)
      let found = try check()
      #expect(found["tankRise"] as? String == "agrees" && found["risenLitres"] as? Double == 30)
      #expect(found["levels"] as? Int == 40)
      try depot.change("fuel-entries/\(fill)", #"{"quantity":55}"#)
      #expect(try check()["tankRise"] as? String == "less")
      try depot.change("fuel-entries/\(fill)", #"{"at":"2026-01-02T01:00:00Z"}"#)
      #expect(try check()["tankRise"] as? String == "noData")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_tenant_has_checklists_of_its_own(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { depot in
      func names() throws -> [String] {
        try depot.client.send("GET", "/api/checklists").list.map {
          "\($0["name"] ?? "") \(($0["items"] as? [Any])?.count ?? 0)"
        }
      }
      #expect(try names() == ["commercialVehicle 11", "car 7"])
      let body = #"{"name":"car","text":"Ours","vehicleTypes":["car"],"items":[{"item":"tyres","text":"Tyres"}]}"#
      let id = try depot.made("checklists", body)
      #expect(try names() == ["commercialVehicle 11", "car 1"])
      #expect(try depot.client.send("POST", "/api/checklists", json: body).status == 409)
      try depot.change("checklists/\(id)", #"{"items":[{"item":"a","text":"A"},{"item":"b","text":"B"}]}"#)
      #expect(try names() == ["commercialVehicle 11", "car 2"])
      try depot.change("checklists/\(id)", #"{"isActive":false}"#)
      #expect(try names() == ["commercialVehicle 11"])
      let twice = #"{"name":"x","text":"X","items":[{"item":"a","text":"A"},{"item":"a","text":"B"}]}"#
      #expect(try depot.client.send("POST", "/api/checklists", json: twice).status == 422)
    }
  }
}
