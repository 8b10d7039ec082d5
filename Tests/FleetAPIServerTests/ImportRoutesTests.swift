import FleetStorageTestKit
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// `/api/imports`, on both databases.
@Suite struct ImportRoutesTests {
  private static func send(_ client: TestClient, _ query: String, _ text: String) throws -> TestClient.Reply {
    try client.send("POST", "/api/imports?\(query)", Array(text.utf8), headers: ["Content-Type": "text/csv"])
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_file_is_stored_as_a_whole_or_not_at_all(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await aside {
        let client = try server.client(server.keys.admin)
        let good =
          "vehicleId,at,energy,quantity\nVAN-1,2026-05-04T10:00:00Z,diesel,41\nVAN-1,2026-05-05T10:00:00Z,diesel,41\n"
        func count() throws -> Int { try client.send("GET", "/api/fuel-entries").list.count }
        let dry = try Self.send(client, "kind=fuel-entries&dryRun=true", good)
        #expect(
          try dry.status == 200 && dry.json["created"] as? Int == 2 && dry.json["dryRun"] as? Bool == true,
          "\(dry.text)")
        #expect(try count() == 0)
        // The third row names a vehicle that does not exist, and the fourth one has no number.
        let bad = good + "NONE,2026-05-05T10:00:00Z,diesel,41\n"
        let checked = try Self.send(client, "kind=fuel-entries&dryRun=true", bad)
        let errors = try #require(try checked.json["errors"] as? [[String: Any]])
        #expect(
          errors.map { $0["line"] as? Int } == [4] && errors.map { $0["column"] as? Int } == [1], "\(checked.text)")
        let refused = try Self.send(client, "kind=fuel-entries", bad)
        #expect(refused.status == 422 && refused.text.contains(#""path":"line 4, column 1""#), "\(refused.text)")
        #expect(
          try Self.send(client, "kind=fuel-entries", good + "VAN-1,2026-05-05T10:00:00Z,diesel,x\n").status == 422)
        #expect(try count() == 0)
        let done = try Self.send(client, "kind=fuel-entries", good)
        #expect(try done.json["created"] as? Int == 2)
        #expect(try count() == 2)
        let again = try Self.send(client, "kind=fuel-entries", good + "VAN-1,2026-05-06T10:00:00Z,diesel,41\n")
        #expect(try again.json["unchanged"] as? Int == 2 && again.json["created"] as? Int == 1, "\(again.text)")
        // Two equal rows are two things.
        let twice = "at,category,amount\n2026-05-04,toll,4.50 EUR\n2026-05-04,toll,4.50 EUR\n"
        for created in [2, 0] {
          #expect(try Self.send(client, "kind=expenses&vehicle=VAN-1", twice).json["created"] as? Int == created)
        }
        #expect(try client.send("GET", "/api/expenses").list.count == 2)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func maintenance_is_imported_with_its_lines_and_readings(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await aside {
        let client = try server.client(server.keys.admin)
        let lines = #""[{""kind"":""part"",""text"":""filter"",""cost"":{""amount"":""12.50"",""currency"":""EUR""}}]""#
        let file =
          "serviceType,completedDate,odometer,cost,lines,vendorName\noilChange,2026-05-04,48000,,\(lines),Garage\n"
          + "repair,2026-05-05,,99.90 EUR,,\n"
        for created in [2, 0] {
          let reply = try Self.send(client, "kind=maintenance-records&vehicle=VAN-1", file)
          #expect(try reply.status == 200 && reply.json["created"] as? Int == created, "\(reply.text)")
        }
        let records = try client.send("GET", "/api/maintenance-records?vehicle=VAN-1&sort=completedDate").list
        #expect(records.map { $0["status"] as? String } == ["completed", "completed"])
        #expect(
          records.compactMap { ($0["cost"] as? [String: String])?["amount"] } == ["12.50", "99.90"])
        #expect(try client.send("GET", "/api/vehicles/VAN-1").json["odometer"] as? Double == 48_000)
        let wrong = try Self.send(
          client, "kind=maintenance-records&vehicle=VAN-1", "serviceType,completedDate\nnone,2026-05-04\n")
        #expect(wrong.status == 422 && wrong.text.contains("line 2, column 1"), "\(wrong.text)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func other_tenants_store_things_between_the_pieces_of_a_long_file(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await aside {
        let client = try server.client(server.keys.admin)
        func file(_ count: Int, _ last: String = "") -> String {
          "id,name,vin\n" + (0..<count).map { "EV-\($0),Van \($0),\n" }.joined() + last
        }
        func vehicles() throws -> Int {
          try client.send("GET", "/api/vehicles?q=Van&limit=1000").list.count
        }
        let before = try vehicles()
        // An error in the last transaction, and a value that two rows of different transactions have.
        for bad in [
          file(230, "EV-900,Van,short\n"),
          "id,name,vin\nEV-1,Van,WVWZZZ3CZHE514839\n" + file(230, "EV-901,Van,WVWZZZ3CZHE514839\n").dropFirst(12),
        ] {
          let dry = try Self.send(client, "kind=vehicles&dryRun=true", String(bad))
          #expect(try (dry.json["errors"] as? [Any])?.count == 1, "\(dry.text)")
          #expect(try Self.send(client, "kind=vehicles", String(bad)).status == 422)
          #expect(try vehicles() == before)
        }
        let head = try Self.auditHead(client)
        let done = try Self.send(client, "kind=vehicles", file(230, "EV-0,Van zero,\n"))
        #expect(try done.json["created"] as? Int == 230 && done.json["changed"] as? Int == 1, "\(done.text)")
        #expect(try vehicles() == before + 230)
        // The dry passes left nothing in the audit.
        #expect(try Self.auditHead(client) == head + 231)
      }
    }
  }

  private static func auditHead(_ client: TestClient) throws -> Int {
    try #require(client.send("GET", "/api/audit?limit=1").list.first?["number"] as? Int)
  }

  @Test(arguments: TestServer.Database.allCases)
  func vehicles_are_added_or_changed(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await aside {
        let client = try server.client(server.keys.admin)
        let text = "id,make,modelYear,registrationNumber\nVAN-1,Ford,2019,W-1\nNEW-7,Fiat,2022,W-7\n"
        let reply = try Self.send(client, "kind=vehicles", text)
        #expect(try reply.json["created"] as? Int == 1 && reply.json["changed"] as? Int == 1, "\(reply.text)")
        let vehicle = try client.send("GET", "/api/vehicles/VAN-1").json
        #expect(vehicle["make"] as? String == "Ford" && vehicle["licencePlate"] as? String == "W-1")
        #expect(try Self.send(client, "kind=vehicles", text).json["unchanged"] as? Int == 2)
        let vin = "id,vin\nNEW-8,WVWZZZ1JZXW000001\nNEW-9,WVWZZZ1JZXW000001\n"
        let same = try Self.send(client, "kind=vehicles&dryRun=true", vin)
        #expect(same.text.contains(#""errors":[{"column":2,"line":3"#), "\(same.text)")
        #expect(try client.send("GET", "/api/vehicles/NEW-8").status == 404)
        let drivers = "name,licenceClasses,licenceExpiry\nDora,B;C,2031-05-04\n"
        for created in [1, 0] {
          #expect(try Self.send(client, "kind=drivers", drivers).json["created"] as? Int == created)
        }
        for (query, body, status) in [
          ("kind=people", text, 400), ("", text, 400), ("kind=vehicles", "id\n\"NEW", 422),
          ("kind=fuel-entries&currency=euro", text, 400), ("kind=vehicles", "", 422),
        ] {
          #expect(try Self.send(client, query, body).status == status, "\(query)")
        }
        #expect(try client.send("POST", "/api/imports?kind=vehicles", json: "{}").status == 422)
        let picture = try client.send(
          "POST", "/api/imports?kind=vehicles", Array(text.utf8), headers: ["Content-Type": "image/png"])
        #expect(picture.status == 415)
      }
    }
  }

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
  func exports_of_other_programs(
    _ name: String, _ kind: String, _ query: String, _ created: Int, _ errors: Int
  ) async throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try TestData.path("peers/\(name)"))))
    try await TestServer.run { server in
      try await aside {
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
  func the_answer_names_everything_that_is_not_imported(_ database: TestServer.Database) async throws {
    let bytes = [UInt8](
      try Data(
        contentsOf: URL(fileURLWithPath: try TestData.path("peers/drivvo_en_simplified_dmy_3_sections.csv"))))
    try await TestServer.run(on: database) { server in
      try await aside {
        let client = try server.client(server.keys.admin)
        func run(_ kind: String) throws -> [String: Any] {
          let reply = try client.send(
            "POST", "/api/imports?kind=\(kind)&vehicle=VAN-1&currency=EUR", bytes, headers: ["Content-Type": "text/csv"]
          )
          #expect(reply.status == 200, "\(reply.text)")
          return try reply.json
        }
        let fuel = try run("fuel-entries")
        let rest = try #require(fuel["notImported"] as? [[String: Any]])
        #expect(
          rest.map { $0["message"] as? String } == [
            "not imported: 1 row of section \"Service\", because this import reads fuel-entries; repeat the import with kind=maintenance-records",
            "not imported: 1 row of section \"Expense\", because this import reads fuel-entries; repeat the import with kind=expenses",
            "not imported: 1 row of section \"Vehicle\", because this import reads fuel-entries; repeat the import with kind=vehicles",
          ])
        #expect(rest.map { $0["rows"] as? Int } == [1, 1, 1])
        // The dates 5/3/2024 of fills mean what 15/3/2024 in another section shows.
        let entries = try client.send("GET", "/api/fuel-entries?sort=at").list
        #expect(entries.map { $0["at"] as? String } == ["2024-03-05T00:00:00.000Z", "2024-03-12T00:00:00.000Z"])
        #expect(try run("maintenance-records")["created"] as? Int == 1)
        let record = try #require(try client.send("GET", "/api/maintenance-records").list.first)
        #expect(record["serviceType"] as? String == "oilChange" && record["completedDate"] as? String == "2024-03-10")
        #expect(record["status"] as? String == "completed" && record["odometer"] as? Double == 12_500)
        #expect((record["cost"] as? [String: String])?["amount"] == "150.00")
        let expenses = try run("expenses")
        let columns = (expenses["notImported"] as? [[String: Any]])?.compactMap { $0["columns"] as? [String] }
        #expect(columns == [["Odometer"]])
        // All kinds of the file again change nothing.
        for kind in ["fuel-entries", "maintenance-records", "expenses"] {
          #expect(try run(kind)["created"] as? Int == 0)
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func rows_of_several_vehicles_go_to_the_vehicles_that_they_name(_ database: TestServer.Database) async throws {
    func file(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: try TestData.path("peers/\(name)"))))
    }
    let (fuelly, fleetio) = (
      try file("fuelly_metric_two_cars.csv"), try file("fleetio_fuel_entries_import_reconstructed.csv")
    )
    try await TestServer.run(on: database) { server in
      try await aside {
        let client = try server.client(server.keys.admin)
        func run(_ bytes: [UInt8], _ query: String) throws -> TestClient.Reply {
          try client.send(
            "POST", "/api/imports?kind=fuel-entries&currency=USD\(query)", bytes, headers: ["Content-Type": "text/csv"])
        }
        let unknown = try run(fuelly, "")
        #expect(unknown.status == 422 && unknown.text.contains("Renegade"), "\(unknown.text)")
        #expect(try run(fuelly, "&vehicle=VAN-1").text.contains("several vehicles"))
        for body in [
          #"{"id":"R","name":"Renegade","fuelType":"diesel"}"#, #"{"id":"C","name":"Civic","fuelType":"petrol"}"#,
          #"{"id":"1100","vin":"JTDKN3DU0A0000001"}"#, #"{"id":"F-150","name":"2100"}"#, #"{"id":"3100"}"#,
        ] { #expect(try client.send("POST", "/api/vehicles", json: body).status == 201) }
        #expect(try run(fuelly, "").json["created"] as? Int == 3)
        let entries = try client.send("GET", "/api/fuel-entries?sort=at").list
        #expect(entries.map { $0["vehicleId"] as? String } == ["R", "C", "R"])
        #expect(entries.map { $0["energy"] as? String } == ["diesel", "petrol", "diesel"])
        #expect(entries.map { $0["quantity"] as? Double } == [57.432, 26.25, 50.441])
        #expect(entries.map { $0["odometer"] as? Double } == [186_886, 45_000, 187_205])
        #expect((entries[0]["price"] as? [String: String])?["amount"] == "1.269")
        let trucks = try run(fleetio, "&distanceUnit=mi")
        #expect(try trucks.json["created"] as? Int == 3, "\(trucks.text)")
        // The file marks the reading of the third row as void.
        #expect(try (trucks.json["skipped"] as? [[String: Any]])?.map { $0["line"] as? Int } == [4])
        let truck = try #require(try client.send("GET", "/api/fuel-entries?vehicle=1100").list.first)
        #expect(truck["odometer"] as? Double == 173_878.353792 && truck["unit"] as? String == "usGallon")
        #expect(truck["at"] as? String == "2026-03-14T19:46:27.000Z" && truck["energy"] as? String == "petrol")
        #expect(try client.send("GET", "/api/fuel-entries?vehicle=3100").list.first?["odometer"] == nil)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func trips_and_positions_of_traccar_become_records(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await aside {
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

  @Test func spreadsheets_are_imported_like_csv() async throws {
    try await TestServer.run { server in
      try await aside {
        let client = try server.client(server.keys.admin)
        let body =
          #"{"vehicleId":"VAN-1","at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"9.90","currency":"EUR"}}"#
        #expect(try client.send("POST", "/api/expenses", json: body).status == 201)
        let sheet = try client.send("GET", "/api/expenses?format=xlsx").body
        let reply = try client.send(
          "POST", "/api/imports?kind=expenses", sheet, headers: ["Content-Type": "application/octet-stream"])
        #expect(try reply.json["unchanged"] as? Int == 1 && reply.json["created"] as? Int == 0, "\(reply.text)")
        // A report of Traccar as openpyxl writes it, with a date as a number.
        let script = """
          import datetime, openpyxl, sys
          book = openpyxl.Workbook()
          for name in ("VAN-1", "VAN-2"):
            sheet = book.create_sheet(name)
            for row in (["Report type:", "Trips"], ["Device:", name], ["Group:"], ["Period:", "2026"], [],
                ["Start", "Start Address", "Start Odometer", "End", "End Address", "End Odometer", "Duration", "Length", "Top speed", "Average speed", "Spent Fuel", "Driver"],
                [datetime.datetime(2026, 5, 4, 10, 0, 0), "A", "100.0 km", "2026-05-04 10:30:00", "B", "110.5 km", 0.02, "10.5 km", "80.0 km/h", "40 km/h", "1.0 l", "Dora"]):
              sheet.append(row)
          del book["Sheet"]
          book.save(sys.argv[1])
          """
        let scratch = try ScratchFolder()
        let path = scratch.file("trips.xlsx")
        let made = try Tool.run(try Tool.python(with: "openpyxl"), ["-c", script, path])
        try #require(made.status == 0, "\(made.errors)")
        #expect(try client.send("POST", "/api/vehicles", json: #"{"id":"VAN-2"}"#).status < 410)
        let trips = try client.send(
          "POST", "/api/imports?kind=trips&timeZone=Europe/Vienna",
          [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))),
          headers: ["Content-Type": "application/octet-stream"])
        #expect(try trips.json["created"] as? Int == 2, "\(trips.text)")
        let trip = try #require(try client.send("GET", "/api/vehicles/VAN-2/trips").list.first)
        #expect(trip["startTime"] as? String == "2026-05-04T08:00:00.000Z" && trip["distance"] as? Double == 10.5)
        #expect(trip["endOdometer"] as? Double == 110.5 && trip["maxSpeed"] as? Double == 80)
      }
    }
  }
}
