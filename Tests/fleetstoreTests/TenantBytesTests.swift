import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// `limits.tenantBytes`: a full tenant gets 507, other tenants go on, and the size is exact although the server is
/// killed while it stores records.
@Suite struct TenantBytesTests {
  private static let limit = 1_048_576

  /// A server that is killed and started again, with the keys of a gateway in each of two tenants.
  private final class Site {
    private(set) var store: ServedStore
    let admin: String
    private let settings: String
    private let scratch: ScratchFolder
    private let server: PostgreSQLServer?
    private let address: String

    init(_ database: Database) throws {
      scratch = try ScratchFolder()
      server = database == .sqlite ? nil : try PostgreSQLServer.shared
      address = try server?.database() ?? "sqlite:\(scratch.file("fleet.db"))"
      settings = try scratch.write(
        "c.json", #"{"database":"\#(address)","limits":{"tenantBytes":\#(TenantBytesTests.limit)}}"#)
      store = try ServedStore(["--config", settings])
      admin = try #require(store.token)
    }

    deinit { store.program.kill() }

    func killAndRestart() throws {
      try store.program.killNow()
      store = try ServedStore(["--config", settings], isFirst: false)
    }

    func command(_ arguments: [String]) throws -> String {
      let result = try FleetstoreProgram.run(arguments + ["--config", settings], in: scratch.path)
      try #require(result.status == 0, "\(result.errors)")
      return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func gateway(_ number: Int, _ token: String) throws -> String {
      let answer = try LoadSocket(port: store.port).send(
        "POST", "/api/gateways", key: token, json: #"{"id":"gw-\#(number)"}"#)
      let range = try #require(answer.range(of: "\"key\":\""), "\(answer)")
      return String(answer[range.upperBound...].prefix { $0 != "\"" })
    }

    func metric(_ name: String, _ token: String) throws -> Int? {
      let text = try store.request("/api/metrics", token: token)
      return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
        .flatMap { Int($0) }
    }

    /// Returns the size that the database computes from the records of all tenants.
    func recount() throws -> Int {
      let sql = """
        SELECT (SELECT coalesce(sum(length(body) + 100), 0) FROM record)
          + (SELECT coalesce(sum(length(entries) + length(bodies) + 100), 0) FROM telemetry_run)
        """
      guard let server else {
        let program = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])"
        let result = try Tool.run("/usr/bin/python3", ["-c", program, scratch.file("fleet.db"), sql])
        return try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(result.errors)")
      }
      let rows = try server.sql(sql, in: address.split(separator: "/").last.map(String.init) ?? "")
      return try #require(rows.first.flatMap { Int($0) })
    }
  }

  /// Records of a type that is stored in rows, about 10 KB each.
  private static func events(_ numbers: Range<Int>, _ gateway: Int) -> [UInt8] {
    let note = String(repeating: "x", count: 9_400)
    return Array(
      numbers.map { number in
        LoadClient.record(number, gateway).replacing(#""type":"telemetry""#, with: #""type":"note","text":"\#(note)""#)
          + "\n"
      }.joined().utf8)
  }

  @Test(arguments: Database.allCases)
  func a_full_tenant_is_answered_507_until_records_are_removed(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      _ = try site.command(["tenant", "add", "other"])
      let other = try site.command(["token", "add", "--role", "admin", "--tenant", "other"])
      let keys = [try site.gateway(0, site.admin), try site.gateway(1, other)]
      var sent = 1
      var answer = ""
      while sent < 300, !answer.contains(" 507 ") {
        answer = try LoadSocket(port: site.store.port).post(
          Self.events(sent..<(sent + 10), 0), key: keys[0], coding: nil)
        #expect(answer.contains(#""stored":10"#) || answer.contains(" 507 "), "\(answer)")
        sent += 10
      }
      // 1 MiB is full after about 105 records of 10 KB.
      #expect((100...130).contains(sent), "\(sent)")
      #expect(answer.contains(#""code":"tenantFull""#) && answer.contains("the limit is \(Self.limit) bytes"))
      #expect(answer.lowercased().contains("retry-after: 60"), "\(answer)")
      let log = try site.store.program.errorLine(within: .seconds(60)) { $0.contains("limits.tenantBytes") }.text
      #expect(log.contains("warning") && log.contains("default"), "\(log)")
      let full = try #require(try site.metric("fleetstore_record_bytes", site.admin))
      #expect(full >= Self.limit)
      #expect(try site.metric("fleetstore_record_bytes_limit", site.admin) == Self.limit)
      // The other tenant stores as before.
      let stored = try LoadSocket(port: site.store.port).post(Self.events(1..<11, 1), key: keys[1], coding: nil)
      #expect(stored.contains(#""stored":10"#), "\(stored)")
      #expect(try site.store.request("/api/health", token: nil).contains(#""status":"ok""#))
      // The size and the refusal are the same after a kill.
      try site.killAndRestart()
      #expect(try site.metric("fleetstore_record_bytes", site.admin) == full)
      #expect(
        try LoadSocket(port: site.store.port).post(Self.events(500..<501, 0), key: keys[0], coding: nil)
          .contains(" 507 "))
      // A started server removes the records of removed vehicles at once.
      let removed = try site.store.request("/api/vehicles/VAN-0", token: site.admin, ["-X", "DELETE", "-i"])
      #expect(removed.contains(" 204"), "\(removed)")
      try site.killAndRestart()
      let deadline = ContinuousClock.now + .seconds(60)
      repeat {
        answer = try LoadSocket(port: site.store.port).post(Self.events(600..<610, 0), key: keys[0], coding: nil)
      } while answer.contains(" 507 ") && .now < deadline
      #expect(answer.contains(#""stored":10"#), "\(answer)")
    }
  }

  @Test(arguments: Database.allCases)
  func the_size_is_exact_after_kills_during_batches(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      let key = try site.gateway(0, site.admin)
      var number = 1
      for round in 0..<6 {
        let port = site.store.port
        let begin = number
        let answers = Counter()
        let ended = DispatchGroup()
        ended.enter()
        Thread.detachNewThread {
          defer { ended.leave() }
          // Runs and rows.
          for batch in 0..<1_000 {
            let first = begin + batch * 40
            let telemetry = (first..<(first + 30)).map { LoadClient.record($0, 0) + "\n" }.joined()
            let text = Array(telemetry.utf8) + Self.events((first + 30)..<(first + 31), 0)
            guard (try? LoadSocket(port: port).post(text, key: key, coding: nil)) != nil else { return }
            _ = answers.add(1)
          }
        }
        // The kill is in the middle of a write. Its moment is determined by a count and not by a clock.
        answers.wait(for: 2 + round)
        try site.killAndRestart()
        ended.wait()
        number += 40_000
        let size = try #require(try site.metric("fleetstore_record_bytes", site.admin))
        #expect(try site.recount() == size && size > 0)
      }
    }
  }
}
