import FleetStorageTestKit
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Imports of files that other programs have exported.
@Suite struct ImportedProgramTests {
  /// Files as other programs export them: name, kind, query, and the expected numbers.
  @Test(arguments: [
    ("fuelio_backup_bmw_gbp_miles_litres.csv", "fuel-entries", "currency=GBP", 1, 0),
    ("fuelio_backup_second_tank_bad_row_italian.csv", "fuel-entries", "currency=EUR", 0, 1),
    ("fuelio_backup_second_tank_bad_row_italian.csv", "expenses", "currency=EUR", 3, 0),
    ("fuelio_acar_style_unquoted_markers_czk.csv", "fuel-entries", "currency=CZK", 2, 0),
    ("drivvo_pt_semicolon_decimal_comma.csv", "fuel-entries", "currency=BRL", 1, 0),
    ("drivvo_pt_bom_crlf_padded_marker.csv", "fuel-entries", "currency=BRL", 2, 0),
    ("drivvo_en_simplified_dmy_3_sections.csv", "expenses", "currency=EUR", 1, 0),
    ("drivvo_en_simplified_dmy_3_sections.csv", "vehicles", "", 1, 0),
    ("lubelogger_gas_us.csv", "fuel-entries", "currency=USD&energy=petrol&distanceUnit=mi&volumeUnit=usGallon", 4, 0),
    (
      "lubelogger_gas_de_decimal_comma.csv", "fuel-entries", "currency=EUR&energy=diesel&distanceUnit=km&volumeUnit=L",
      1, 0
    ),
    ("lubelogger_repair_it_euro.csv", "expenses", "", 2, 0),
    ("lubelogger_tax_ambiguous_dates.csv", "expenses", "currency=USD", 0, 2),
    ("lubelogger_tax_ambiguous_dates.csv", "expenses", "currency=USD&dates=mdy", 2, 0),
    ("lubelogger_repair_it_euro.csv", "maintenance-records", "distanceUnit=km", 2, 0),
    ("lubelogger_supply.csv", "expenses", "currency=USD&dates=mdy", 1, 0),
    ("drivvo_en_simplified_dmy_3_sections.csv", "maintenance-records", "currency=EUR", 1, 0),
    ("drivvo_en_simplified_dmy_3_sections.csv", "fuel-entries", "currency=EUR", 2, 0),
    // No date of the file shows the order of day and month.
    ("drivvo_es_single_hash_markers.csv", "maintenance-records", "currency=EUR", 0, 1),
    ("drivvo_es_single_hash_markers.csv", "maintenance-records", "currency=EUR&dates=dmy", 1, 0),
    ("fuelio_zip_of_csv.zip", "fuel-entries", "currency=EUR&energy=petrol", 1, 0),
    ("fuelly_metric_two_cars.csv", "fuel-entries", "currency=USD&energy=petrol", 0, 1),
    ("fuelly_bad_missing_odometer_and_date.csv", "fuel-entries", "currency=USD&energy=petrol", 0, 1),
    ("spritmonitor_fuelings_de_13_columns_2009.csv", "fuel-entries", "", 1, 0),
    ("spritmonitor_fuelings_de_windows1252.csv", "fuel-entries", "", 1, 0),
    // The second row is in the future.
    ("spritmonitor_fuelings_de_20_columns.csv", "fuel-entries", "energy=petrol", 0, 1),
    ("spritmonitor_thousands_dot_odometer.csv", "fuel-entries", "energy=diesel", 1, 0),
    ("fleetio_fuel_entries_import_reconstructed.csv", "fuel-entries", "currency=USD&distanceUnit=mi", 0, 1),
    ("teslafi_2016_complete_head.csv", "vehicles", "", 1, 0),
    ("teslafi_2018_mostly_asleep.csv", "fuel-entries", "", 0, 1),
    ("traccar_gpx_export.gpx", "tracks", "", 0, 1),
    ("track_csv_gpslogger.csv", "tracks", "", 3, 0),
    ("track_csv_semicolon_eu.csv", "tracks", "", 3, 0),
    ("track_csv_e7_integers.csv", "tracks", "", 3, 0),
    ("track_kml_points_with_timestamps.kml", "tracks", "", 3, 0),
    ("track_kml_points_with_timestamps.kmz", "tracks", "", 3, 0),
    ("traccar_report_template_events.xlsx", "trips", "", 0, 1),
  ])
  func exports_of_other_programs_are_recognised_and_counted(
    _ name: String, _ kind: String, _ query: String, _ created: Int, _ errors: Int
  ) async throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try TestData.path("peers/\(name)"))))
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let reply = try client.send(
          "POST", "/api/imports?kind=\(kind)&dryRun=true&vehicle=VAN-1" + (query.isEmpty ? "" : "&\(query)"), bytes,
          headers: ["Content-Type": "application/octet-stream"])
        let found = (try reply.json["errors"] as? [[String: Any]])?.count
        #expect(found == errors, "\(reply.text)")
        if errors == 0 { #expect(try reply.json["created"] as? Int == created, "\(reply.text)") }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func trips_and_positions_of_traccar_become_records(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func run(_ query: String, _ text: String) throws -> TestClient.Reply {
          try client.send(
            "POST", "/api/imports?\(query)", Array(text.utf8), headers: ["Content-Type": "application/json"])
        }
        let devices = #"[{"id":1,"name":"T-1","uniqueId":"8612","model":"FMB","disabled":false,"attributes":{"x":1}}]"#
        let made = try run("kind=vehicles", devices)
        #expect(try made.json["created"] as? Int == 1 && made.text.contains("attributes.x"), "\(made.text)")
        let trips = """
          [{"deviceId":1,"deviceName":"T-1","distance":12345.6,"maxSpeed":54.0,"spentFuel":1.2,"startOdometer":1000000,
          "endOdometer":1012346,"startTime":"2026-05-04T08:00:00.000+0000","endTime":"2026-05-04T08:30:00.000+00:00",
          "startAddress":"A, B","duration":1800000}]
          """
        let dry = try run("kind=trips&dryRun=true", trips)
        #expect(try dry.json["created"] as? Int == 1 && dry.text.contains("startAddress"), "\(dry.text)")
        #expect(try client.send("GET", "/api/vehicles/T-1/trips").list.isEmpty)
        #expect(try run("kind=trips", trips).json["created"] as? Int == 1)
        let trip = try #require(try client.send("GET", "/api/vehicles/T-1/trips").list.first)
        #expect(trip["distance"] as? Double == 12.3456 && trip["endOdometer"] as? Double == 1_012.346)
        #expect(trip["maxSpeed"] as? Double == 100.008 && trip["startTime"] as? String == "2026-05-04T08:00:00.000Z")
        for query in ["kind=trips&dryRun=true", "kind=trips"] {
          #expect(try run(query, trips).json["unchanged"] as? Int == 1)
        }
        // Addresses have commas, but no quotes.
        let positions = """
          id,deviceId,protocol,serverTime,deviceTime,fixTime,valid,latitude,longitude,altitude,speed,course,address,accuracy,ignition
          1,1,osmand,2026-05-04T08:00:01Z,2026-05-04T08:00:00Z,2026-05-04T08:00:00.000+00:00,true,48.2,16.37,170.0,10.0,90.0,Ring 1, Wien, AT,5.0,true
          2,1,osmand,2026-05-04T08:01:01Z,2026-05-04T08:01:00Z,2026-05-04T08:01:00.000+00:00,false,0.0,0.0,0,0,0,,0,true
          3,1,osmand,2026-05-04T08:02:01Z,2026-05-04T08:02:00Z,2026-05-04T08:02:00.000+00:00,true,48.21,16.38,171.5,0.0,0.0,,5.0,true
          """
        let bad = try run("kind=tracks&vehicle=T-1", positions + "\n4,1,x,,,2026-05-04T08:03:00Z,true,148.2,16.4,,,,,,")
        #expect(bad.status == 422 && bad.text.contains("line 5"), "\(bad.text)")
        #expect(try client.send("GET", "/api/vehicles/T-1/telemetry").list.isEmpty)
        let stored = try run("kind=tracks&vehicle=T-1", positions)
        #expect(try stored.json["created"] as? Int == 2, "\(stored.text)")
        #expect(try (stored.json["skipped"] as? [[String: Any]])?.map { $0["line"] as? Int } == [3])
        let names = try (stored.json["notImported"] as? [[String: Any]])?.first?["columns"] as? [String]
        #expect(names == ["protocol", "address", "accuracy", "ignition"])
        let telemetry = try client.send("GET", "/api/vehicles/T-1/telemetry").list
        #expect(telemetry.compactMap { $0["gpsSpeed"] as? Double }.sorted() == [0, 18.52])
        #expect(try run("kind=tracks&vehicle=T-1", positions).json["unchanged"] as? Int == 2)
        // The positions cover two of the trip's thirty minutes. The distance of the trip counts once.
        let day = try #require(
          try client.send("GET", "/api/vehicles/T-1/days?from=2026-05-04&to=2026-05-04").list.first)
        #expect(day["distance"] as? Double == 12.346 && day["trips"] as? Int == 1, "\(day)")
        #expect(day["movingSeconds"] as? Double == 120 && day["unknownSeconds"] as? Double == 1_680, "\(day)")
        let gpx = """

          <gpx version="1.1"><trk><name>T-1</name><trkseg>
          <trkpt lat="48.3" lon="16.3"><ele>200.5</ele><time>2026-05-05T08:00:00Z</time><extensions><speed>10</speed></extensions></trkpt>
          <trkpt lat="48.4" lon="16.4"></trkpt></trkseg></trk><wpt lat="1" lon="1"/></gpx>
          """
        let track = try run("kind=tracks", gpx)
        #expect(try track.json["created"] as? Int == 1, "\(track.text)")
        #expect(
          try (track.json["notImported"] as? [[String: Any]])?.compactMap { $0["message"] as? String } == [
            "not imported: 1 positions of tracks, because they have no times",
            "not imported: 1 waypoints, because they are not positions of a vehicle",
          ])
        let maintenance =
          #"[{"id":3,"name":"Oil","type":"totalDistance","start":15000000,"period":10000000},{"id":4,"name":"X","type":"sat","start":1,"period":1}]"#
        let schedules = try run("kind=service-schedules&vehicle=T-1", maintenance)
        #expect(try schedules.json["created"] as? Int == 1, "\(schedules.text)")
        let schedule = try #require(try client.send("GET", "/api/service-schedules").list.first)
        #expect((schedule["every"] as? [String: Any])?["kilometers"] as? Double == 10_000)
        #expect((schedule["lastService"] as? [String: Any])?["odometer"] as? Double == 5_000)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_corrected_row_of_fuelio_is_reported_and_adds_nothing(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func send(_ rows: [String]) throws -> TestClient.Reply {
          let text =
            """
            "## Vehicle"
            "Name","DistUnit","FuelUnit","Plate","Tank1Type"
            "Z3","0","0","AB12","100"
            "## Log"
            "Data","Odo (km)","Fuel (litres)","Full","Price (optional)","FuelType","UniqueId"

            """ + rows.joined(separator: "\n") + "\n"
          let reply = try ImportRoutesTests.send(client, "kind=fuel-entries&vehicle=VAN-1&currency=EUR", text)
          #expect(reply.status == 200, "\(reply.text)")
          return reply
        }
        func count() throws -> Int { try client.send("GET", "/api/fuel-entries").list.count }
        let first = #""2026-03-10 16:01","1000","40","1","60.05","110","7""#
        #expect(try send([first]).json["created"] as? Int == 1)
        #expect(try send([first]).json["unchanged"] as? Int == 1)
        // The price and the time are corrected, and there is a new fill.
        let second = #""2026-03-20 16:01","1500","40","1","61.00","110","8""#
        let corrected = try send([#""2026-03-10 16:30","1000","40","1","66.15","110","7""#, second])
        #expect(try corrected.json["created"] as? Int == 1 && corrected.json["unchanged"] as? Int == 1)
        let skipped = try #require(try corrected.json["skipped"] as? [[String: Any]])
        #expect(skipped.map { $0["line"] as? Int } == [6])
        let message = try #require(skipped.first?["message"] as? String)
        for part in ["total is ", "66.15", "60.05", "at is "] { #expect(message.contains(part), "\(message)") }
        #expect(!message.contains("quantity"), "\(message)")
        #expect(try count() == 2)
        // Rows that share an id are different fills.
        let shared = try send([
          #""2026-04-10 16:01","2000","40","1","60.00","110","9""#,
          #""2026-04-20 16:01","2500","40","1","60.00","110","9""#,
        ])
        #expect(try shared.json["created"] as? Int == 2, "\(shared.text)")
        #expect(try count() == 4)
      }
    }
  }
}
