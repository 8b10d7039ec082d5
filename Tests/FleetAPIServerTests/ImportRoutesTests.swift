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
        #expect(try client.send("POST", "/api/imports?kind=vehicles", json: "{}").status == 415)
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
          headers: ["Content-Type": "text/csv"])
        let found = (try reply.json["errors"] as? [[String: Any]])?.count
        #expect(found == errors, "\(reply.text)")
        if errors == 0 { #expect(try reply.json["created"] as? Int == created, "\(reply.text)") }
      }
    }
  }
}
