import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// What was entered for an odometer, what telemetry shows, and the difference, on both databases.
@Suite struct MeterRoutesTests {
  private static func trip(_ number: Int, day: Int, distance: Double) -> SampleRecord {
    let start = (day - 1) * 86_400 + 36_000
    func text(_ second: Int) -> String {
      TextOf.time(Timestamp(nanoseconds: SampleRecord.start + Int64(second) * 1_000_000_000))
    }
    return SampleRecord(
      number, type: "trip", second: start + 3_600,
      rest:
        #""tripId":"t\#(number)","event":"end","startTime":"\#(text(start))","endTime":"\#(text(start + 3_600))","distance":\#(distance)"#
    )
  }

  @Test(arguments: TestServer.Database.allCases)
  func readings_are_shown_with_what_telemetry_says(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let trips = [Self.trip(1, day: 2, distance: 100), Self.trip(2, day: 4, distance: 50)]
        #expect(try client.send("POST", "/api/telemetry", trips.lines).status == 200)
        func add(_ day: Int, _ odometer: Int) throws -> [String: Any] {
          let reply = try client.send(
            "POST", "/api/meter-readings",
            json: #"{"vehicleId":"VAN-1","at":"2026-01-0\#(day)T20:00:00Z","odometer":\#(odometer)}"#)
          #expect(reply.status == 201, "\(reply.text)")
          return try reply.json
        }
        #expect(try add(1, 45_000)["comparison"] == nil)
        _ = try add(3, 45_110)
        let wrong = try add(5, 12_000)
        // The reading is reported with its figures, not only as doubtful.
        #expect(wrong["flag"] as? String == "backward")
        let comparison = try #require(wrong["comparison"] as? [String: Any])
        #expect(comparison["previous"] as? Int == 45_110 && comparison["increase"] as? Int == -33_110)
        let reply = try client.send("GET", "/api/vehicles/VAN-1/meters?from=2026-01-01&to=2026-01-06")
        let readings = try #require(try reply.json["readings"] as? [[String: Any]], "\(reply.text)")
        #expect(readings.map { $0["odometer"] as? Int } == [45_110, 12_000])
        #expect(readings.map { $0["increase"] as? Int } == [110, -33_110])
        #expect(readings.map { $0["telemetry"] as? Int } == [100, 50])
        #expect(readings.map { $0["difference"] as? Int } == [10, -33_160])
        #expect(readings.map { $0["flag"] as? String } == [nil, "backward"])
        let drift = try #require(try reply.json["drift"] as? [String: Any])
        #expect(drift["odometer"] as? Int == 110 && drift["telemetry"] as? Int == 100 && drift["percent"] as? Int == 10)
        // A time is accepted instead of a day, and the reading before the range is compared with.
        let part = try client.send("GET", "/api/vehicles/VAN-1/meters?from=2026-01-02T00:00:00Z&to=2026-01-04")
        #expect((try part.json["readings"] as? [Any])?.count == 1, "\(part.text)")
        #expect(try client.send("GET", "/api/vehicles/VAN-1/meters?from=2024-01-01&to=2026-01-04").status == 400)
        #expect(try client.send("GET", "/api/vehicles/VAN-1/meters?from=May").status == 400)
      }
      // People get one report a day, with the figures.
      let events = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<FleetEvent>(limit: 100)).items.map(\.value).filter { $0.event == .meterSuspicious }
      }
      #expect(events.map(\.item) == ["45110 → 12000 km (-33110 km)"])
    }
  }

  /// The vehicle's odometer, estimated from trips, is what telemetry says when a person enters a reading.
  @Test(arguments: TestServer.Database.allCases)
  func an_entered_reading_is_compared_with_the_estimate(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        guard let vehicle = try transaction.vehicle(named: "VAN-1") else { return }
        var first = MeterReading()
        (first.vehicle, first.odometer) = ("VAN-1", 1_000)
        first.at = Timestamp(nanoseconds: SampleRecord.start)
        first.lifetime = 1_000
        try transaction.insert(first)
        var value = vehicle.value
        value.odometer = 1_120
        value.odometerAt = Timestamp(nanoseconds: SampleRecord.start + 3_600_000_000_000)
        (value.lifetimeKilometers, value.isOdometerEstimated) = (1_120, true)
        try transaction.refresh(vehicle, to: value)
      }
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let reply = try client.send(
          "POST", "/api/meter-readings",
          json: #"{"vehicleId":"VAN-1","at":"2026-01-02T00:00:00Z","odometer":1150}"#)
        let comparison = try #require(try reply.json["comparison"] as? [String: Any], "\(reply.text)")
        #expect(comparison["increase"] as? Int == 150 && comparison["telemetry"] as? Int == 120)
        #expect(comparison["difference"] as? Int == 30)
      }
    }
  }
}
