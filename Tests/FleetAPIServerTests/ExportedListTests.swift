import FleetDomain
import FleetFigures
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Lists that were exported as files and are imported again, on both databases.
@Suite struct ExportedListTests {
  private static let eur = #"{"amount":"12.50","currency":"EUR"}"#

  /// Adds one thing of each kind that can be imported, with all fields that clients can set.
  private static func fill(_ client: TestClient, fleet: String, person: String) throws {
    @discardableResult func make(_ path: String, _ body: String) throws -> String {
      let reply = try client.send("POST", "/api/\(path)", json: body)
      try #require(reply.status == 201, "\(path): \(reply.text)")
      return try #require(try reply.json["id"] as? String)
    }
    let file = try FileRoutesTests.upload(client, Array("receipt".utf8))
    let files = #""fileIds":["\#(file)"]"#
    let driver = try make(
      "drivers",
      #"{"name":"Dora","personId":"\#(person)","fleetId":"\#(fleet)","phone":"+43 1 234","licenceNumber":"=77","licenceClasses":["B","CE"],"licenceExpiry":"2031-05-04","status":"offDuty"}"#
    )
    let vehicle = try client.send(
      "PATCH", "/api/vehicles/VAN-1",
      json: """
        {"name":"Blue van","make":"Ford","model":"Transit","modelYear":2021,"licencePlate":"W-12345A","type":"van",\
        "fuelType":"diesel","batteryCapacity":1.5,"capacity":3,"engineSize":1.996,"transmission":"manual",\
        "notes":"first line\\nsecond; -line","acquiredOn":"2021-03-01","acquisitionCost":\(eur),"residualValue":\(eur),\
        "disposedOn":"2031-03-01","plannedDisposalOn":"2030-03-01",\
        "entered":{"tankCapacity":{"value":15,"unit":"usGallon"},"payload":{"value":2000,"unit":"lb"}}}
        """, headers: ["If-Match": "*"])
    try #require(vehicle.status == 200, "\(vehicle.text)")
    let entered = #""entered":{"odometer":{"value":46300,"unit":"mi"}}"#
    let document = try make("documents", #"{"of":{"kind":"vehicle","id":"VAN-1"},"kind":"receipt"}"#)
    try make(
      "fuel-entries",
      """
      {"vehicleId":"VAN-1","driverId":"\(driver)","at":"2026-05-10T10:00:00.250Z","energy":"diesel","quantity":10.125,\
      "unit":"usGallon","price":{"amount":"1.659","currency":"EUR"},"total":\(eur),"full":true,"missedPrevious":true,\
      "void":true,"place":"A1, exit 7","notes":"12,50","documentId":"\(document)",\(files),\(entered)}
      """)
    try make(
      "expenses",
      """
      {"vehicleId":"VAN-1","driverId":"\(driver)","at":"2026-05-11T10:00:00Z","category":"toll","amount":\(eur),\
      "void":true,"vendorName":"\\"Asfinag\\"","notes":"'x","documentId":"\(document)",\(files)}
      """)
    try make(
      "meter-readings",
      #"{"vehicleId":"VAN-1","at":"2026-05-12T10:00:00Z","source":"import","replaced":true,"notes":"n",\#(entered)}"#
    )
    let schedule = try make(
      "service-schedules",
      """
      {"vehicleId":"VAN-1","serviceType":"oilChange","name":"Oil","basis":"fixed","notes":"n",\
      "every":{"days":400,"months":12,"engineHours":500,"entered":{"kilometers":{"value":10000,"unit":"mi"}}},\
      "dueSoon":{"days":10,"engineHours":20,"entered":{"kilometers":{"value":300,"unit":"mi"}}},\
      "lastService":{"date":"2026-03-01","engineHours":1000,\(entered)}}
      """)
    let defect = try make("defects", #"{"vehicleId":"VAN-1","text":"no horn"}"#)
    try make(
      "maintenance-records",
      """
      {"vehicleId":"VAN-1","serviceType":"oilChange","scheduledDate":"2026-05-01","completedDate":"2026-05-13",\
      "lines":[{"kind":"part","text":"filter, \\"A\\"","quantity":2.5,"cost":\(eur)}],"cost":\(eur),"vendorName":"Garage",\
      "notes":"n","performedBy":"Max","engineHours":1300,"scheduleId":"\(schedule)","defectIds":["\(defect)"],\
      \(files),\(entered)}
      """)
  }

  @Test(arguments: TestServer.Database.allCases)
  func every_exported_list_is_unchanged_when_it_is_imported(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      let person = try await server.addPerson("dora@example.com", [.driver])
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        try Self.fill(client, fleet: depots.ids.north, person: person.id.string)
        let kinds = [
          "vehicles", "drivers", "fuel-entries", "expenses", "maintenance-records", "service-schedules",
          "meter-readings",
        ]
        for (kind, format) in kinds.flatMap({ kind in ["csv", "xlsx"].map { (kind, $0) } }) {
          let count = try client.send("GET", "/api/\(kind)").list.count
          #expect(count > 0, "\(kind)")
          let file = try client.send("GET", "/api/\(kind)?format=\(format)")
          #expect(file.status == 200)
          for dryRun in [true, false] {
            let reply = try client.send(
              "POST", "/api/imports?kind=\(kind)&dryRun=\(dryRun)", file.body,
              headers: ["Content-Type": format == "csv" ? "text/csv" : "application/octet-stream"])
            #expect(reply.status == 200, "\(kind) \(format): \(reply.text)")
            #expect(try reply.json["unchanged"] as? Int == count, "\(kind) \(format): \(reply.text)")
            #expect(try (reply.json["errors"] as? [Any])?.isEmpty == true, "\(kind) \(format): \(reply.text)")
          }
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func cancelled_maintenance_is_skipped_with_its_line(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "POST", "/api/maintenance-records",
          json: #"{"vehicleId":"VAN-1","serviceType":"repair","scheduledDate":"2031-05-04"}"#)
        let id = try #require(try made.json["id"] as? String)
        #expect(try client.send("POST", "/api/maintenance-records/\(id)/cancel").status == 200)
        let file = try client.send("GET", "/api/maintenance-records?format=csv")
        let reply = try ImportRoutesTests.send(client, "kind=maintenance-records&dryRun=true", file.text)
        #expect(reply.status == 200, "\(reply.text)")
        let skipped = try #require(try reply.json["skipped"] as? [[String: Any]])
        #expect(skipped.map { $0["line"] as? Int } == [2] && reply.text.contains("cancelled"), "\(reply.text)")
        #expect(try reply.json["created"] as? Int == 0 && reply.json["changed"] as? Int == 0, "\(reply.text)")
        // A row that changes the cancelled record is an error of this row.
        let change = "id,vehicleId,serviceType,notes\n\(id),VAN-1,repair,later\n"
        let refused = try ImportRoutesTests.send(client, "kind=maintenance-records&dryRun=true", change)
        let errors = try #require(try refused.json["errors"] as? [[String: Any]], "\(refused.text)")
        #expect(errors.map { $0["line"] as? Int } == [2] && refused.text.contains("cancelled"), "\(refused.text)")
        #expect(try ImportRoutesTests.send(client, "kind=maintenance-records", change).status == 422)
      }
    }
  }

  /// Others see the start of the day instead of the time of a private journey, so the file contains it.
  @Test(arguments: TestServer.Database.allCases)
  func a_reading_whose_time_is_hidden_is_unchanged_when_it_is_imported(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let dora = try await server.addPerson("dora@example.com", [.driver]).id.string
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send("POST", "/api/drivers", json: #"{"name":"Dora","personId":"\#(dora)"}"#)
        let both = #""driverId":"\#(try made.json["id"] as? String ?? "")","vehicleId":"VAN-1""#
        for (path, body) in [
          ("assignments", #"{\#(both),"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}"#),
          (
            "journeys",
            #"{\#(both),"purpose":"private","startTime":"2026-01-01T00:59:00Z","endTime":"2026-01-01T02:01:00Z"}"#
          ),
        ] {
          let reply = try client.send("POST", "/api/\(path)", json: body)
          #expect(reply.status == 201, "\(path): \(reply.text)")
        }
      }
      let taken = try Timestamp(json: .text("2026-01-01T01:43:37Z"))
      let id = try await server.storage.change(tenant: .standard, by: Actor(.server), at: WallClock.now) {
        transaction throws(ThingError) in
        var reading = MeterReading()
        (reading.vehicle, reading.at, reading.odometer, reading.source) = ("VAN-1", taken, 48_210, .gateway)
        try transaction.judge(&reading)
        let stored = try transaction.insert(reading)
        try transaction.follow(stored)
        return stored.id
      }
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let file = try client.send("GET", "/api/meter-readings?format=csv").text
        #expect(file.contains("2026-01-01T00:00:00") && !file.contains("01:43:37"), "\(file)")
        for dryRun in [true, false] {
          let reply = try ImportRoutesTests.send(client, "kind=meter-readings&dryRun=\(dryRun)", file)
          #expect(try reply.status == 200 && reply.json["unchanged"] as? Int == 1, "\(reply.text)")
        }
        func row(_ time: String) -> String { "id,vehicleId,at,void\n\(id.string),VAN-1,\(time),true\n" }
        let other = try ImportRoutesTests.send(client, "kind=meter-readings", row("2026-01-01T00:30:00Z"))
        #expect(other.status == 422 && other.text.contains("this cannot be changed"), "\(other.text)")
        let edited = try ImportRoutesTests.send(client, "kind=meter-readings", row("2026-01-01T00:00:00Z"))
        #expect(try edited.status == 200 && edited.json["changed"] as? Int == 1, "\(edited.text)")
      }
      let reading = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.existing(id, MeterReading.self)
      }
      #expect(reading.value.isVoid && reading.value.at == taken)
    }
  }
}
