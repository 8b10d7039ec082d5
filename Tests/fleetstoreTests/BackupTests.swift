import Foundation
import TestKit
import Testing

/// The commands that docs/FleetStore.md gives for a backup, and what a server makes of what they put back.
@Suite struct BackupTests {
  private static func records(_ numbers: ClosedRange<Int>) -> String {
    numbers.map { number in
      let digits = String(number, radix: 16)
      let id = "019df1ad-ee28-716a-aa27-" + String(repeating: "0", count: 12 - digits.count) + digits
      return #"{"type":"telemetry","id":"\#(id)","timestamp":"2026-05-04T06:30:01.000Z","timeQuality":"gps","#
        + #""gatewayId":"gw-1","vehicleId":"VAN-1","epoch":"019df1ad-ee28-716a-aa27-aa9ecdc9b1c9","seq":\#(number)}"#
    }.joined(separator: "\n")
  }

  private static func send(_ numbers: ClosedRange<Int>, to store: ServedStore, token: String) throws -> String {
    try store.ask(
      "/api/telemetry", token: token, ["-H", "Content-Type: application/jsonl", "--data-raw", records(numbers)])
  }

  private static func count(_ store: ServedStore, token: String) throws -> Int {
    let text = try store.ask("/api/vehicles/VAN-1/telemetry", token: token)
    let page = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return (page?["data"] as? [Any])?.count ?? -1
  }

  /// Sends records, has them backed up while the server goes on, and looks at what a server makes of the copy.
  private static func check(
    _ database: String, restored: String, backUp: () throws -> Tool.Result, restore: () throws -> Tool.Result
  ) throws {
    let first = try ServedStore(["--database", database])
    defer { first.program.kill() }
    let token = try #require(first.token)
    #expect(try send(1...20, to: first, token: token).contains(#""stored":20"#))
    let saved = try backUp()
    #expect(saved.status == 0, "\(saved.errors)")
    #expect(try send(21...30, to: first, token: token).contains(#""stored":10"#))
    let put = try restore()
    #expect(put.status == 0, "\(put.errors)")
    // The keys are in the backup, too; what is sent once more is taken once.
    let second = try ServedStore(["--database", restored], isFirst: false)
    defer { second.program.kill() }
    #expect(try count(second, token: token) == 20)
    #expect(try send(1...30, to: second, token: token).contains(#""stored":10,"duplicates":20"#))
    #expect(try count(second, token: token) == 30)
  }

  @Test func a_sqlite_store_is_backed_up_while_it_serves() async throws {
    try await aside {
      guard let sqlite = try Tool.required("sqlite3") else { return }
      let scratch = try ScratchFolder()
      let backup = scratch.file("fleet-backup.db")
      try Self.check(
        "sqlite:\(scratch.file("fleet.db"))", restored: "sqlite:\(scratch.file("restored.db"))",
        backUp: { try Tool.run(sqlite, [scratch.file("fleet.db"), ".backup \(backup)"]) },
        restore: { try Tool.run("cp", [backup, scratch.file("restored.db")]) })
    }
  }

  @Test func a_postgresql_store_is_backed_up_while_it_serves() async throws {
    try await aside {
      guard let server = try PostgreSQLServer.shared, let dump = try Tool.required("pg_dump"),
        let restore = try Tool.required("pg_restore")
      else { return }
      let scratch = try ScratchFolder()
      let (from, to) = (try server.database(), try server.database())
      try Self.check(
        from, restored: to,
        backUp: { try Tool.run(dump, ["-Fc", "-f", scratch.file("fleet.dump"), from]) },
        restore: { try Tool.run(restore, ["-d", to, scratch.file("fleet.dump")]) })
    }
  }
}
