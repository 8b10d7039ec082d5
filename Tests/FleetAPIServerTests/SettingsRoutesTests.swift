import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The settings of a tenant, on both databases.
@Suite struct SettingsRoutesTests {
  @Test(arguments: TestServer.Database.allCases)
  func a_time_zone_is_that_of_all_vehicles_without_a_fleet(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let before = try client.send("GET", "/api/settings")
        let first = try before.json["timeZone"]
        #expect(before.status == 200 && first == nil)
        let etag = try #require(before.headers["etag"])
        func patch(_ json: String, _ tag: String) throws -> TestClient.Reply {
          try client.send("PATCH", "/api/settings", json: json, headers: ["If-Match": tag])
        }
        #expect(try client.send("PATCH", "/api/settings", json: "{}").status == 428)
        #expect(try patch(#"{"timeZone":"Mars/Base"}"#, etag).status == 422)
        // 22:30 to 22:40 UTC on 1 July: the next day in Vienna.
        let start = 181 * 86_400 + 81_000
        let records = (0...10).map { SampleRecord($0 + 1, second: start + $0 * 60, rest: #""rpm":1500,"speed":36"#) }
        #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
        func days() throws -> [String] {
          try client.send("GET", "/api/vehicles/VAN-1/days?from=2026-06-30&to=2026-07-03").list
            .compactMap { $0["date"] as? String }
        }
        #expect(try days() == ["2026-07-01"])
        #expect(try patch(#"{"timeZone":"Europe/Vienna"}"#, etag).status == 200)
        #expect(try days() == ["2026-07-02"])
        // Another client that read the same version.
        #expect(try patch(#"{"timeZone":"Asia/Tokyo"}"#, etag).status == 409)
        let after = try client.send("GET", "/api/settings")
        #expect(try after.json["timeZone"] as? String == "Europe/Vienna")
        // The time zone of a fleet counts more.
        let fleet = try client.send(
          "POST", "/api/fleets", json: #"{"name":"Far","timeZone":"Pacific/Honolulu","vehicleIds":["VAN-1"]}"#)
        #expect(fleet.status == 201)
        #expect(try days() == ["2026-07-01"])
        #expect(try server.client(server.keys.foreignAdmin).send("GET", "/api/settings").json["timeZone"] == nil)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func days_are_computed_again_in_the_background_after_a_change(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let updater = DayUpdater(storage: server.storage, logger: .init(label: "test"))
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let start = 181 * 86_400 + 81_000
        let records = (0...10).map { SampleRecord($0 + 1, second: start + $0 * 60, rest: #""rpm":1500,"speed":36"#) }
        #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
      }
      let later = Timestamp(nanoseconds: WallClock.now.nanoseconds + 3_600_000_000_000)
      try await updater.updateAll(markedBefore: later)
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let changed = try client.send(
          "PATCH", "/api/settings", json: #"{"timeZone":"Europe/Vienna"}"#, headers: ["If-Match": "*"])
        #expect(changed.status == 200)
      }
      try await updater.updateAll(markedBefore: Timestamp(nanoseconds: 0))
      let days = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.days(of: ["VAN-1"], from: CalendarDate("2026-06-01")!, through: CalendarDate("2026-08-01")!)
      }
      #expect(days.map(\.day.date.text) == ["2026-07-02"])
      #expect(try await server.storage.staleVehicles(markedBefore: Timestamp(nanoseconds: 0), limit: 10).isEmpty)
      // As soon as the time zone changes, the figures are not final. Reports get their `pending` from these hours. The
      // hours are read in the transaction of the change, before the background work can compute the days again.
      let stale = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        let settings = try transaction.settings()
        var moved = settings.value
        moved.timeZone = "Asia/Tokyo"
        let before = try transaction.staleHours(fleet: nil, in: 0...1_000_000)
        try transaction.update(settings, to: moved, action: "change")
        return (before, try transaction.staleHours(fleet: nil, in: 0...1_000_000))
      }
      // 22:00 UTC on 2026-07-01, in hours since 1970.
      #expect(stale.0.isEmpty)
      #expect(stale.1 == [StaleHours(vehicle: "VAN-1", zone: "Asia/Tokyo", hours: 495_262...495_262)])
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_service_is_overdue_when_its_day_is_over_in_the_time_zone(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        // Kiritimati is 25 hours ahead of Niue's neighbour Midway: the two never have the same date.
        for zone in ["Pacific/Kiritimati", "Pacific/Midway"] {
          #expect(
            try client.send(
              "PATCH", "/api/settings", json: #"{"timeZone":"\#(zone)"}"#, headers: ["If-Match": "*"]
            ).status == 200)
          let today = server.storage.zone(zone).day(of: WallClock.now)
          for (last, state) in [(today, "overdue"), (today.next, "dueSoon")] {
            // Due one day after the last service: yesterday, or today.
            let made = try client.send(
              "POST", "/api/service-schedules",
              json:
                #"{"vehicleId":"VAN-1","serviceType":"repair","every":{"days":1},"dueSoon":{"days":0},"lastService":{"date":"\#(last.adding(days: -2).text)"}}"#
            )
            #expect(made.status == 201, "\(made.text)")
            #expect(try made.json["state"] as? String == state, "\(zone) \(made.text)")
          }
        }
      }
    }
  }
}
