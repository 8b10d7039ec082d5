import FleetStorageTestKit
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// `/api/imports`, on both databases.
@Suite struct ImportRoutesTests {
  static func send(_ client: TestClient, _ query: String, _ text: String) throws -> TestClient.Reply {
    try client.send("POST", "/api/imports?\(query)", Array(text.utf8), headers: ["Content-Type": "text/csv"])
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_file_is_stored_as_a_whole_or_not_at_all(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
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
  func times_at_a_clock_change_are_reported(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let file =
          "vehicleId,at,energy,quantity\nVAN-1,2026-03-29 02:30,diesel,41\nVAN-1,2026-10-25 02:30,diesel,41\nVAN-1,2026-10-25 03:30,diesel,41\n"
        let reply = try Self.send(
          try server.client(server.keys.admin), "kind=fuel-entries&dryRun=true&timeZone=Europe/Vienna", file)
        let warnings = try #require(try reply.json["warnings"] as? [[String: Any]], "\(reply.text)")
        #expect(warnings.map { $0["line"] as? Int } == [2, 3] && warnings.map { $0["column"] as? Int } == [2, 2])
        #expect((warnings.first?["message"] as? String)?.contains("2026-03-29T01:00:00.000Z") == true, "\(reply.text)")
        #expect((warnings.last?["message"] as? String)?.contains("2026-10-25T00:30:00.000Z") == true, "\(reply.text)")
      }
    }
  }

  /// The CSV file of a list can be imported again, without a change.
  @Test(arguments: TestServer.Database.allCases)
  func an_exported_list_can_be_imported(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "POST", "/api/maintenance-records",
          json: #"{"vehicleId":"VAN-1","serviceType":"repair","completedDate":"2026-05-04","odometer":48000}"#)
        #expect(made.status == 201, "\(made.text)")
        for kind in ["vehicles", "maintenance-records", "meter-readings"] {
          let csv = try client.send("GET", "/api/\(kind)?format=csv")
          #expect(csv.status == 200)
          let again = try Self.send(client, "kind=\(kind)&dryRun=true", csv.text)
          #expect(again.status == 200, "\(kind): \(again.text)")
          let errors = try #require(try again.json["errors"] as? [[String: Any]])
          #expect(errors.isEmpty, "\(kind): \(again.text)")
          #expect(try again.json["created"] as? Int == 0)
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func maintenance_is_imported_with_its_lines_and_readings(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
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
      try await runBlocking {
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
      try await runBlocking {
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

  @Test(arguments: TestServer.Database.allCases)
  func the_answer_names_everything_that_is_not_imported(_ database: TestServer.Database) async throws {
    let bytes = [UInt8](
      try Data(
        contentsOf: URL(fileURLWithPath: try TestData.path("peers/drivvo_en_simplified_dmy_3_sections.csv"))))
    try await TestServer.run(on: database) { server in
      try await runBlocking {
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
      try await runBlocking {
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

  @Test func spreadsheets_are_imported_like_csv() async throws {
    try await TestServer.run { server in
      try await runBlocking {
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
        // What only the trips tell is known; when the vehicle moved is not.
        let csv = """
          vehicleId,startTime,endTime,distance,startOdometer,endOdometer
          VAN-3,2026-06-01T08:00:00Z,2026-06-01T08:30:00Z,25.5,1000,1025.5
          VAN-3,2026-06-01T16:00:00Z,2026-06-01T16:20:00Z,,1025.5,1040
          """
        #expect(try client.send("POST", "/api/vehicles", json: #"{"id":"VAN-3"}"#).status < 410)
        let more = try client.send(
          "POST", "/api/imports?kind=trips", Array(csv.utf8), headers: ["Content-Type": "text/csv"])
        #expect(try more.json["created"] as? Int == 2, "\(more.text)")
        let day = try #require(
          try client.send("GET", "/api/vehicles/VAN-3/days?from=2026-06-01&to=2026-06-01").list.first)
        #expect(day["distance"] as? Double == 40 && day["trips"] as? Int == 2, "\(day)")
        #expect(day["unknownSeconds"] as? Double == 3_000)
        for key in ["movingSeconds", "engineOnSeconds", "idleSeconds"] { #expect(day[key] == nil, "\(key)") }
        for (kind, keys) in [
          ("trips", ["distance": 40, "trips": 2]), ("utilization", ["distance": 40, "usedDays": 1]),
        ] as [(String, [String: Double])] {
          let report = try client.send(
            "POST", "/api/reports",
            json: #"{"kind":"\#(kind)","groupBy":"vehicle","from":"2026-06-01","to":"2026-06-01"}"#)
          let rows = try #require(try report.json["rows"] as? [[String: Any]], "\(report.text)")
          let row = try #require(rows.first { $0["group"] as? String == "VAN-3" }, "\(report.text)")
          for (key, value) in keys { #expect((row[key] as? NSNumber)?.doubleValue == value, "\(kind) \(key)") }
          #expect(row["movingSeconds"] == nil && row["engineOnSeconds"] == nil, "\(row)")
        }
      }
    }
  }
}
