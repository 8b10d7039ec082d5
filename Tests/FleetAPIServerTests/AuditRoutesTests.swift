import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// `/api/audit` in pages and as a file, on both databases.
@Suite struct AuditRoutesTests {
  @Test(arguments: TestServer.Database.allCases)
  func pages_and_files_have_every_entry_once(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.storage.change(tenant: .standard, by: Actor(.command, address: "=1+2"), at: WallClock.now) {
        transaction throws(ThingError) in
        for number: Int64 in 0..<430 {
          try transaction.record("test", kind: "tenant", thing: nil, details: ["number": .integer(number)])
        }
      }
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        let all = try #require(admin.send("GET", "/api/audit?limit=1").list.first?["number"] as? Int)
        let expected = Array((1...all).reversed())
        var (numbers, cursor) = ([Int](), String?.none)
        repeat {
          let page = try admin.send("GET", "/api/audit?limit=200" + (cursor.map { "&cursor=\($0)" } ?? ""))
          numbers += page.integers("number").compactMap { $0 }
          cursor = try page.json["next"] as? String
        } while cursor != nil
        #expect(numbers == expected)
        #expect(try admin.send("GET", "/api/audit?before=3").integers("number") == [2, 1])
        for wrong in ["x", "before-", "before-1", "before-99999999999999999999", "3"] {
          #expect(try admin.send("GET", "/api/audit?cursor=\(wrong)").status == 400, "\(wrong)")
        }
        for format in ExportFormat.allCases {
          let rows = try ExportTests.rows(try admin.send("GET", "/api/audit?format=\(format.rawValue)").body, format)
          let header = rows[0].compactMap { $0 as? String }
          let (number, kind) = (try #require(header.firstIndex(of: "number")), header.firstIndex(of: "actor.kind"))
          let address = try #require(header.firstIndex(of: "address"))
          #expect(rows.dropFirst().compactMap { Int("\($0[number])") } == expected)
          #expect(rows[1][try #require(kind)] as? String == "command")
          #expect(rows[1][address] as? String == (format == .csv ? "'=1+2" : "=1+2"))
        }
        #expect(try server.client(server.keys.readOnly).send("GET", "/api/audit?format=csv").status == 403)
      }
    }
  }
}
