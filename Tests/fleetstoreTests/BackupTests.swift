import Foundation
import Glibc
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The backup commands of docs/FleetStore.md, run as the page shows them, and a server on the restored copy.
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
    try store.request(
      "/api/telemetry", token: token, ["-H", "Content-Type: application/jsonl", "--data-raw", records(numbers)])
  }

  /// Uploads a file.
  ///
  /// - Returns: its id.
  private static func upload(_ text: String, to store: ServedStore, token: String) throws -> String {
    let made = try store.request(
      "/api/files", token: token, ["--json", #"{"name":"scan.txt","size":\#(text.utf8.count)}"#])
    let json = try JSONSerialization.jsonObject(with: Data(made.utf8)) as? [String: Any]
    let id = try #require(json?["id"] as? String, "\(made)")
    let fields = ["Upload-Offset: 0", "Content-Type: application/offset+octet-stream"].flatMap { ["-H", $0] }
    let sent = try store.request(
      "/api/files/\(id)/content", token: token, ["-X", "PATCH", "-i", "--data-raw", text] + fields)
    #expect(sent.contains(" 204 "), "\(sent)")
    return id
  }

  private static func count(_ store: ServedStore, token: String) throws -> Int {
    let text = try store.request("/api/vehicles/VAN-1/telemetry", token: token)
    let page = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return (page?["data"] as? [Any])?.count ?? -1
  }

  /// Sends records, makes a backup while the server runs, and starts a server on the restored copy when the first one
  /// has ended.
  ///
  /// - Parameter contents: the folder with the contents of files, which is lost before the restore; `nil` for none.
  private static func check(
    _ database: String, restored: String, contents: String? = nil, backUp: () throws -> Tool.Result,
    restore: () throws -> Tool.Result
  ) throws {
    let first = try ServedStore(["--database", database])
    defer { first.program.kill() }
    let token = try #require(first.token)
    #expect(try send(1...20, to: first, token: token).contains(#""stored":20"#))
    let file = contents == nil ? nil : try upload("scan of a licence", to: first, token: token)
    let saved = try backUp()
    #expect(saved.status == 0, "\(saved.errors)")
    #expect(try send(21...30, to: first, token: token).contains(#""stored":10"#))
    first.program.send(SIGTERM)
    #expect(try first.program.end(within: .seconds(60)) == 0)
    if let contents { try FileManager.default.removeItem(atPath: contents) }
    let put = try restore()
    #expect(put.status == 0, "\(put.errors)")
    // The backup contains the keys. Records that are sent again are stored once. Live readers must start again.
    let second = try ServedStore(["--database", restored], isFirst: false)
    defer { second.program.kill() }
    #expect(second.program.errorLines.contains { $0.contains("restored or moved") }, "\(second.program.errorLines)")
    #expect(try count(second, token: token) == 20)
    if let file { #expect(try second.request("/api/files/\(file)/content", token: token) == "scan of a licence") }
    #expect(try send(1...30, to: second, token: token).contains(#""stored":10,"duplicates":20"#))
    #expect(try count(second, token: token) == 30)
  }

  @Test func a_sqlite_store_is_backed_up_while_it_serves() async throws {
    try await runBlocking {
      try Tool.required("sqlite3")
      let shown = try #require(
        MarkdownBlocks(try ProjectTree.text("docs/FleetStore.md")).commands.first {
          $0.script.contains("\nsqlite3 ")
        })
      let commands = shown.script.split(separator: "\n").map(String.init)
      try #require(commands.count == 5, "who may read the copy; two that back up, two that restore")
      let scratch = try ScratchFolder()
      let (folder, database) = (scratch.path, "sqlite:\(scratch.file("fleet.db"))")
      try Self.check(
        database, restored: database, contents: scratch.file("fleet.db.files"),
        backUp: { try Tool.shell(commands[..<3].joined(separator: "\n"), directory: folder) },
        restore: { try Tool.shell(commands[3...].joined(separator: "\n"), directory: folder) })
      let mode =
        try FileManager.default.attributesOfItem(atPath: folder + "/fleet-backup.db")[.posixPermissions] as? Int
      #expect(mode == 0o600, "others could read the copy")
    }
  }

  @Test func a_postgresql_store_is_backed_up_while_it_serves() async throws {
    try await runBlocking {
      let server = try PostgreSQLServer.shared
      try Tool.required("pg_dump")
      try Tool.required("pg_restore")
      let page = try ProjectTree.text("docs/FleetStore.md")
      let shown = page.matches(of: /`(pg_(?:dump|restore) [^`]*)`/).map { String($0.1) }
      try #require(shown.count == 2, "one that backs up, one that restores")
      let scratch = try ScratchFolder()
      let folder = scratch.path
      let (from, to) = (try server.database(), try server.database())
      // The names of the databases are those of the page; the shell replaces them with addresses.
      try Self.check(
        from, restored: to,
        backUp: { try Tool.shell(shown[0].replacing(" fleet ", with: " \(from) "), directory: folder) },
        restore: { try Tool.shell(shown[1].replacing(" fleet ", with: " \(to) "), directory: folder) })
    }
  }
}
