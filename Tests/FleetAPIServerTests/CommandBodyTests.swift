import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The bodies of commands, and commands that change many things.
@Suite struct CommandBodyTests {
  typealias Workshop = MaintenanceRoutesTests.Workshop

  private static func driver(_ workshop: Workshop) throws -> String {
    try workshop.made("drivers", #"{"name":"Dora"}"#)
  }

  private static func journey(_ driver: String, _ workshop: Workshop) throws -> String {
    try workshop.made(
      "journeys",
      #"{"vehicleId":"VAN-1","driverId":"\#(driver)","purpose":"business","plannedFrom":"2030-05-04T08:00:00Z"}"#)
  }

  /// Walks over the table of routes. A command on a kind of thing that has no row here fails the test.
  @Test func every_command_rejects_unknown_keys() async throws {
    try await MaintenanceRoutesTests.run(on: .sqlite) { workshop in
      let driver = try Self.driver(workshop)
      let things = [
        "vehicleId": "VAN-1",
        "assignmentId": try workshop.made("assignments", #"{"vehicleId":"VAN-1","driverId":"\#(driver)"}"#),
        "journeyId": try Self.journey(driver, workshop),
        "inspectionId": try workshop.made(
          "inspections",
          #"{"vehicleId":"VAN-1","driverId":"\#(driver)","kind":"preTrip","items":[{"item":"horn","result":"ok"}]}"#),
        "defectId": try workshop.made("defects", #"{"vehicleId":"VAN-1","text":"no horn"}"#),
        "maintenanceRecordId": try workshop.made(
          "maintenance-records", #"{"vehicleId":"VAN-1","serviceType":"repair"}"#),
        "serviceScheduleId": try workshop.made(
          "service-schedules", #"{"vehicleId":"VAN-1","serviceType":"inspection","every":{"days":365}}"#),
      ]
      var count = 0
      for route in FleetRoutes.table(of: workshop.server.storage).routes
      where route.method == .post && route.access.need != nil && route.path.text.contains("{") {
        // Things of other kinds need not exist: a command without values checks its body first.
        let path = route.path.text.split(separator: "/").map { part in
          part.hasPrefix("{") ? things[String(part.dropFirst().dropLast())] ?? "x" : String(part)
        }.joined(separator: "/")
        let reply = try workshop.client.send("POST", "/" + path, json: #"{"nonsense":1}"#)
        #expect(reply.status == 422 && reply.text.contains("nonsense"), "\(path): \(reply.status) \(reply.text)")
        count += 1
      }
      #expect(count >= 30)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_is_retired_with_the_day_of_its_disposal(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      let today = CalendarDate(utc: WallClock.now)
      let acquired = today.adding(days: -100)
      let changed = try workshop.client.send(
        "PATCH", "/api/vehicles/VAN-1", json: #"{"acquiredOn":"\#(acquired.text)"}"#, headers: ["If-Match": "*"])
      #expect(changed.status == 200, "\(changed.text)")
      for wrong in [today.adding(days: 2), acquired.adding(days: -1)] {
        let reply = try workshop.post("vehicles/VAN-1/retire", #"{"disposedOn":"\#(wrong.text)"}"#)
        #expect(reply.status == 422 && reply.text.contains("disposedOn"), "\(reply.text)")
      }
      let sold = today.adding(days: -30).text
      let reply = try workshop.post("vehicles/VAN-1/retire", #"{"disposedOn":"\#(sold)"}"#)
      #expect(try reply.status == 200 && (reply.json["disposedOn"]) as? String == sold, "\(reply.text)")
    }
  }

  /// The planned journeys are cancelled in several transactions, so that other tenants do not wait for them.
  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_with_many_journeys_can_be_retired(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      let driver = try Self.driver(workshop)
      let journeys = try (0..<40).map { _ in try Self.journey(driver, workshop) }
      #expect(try workshop.post("vehicles/VAN-1/retire").status == 200)
      #expect(try workshop.status() == "retired")
      for journey in journeys {
        #expect(try workshop.thing("journeys/\(journey)")["status"] as? String == "cancelled")
      }
    }
  }
}
