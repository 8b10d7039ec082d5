import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// No route shows to other people when, where and how a vehicle was driven privately.
@Suite struct PrivateTraceTests {
  /// The texts that only records of the private journey contain. The journey is declared for 00:59 to 02:01, so no time
  /// between 01:00 and 02:00 comes from the declaration.
  private static let markers = ["2026-01-01T01:", "47.77123", "15.55321", "133.7", "77.77", "4321.5", privateTrip.id]

  private static let privateTrip = SampleRecord(
    900, type: "trip", second: 6217,
    rest:
      #""event":"end","tripId":"p","startTime":"2026-01-01T01:17:23Z","endTime":"2026-01-01T01:43:37Z","distance":77.77"#
  )

  /// A public drive, then the private one.
  private static func records() -> [SampleRecord] {
    var records = (0..<6).map { minute in
      SampleRecord(minute + 1, second: minute * 60, rest: #""latitude":48.5,"longitude":16.5,"speed":50,"rpm":1500"#)
    }
    records.append(SampleRecord(10, type: "dtc", second: 100, rest: #""ecu":"7E8","dtcCodes":["P0301"],"mil":true"#))
    let end = #""endTime":"2026-01-01T00:05:10Z","distance":4.25"#
    records.append(
      SampleRecord(
        11, type: "trip", second: 310,
        rest: #""event":"end","tripId":"a","startTime":"2026-01-01T00:00:00Z",\#(end)"#))
    for number in 0..<40 {
      let level = number < 20 ? 20 : 80
      records.append(
        SampleRecord(
          number + 100, second: 4643 + number * 30,
          rest:
            #""latitude":47.77123,"longitude":15.55321,"speed":133.7,"rpm":4321.5,"fuelLevel":\#(level)"#))
    }
    records.append(SampleRecord(200, type: "dtc", second: 5119, rest: #""ecu":"7E8","dtcCodes":["P0420"],"mil":true"#))
    records.append(SampleRecord(201, type: "driving", second: 5411, rest: #""event":"harshBraking""#))
    records.append(privateTrip)
    return records
  }

  /// The ids of the things that the routes read.
  private struct Ids: Sendable {
    var dora = ""
    var emil = ""
    var journey = ""
    var fuel = ""
    var reading = ""
    var defect = ""
  }

  @Test(arguments: TestServer.Database.allCases)
  func no_route_shows_a_private_journey_to_others(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let dora = try await server.addPerson("dora@example.com", [.driver])
      let emil = try await server.addPerson("emil@example.com", [.driver])
      _ = try await server.addPerson("vera@example.com", [.viewer])
      _ = try await server.addPerson("max@example.com", [.maintenance])
      var ids = try await runBlocking { try Self.prepare(server, dora.id, emil.id) }
      (ids.reading, ids.defect) = try await Self.derive(server, fuel: ids.fuel)
      let known = ids
      try await runBlocking { try Self.check(server, known) }
    }
  }

  private static func prepare(_ server: TestServer, _ dora: UUIDv7, _ emil: UUIDv7) throws -> Ids {
    let client = try server.client(server.keys.admin)
    func made(_ path: String, _ body: String) throws -> String {
      let reply = try client.send("POST", "/api/\(path)", json: body)
      try #require(reply.status == 201, "\(path): \(reply.text)")
      return try #require(try reply.json["id"] as? String)
    }
    #expect(try client.send("POST", "/api/telemetry", Self.records().lines).status == 200)
    let patched = try client.send(
      "PATCH", "/api/vehicles/VAN-1", json: #"{"tankCapacity":60}"#, headers: ["If-Match": "*"])
    #expect(patched.status == 200, "\(patched.text)")
    var ids = Ids()
    ids.dora = try made("drivers", #"{"name":"Dora","personId":"\#(dora.string)"}"#)
    ids.emil = try made("drivers", #"{"name":"Emil","personId":"\#(emil.string)"}"#)
    _ = try made(
      "assignments",
      #"{"driverId":"\#(ids.dora)","vehicleId":"VAN-1","from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}"#)
    _ = try made("assignments", #"{"driverId":"\#(ids.emil)","vehicleId":"VAN-1","from":"2026-01-03T00:00:00Z"}"#)
    ids.journey = try made(
      "journeys",
      #"{"driverId":"\#(ids.dora)","vehicleId":"VAN-1","purpose":"private","startTime":"2026-01-01T00:59:00Z","endTime":"2026-01-01T02:01:00Z"}"#
    )
    ids.fuel = try made(
      "fuel-entries",
      #"{"vehicleId":"VAN-1","driverId":"\#(ids.dora)","at":"2026-01-01T02:30:00Z","energy":"diesel","quantity":36}"#)
    return ids
  }

  /// Adds what the server derives from the records of the private journey.
  private static func derive(_ server: TestServer, fuel: String) async throws -> (reading: String, defect: String) {
    let (stored, closed) = (
      try Timestamp(json: .text("2026-01-01T01:25:19Z")), try Timestamp(json: .text("2026-01-01T01:43:37Z"))
    )
    let frame = try JSON(parsing: Array(#"{"dtc":"P0420","readings":{"rpm":4321.5}}"#.utf8))
    let parsed = UUIDv7(fuel.utf8.span)
    let entry = try #require(parsed)
    return try await server.storage.change(tenant: .standard, by: Actor(.server), at: WallClock.now) {
      transaction throws(ThingError) in
      var reading = MeterReading()
      (reading.vehicle, reading.at, reading.odometer, reading.source) = ("VAN-1", closed, 48_210, .gateway)
      var defect = Defect()
      (defect.vehicle, defect.source, defect.text, defect.codes) = ("VAN-1", .dtc, "Catalyst", ["P0420"])
      (defect.freezeFrame, defect.countedUntil) = (frame, closed)
      var report = Defect.Report()
      (report.ecu, report.isPresent, report.since, report.at) = ("7E8", true, stored, stored)
      defect.reports = [report]
      let filled = try transaction.existing(entry, FuelEntry.self)
      var checked = filled.value
      var check = FuelEntry.Check()
      (check.tankRise, check.risenAt, check.levels) = (.agrees, closed, 40)
      checked.check = check
      _ = try transaction.refresh(filled, to: checked)
      return (try transaction.insert(reading).id.string, try transaction.insert(defect).id.string)
    }
  }

  private static func check(_ server: TestServer, _ ids: Ids) throws {
    let sessions = try ["vera", "max", "emil", "dora"].map { try server.signIn("\($0)@example.com") }
    func get(_ session: String, _ path: String) throws -> TestClient.Reply {
      try server.asPage(session, "GET", path)
    }
    let paths = try Self.paths(server, ids)
    #expect(paths.count > 40, "\(paths)")
    for path in paths {
      for session in sessions.prefix(3) { Self.expectNoTrace(try get(session, path), path) }
      for key in [server.keys.admin, server.keys.readOnly] {
        Self.expectNoTrace(try server.client(key).send("GET", path), path)
      }
    }
    let (vera, own) = (sessions[0], sessions[3])
    // What remains visible: the records before the journey, the defect, the reading, and the distance of the day.
    let latest = try get(vera, "/api/vehicles/VAN-1/latest").text
    for text in ["P0301", #""mil":true"#, #""latitude":48.5"#, #""distance":4.25"#] {
      #expect(latest.contains(text), "\(text): \(latest)")
    }
    #expect(try get(vera, "/api/positions").text.contains("[16.5,48.5]"))
    let reading = try get(vera, "/api/meter-readings/\(ids.reading)").json
    #expect(reading["odometer"] as? Int == 48_210, "\(reading)")
    #expect((reading["at"] as? String)?.hasPrefix("2026-01-01T00:00:00") == true, "\(reading)")
    let defect = try get(vera, "/api/defects/\(ids.defect)").json
    #expect(defect["status"] as? String == "open" && defect["freezeFrame"] == nil, "\(defect)")
    let day = try #require(try get(vera, "/api/vehicles/VAN-1/days?from=2026-01-01&to=2026-01-01").list.first)
    #expect(Set(day.keys) == ["date", "distance", "hasPrivateTime"], "\(day)")
    let compared = try get(vera, "/api/vehicles/VAN-1/reconciliation?from=2026-01-01&to=2026-01-02")
    #expect(compared.text.contains(#""tripsHidden":true"#), "\(compared.text)")
    // The driver of the journey sees the own records.
    let range = "from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"
    #expect(try get(own, "/api/vehicles/VAN-1/telemetry?\(range)").text.contains("47.77123"))
    #expect(try get(own, "/api/vehicles/VAN-1/trips?\(range)").text.contains("77.77"))
    #expect(try get(own, "/api/fuel-entries/\(ids.fuel)/check").text.contains("2026-01-01T01:"))
    #expect(try get(own, "/api/fuel-entries/\(ids.fuel)").text.contains("2026-01-01T01:"))
  }

  private static func expectNoTrace(_ reply: TestClient.Reply, _ path: String) {
    for marker in markers { #expect(!reply.text.contains(marker), "\(path): \(marker): \(reply.text.prefix(2_000))") }
  }

  /// Returns the GET routes with the ids of the things. The audit and the archive are left out: only administrators read
  /// them, and they contain everything.
  private static func paths(_ server: TestServer, _ ids: Ids) throws -> [String] {
    let client = try server.client(server.keys.admin)
    let document = try #require(try client.send("GET", "/api/openapi.json").json["paths"] as? [String: [String: Any]])
    let values = [
      "{vehicleId}": "VAN-1", "{gatewayId}": "gw-1", "{driverId}": ids.emil, "{journeyId}": ids.journey,
      "{fuelEntryId}": ids.fuel, "{meterReadingId}": ids.reading, "{defectId}": ids.defect,
    ]
    var paths: [String] = []
    for (path, methods) in document.sorted(by: { $0.key < $1.key }) where methods["get"] != nil {
      var path = path
      for (name, value) in values { path = path.replacing(name, with: value) }
      guard !path.contains("{"), !["/api/audit", "/api/exports", "/api/live"].contains(where: path.hasPrefix) else {
        continue
      }
      let ranges = ["", "?from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z"]
      paths += path.hasSuffix("/driver") ? ["\(path)?at=2026-01-01T01:30:00Z"] : ranges.map { path + $0 }
    }
    return paths
  }
}
