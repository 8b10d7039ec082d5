import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// `fleetstore export`, `GET /api/exports` and `fleetstore import`: all data of a tenant are exported and imported
/// again.
@Suite struct ArchiveTests {
  /// Columns that an archive lacks: secrets that are worthless or dangerous elsewhere, state of this server, and values
  /// that the import computes from the records.
  private static let leftOut: Set<String> = [
    "audit.tenant", "person.password_hash", "gateway.vehicle", "gateway.vehicle_time", "vehicle.key",
    "vehicle.place_time", "vehicle.place", "vehicle.motion", "vehicle.last_trip", "vehicle.is_incomplete",
    "vehicle.changes", "vehicle.is_gateway", "connector.secret", "connector.webhook_secret", "forward.secret",
    "webhook.secret", "phone.message_key",
  ]
  private static let tablesLeftOut: Set<String> = [
    "session", "factor", "ticket", "queued_mail", "record", "telemetry_run", "feed", "removal", "revocation",
    "followed_feed", "followed_vehicle", "connector_progress", "forward_progress", "published_device",
    "delivery", "delivery_progress", "push_subscription", "push_key",
  ]

  private static func records(_ numbers: ClosedRange<Int>) -> String {
    numbers.map { number in
      let digits = String(number, radix: 16)
      let id = "019df1ad-ee28-716a-aa27-" + String(repeating: "0", count: 12 - digits.count) + digits
      let type = number % 7 == 0 ? "trip" : "telemetry"
      let rest =
        type == "trip"
        ? #","tripId":"t\#(number)","state":"started""# : #","latitude":47.5,"longitude":9.25,"speed":12.50"#
      return
        #"{"type":"\#(type)","id":"\#(id)","timestamp":"2026-05-04T06:30:01.\#(100 + number)Z","timeQuality":"gps","#
        + #""gatewayId":"gw-1","vehicleId":"VAN-1","epoch":"019df1ad-ee28-716a-aa27-aa9ecdc9b1c9","seq":\#(number)\#(rest)}"#
    }.joined(separator: "\n")
  }

  /// The lines of an archive without its head, which has the time and a new id.
  private static func body(_ archive: String) -> [Substring] { Array(archive.split(separator: "\n").dropFirst()) }

  /// The content of a file, of several parts in an archive.
  private static let scan =
    Array("%PDF-1.7\n".utf8)
    + (0..<150_000).map { (number: Int) in UInt8(truncatingIfNeeded: (number &* number) >> 3) }

  /// The contents in a folder of files, except uploads.
  private static func contents(_ folder: String, tenant: String) throws -> [[UInt8]] {
    let parts = try #require(FileManager.default.enumerator(atPath: folder + "/\(tenant)/contents"))
    return try parts.compactMap { $0 as? String }.filter { $0.count > 60 }.map {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/\(tenant)/contents/" + $0)))
    }
  }

  /// Fills a store over its API. Returns the archives that the command and the API have written.
  private static func filled(_ database: String, in scratch: borrowing ScratchFolder) throws -> (String, String) {
    let store = try ServedStore(["--database", database])
    defer { store.program.kill() }
    let token = try #require(store.token)
    func post(_ path: String, _ body: String) throws -> String {
      let answer = try store.request(path, token: token, ["-H", "Content-Type: application/json", "--data-raw", body])
      try #require(answer.contains(#""id""#), "\(path): \(answer)")
      let json = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
      return json?["id"] as? String ?? ""
    }
    // Some are the gateway's own records.
    let all = records(1...40) + "\n" + records(41...45).replacing(#""vehicleId":"VAN-1""#, with: #""vehicleId":"gw-1""#)
    let sent = try store.request(
      "/api/telemetry", token: token, ["-H", "Content-Type: application/jsonl", "--data-raw", all])
    #expect(sent.contains(#""stored":45"#), "\(sent)")
    let days = try store.request("/api/vehicles/VAN-1/days?from=2026-05-01&to=2026-05-31", token: token)
    #expect(days.contains(#""movingSeconds""#), "\(days)")
    _ = try post("/api/people", #"{"email":"ann@example.com","firstName":"Änn","lastName":"B","roles":["admin"]}"#)
    _ = try post("/api/fleets", #"{"name":"North","timeZone":"Europe/Berlin","vehicleIds":["VAN-1"]}"#)
    _ = try post("/api/vehicles", #"{"id":"CAR-2","make":"Opel","tankCapacity":52.5}"#)
    let driver = try post("/api/drivers", #"{"name":"Dora","licenceNumber":"X1"}"#)
    _ = try post("/api/assignments", #"{"driverId":"\#(driver)","vehicleId":"CAR-2"}"#)
    _ = try post(
      "/api/expenses",
      #"{"vehicleId":"CAR-2","at":"2026-05-04T06:30:01Z","category":"toll","amount":{"amount":"4.90","currency":"EUR"}}"#
    )
    let file = try post("/api/files", #"{"name":"scan.pdf","size":\#(scan.count)}"#)
    try Data(scan).write(to: URL(fileURLWithPath: scratch.file("scan.pdf")))
    let fields = ["Upload-Offset: 0", "Content-Type: application/offset+octet-stream"].flatMap { ["-H", $0] }
    let uploaded = try store.request(
      "/api/files/\(file)/content", token: token,
      ["-X", "PATCH", "-i", "--data-binary", "@" + scratch.file("scan.pdf")] + fields)
    #expect(uploaded.contains(" 204 "), "\(uploaded)")
    _ = try post(
      "/api/documents",
      #"{"of":{"kind":"vehicle","id":"CAR-2"},"kind":"insurance","title":"Policy","fileIds":["\#(file)"]}"#)
    // An upload whose bytes have not arrived has no content.
    _ = try post("/api/files", #"{"name":"later.pdf","size":5,"sha256":"\#(String(repeating: "0", count: 64))"}"#)
    let fences = try store.request(
      "/api/geofences", token: token,
      [
        "-X", "PUT", "-H", "Content-Type: application/geo+json", "--data-raw",
        #"{"type":"FeatureCollection","features":[]}"#,
      ])
    #expect(!fences.contains("error"), "\(fences)")
    var (fetched, printed) = ("", "")
    // The time of the token's last use may be stored between the two exports.
    for _ in 0..<3 where fetched.isEmpty || body(fetched) != body(printed) {
      fetched = try store.request("/api/exports", token: token)
      let ran = try FleetstoreProgram.run(["export", "--database", database], in: scratch.path)
      try #require(ran.status == 0, "\(ran.errors)")
      printed = ran.output
    }
    return (fetched, printed)
  }

  @Test func everything_goes_out_of_sqlite_into_postgresql_and_back() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let (fetched, printed) = try Self.filled("sqlite:\(scratch.file("a.db"))", in: scratch)
      #expect(Self.body(fetched) == Self.body(printed))
      #expect(printed.contains("Änn") && printed.contains(#""speed":12.50"#), "records as they were sent")
      #expect(printed.contains(#"{"end":{"records":45,"#), "\(printed.suffix(200))")
      #expect(printed.contains(#"{"vehicle":"gw-1"}"#))
      let dayRows = printed.split(separator: "\n").drop { !$0.contains(#""table":"vehicle_day""#) }.dropFirst()
      #expect(dayRows.first?.contains(#""VAN-1","#) == true, "\(dayRows.first ?? "")")

      let server = try PostgreSQLServer.shared
      let other = try server.database()
      let archive = try scratch.write("a.jsonl", printed)
      // PostgreSQL has no folder beside it for the contents of files.
      let homeless = try FleetstoreProgram.run(
        ["import", archive, "--database", try server.database(), "--create"], in: scratch.path)
      #expect(homeless.status == 65 && homeless.errors.contains("name a folder in files.folder"), "\(homeless.errors)")
      let settings = try scratch.write("pg.json", #"{"database":"\#(other)","files":{"folder":"pg.files"}}"#)
      let first = try FleetstoreProgram.run(["import", archive, "--config", settings, "--create"], in: scratch.path)
      #expect(first.status == 0 && !first.errors.contains("warning"), "\(first.errors)")
      #expect(try Self.contents(scratch.file("pg.files"), tenant: "default") == [Self.scan])
      let bare = try FleetstoreProgram.run(["export", "--database", other], in: scratch.path)
      #expect(bare.errors.contains("lacks the contents of files (1)"), "\(bare.errors)")
      let back = try FleetstoreProgram.run(["export", "--config", settings], in: scratch.path)
      #expect(Self.body(back.output) == Self.body(printed))
      let again = try scratch.write("b.jsonl", back.output)
      let second = try FleetstoreProgram.run(
        ["import", again, "--database", "sqlite:c.db", "--create", "--tenant", "north"], in: scratch.path)
      #expect(second.status == 0, "\(second.errors)")
      #expect(try Self.contents(scratch.file("c.db.files"), tenant: "north") == [Self.scan])
      let last = try FleetstoreProgram.run(
        ["export", "--database", "sqlite:c.db", "--tenant", "north"], in: scratch.path)
      #expect(Self.body(last.output) == Self.body(printed))
      for (database, tenant) in [(other, "default"), ("sqlite:c.db", "north")] {
        let verified = try FleetstoreProgram.run(
          ["audit", "verify", "--database", database, "--tenant", tenant], in: scratch.path)
        #expect(verified.status == 0, "\(verified.errors)")
      }
    }
  }

  @Test func keys_and_answers_are_the_same_after_an_import() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let before = try ServedStore(["--database", "sqlite:\(scratch.file("a.db"))"])
      defer { before.program.kill() }
      let token = try #require(before.token)
      _ = try before.request(
        "/api/telemetry", token: token,
        ["-H", "Content-Type: application/jsonl", "--data-raw", Self.records(1...20)])
      let paths = ["/api/vehicles", "/api/vehicles/VAN-1/latest", "/api/vehicles/VAN-1/telemetry", "/api/audit"]
      let answers = try paths.map { try before.request($0, token: token) }
      let archive = try scratch.write("a.jsonl", try before.request("/api/exports", token: token))
      let read = try FleetstoreProgram.run(
        ["import", archive, "--database", "sqlite:b.db", "--create"], in: scratch.path)
      #expect(read.status == 0, "\(read.errors)")
      let after = try ServedStore(["--database", "sqlite:\(scratch.file("b.db"))"], isFirst: false)
      defer { after.program.kill() }
      for (path, answer) in zip(paths, answers).dropLast() {
        #expect(try after.request(path, token: token) == answer, "\(path)")
      }
      // The audits of both stores contain the export.
      let audit = try after.request("/api/audit", token: token)
      #expect(audit.contains(#""action":"export""#) && !answers[3].contains(#""action":"export""#))
    }
  }

  /// Values that the API would refuse are named with line, table and column, and nothing is imported.
  @Test func an_archive_with_invalid_values_is_refused_as_a_whole() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let (_, printed) = try Self.filled("sqlite:\(scratch.file("a.db"))", in: scratch)
      let lines = printed.split(separator: "\n").map(String.init)
      /// Returns the archive with another value in the first row of a table, and the number of that line.
      func changed(_ table: String, _ column: String, to value: String) throws -> (text: String, line: Int) {
        var lines = lines
        let head = try #require(lines.firstIndex { $0.contains(#""table":"\#(table)""#) })
        let columns = try #require(
          (try JSONSerialization.jsonObject(with: Data(lines[head].utf8)) as? [String: Any])?["columns"] as? [String])
        let place = try #require(columns.firstIndex(of: column))
        var row = try #require(try JSONSerialization.jsonObject(with: Data(lines[head + 1].utf8)) as? [Any])
        row[place] = try JSONSerialization.jsonObject(with: Data("[\(value)]".utf8)) as? [Any] ?? []
        if let values = row[place] as? [Any] { row[place] = values[0] }
        lines[head + 1] = String(decoding: try JSONSerialization.data(withJSONObject: row), as: UTF8.self)
        return (lines.joined(separator: "\n") + "\n", head + 2)
      }
      for (table, column, value, found) in [
        ("assignment", "from", "-9223372036854775808", "found -9223372036854775808"),
        ("assignment", "status", #""nonsense""#, #"found "nonsense""#),
        ("driver", "name", #""\u001b[31mX""#, "without control characters"),
        ("vehicle", "tank_capacity", "-5", "expected"), ("person", "roles", #""nonsense""#, "expected"),
        ("person", "is_active", "7", "expected 0 or 1, found 7"), ("token", "role", #""king""#, #"found "king""#),
        ("expense", "at", "9223372036854775807", "expected a time"), ("audit", "hash", #""00""#, "expected 32 bytes"),
        ("vehicle_day", "trips", "-1", "expected an integer"),
      ] {
        let (text, line) = try changed(table, column, to: value)
        let file = try scratch.write("bad.jsonl", text)
        let read = try FleetstoreProgram.run(
          ["import", file, "--database", "sqlite:b.db", "--create"], in: scratch.path)
        #expect(
          read.status == 65 && read.errors.contains("bad.jsonl: line \(line): \(table).\(column)")
            && read.errors.contains(found), "\(table).\(column): \(read.errors)")
      }
      // The tenant is still empty. The archive may come from a pipe.
      let whole = try Tool.run(
        "/bin/sh",
        [
          "-c", "cat \"$1\" | \"$2\" import - --database sqlite:b.db", "sh", try scratch.write("a.jsonl", printed),
          try FleetstoreProgram.path,
        ],
        directory: scratch.path)
      #expect(whole.status == 0, "\(whole.errors)")
      let back = try FleetstoreProgram.run(["export", "--database", "sqlite:b.db"], in: scratch.path)
      #expect(Self.body(back.output) == Self.body(printed))
    }
  }

  @Test func a_cut_archive_stores_nothing_and_a_full_tenant_is_left_alone() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let (_, printed) = try Self.filled("sqlite:\(scratch.file("a.db"))", in: scratch)
      let whole = try scratch.write("a.jsonl", printed)
      let half = try scratch.write("half.jsonl", String(printed.prefix(printed.count / 2)))
      func read(_ file: String) throws -> Tool.Result {
        try FleetstoreProgram.run(["import", file, "--database", "sqlite:b.db", "--create"], in: scratch.path)
      }
      let cut = try read(half)
      #expect(cut.status == 65 && cut.errors.contains("half.jsonl: line "), "\(cut.errors)")
      let done = try read(whole)
      #expect(done.status == 0, "\(done.errors)")
      let back = try FleetstoreProgram.run(["export", "--database", "sqlite:b.db"], in: scratch.path)
      #expect(Self.body(back.output) == Self.body(printed))
      let full = try read(whole)
      #expect(full.status != 0 && full.errors.contains("the tenant is not empty"), "\(full.errors)")
    }
  }

  @Test func every_column_of_a_tenant_is_in_the_archive_or_left_out_for_a_reason() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let made = try FleetstoreProgram.run(
        ["tenant", "list", "--database", "sqlite:a.db", "--create"], in: scratch.path)
      #expect(made.status == 0, "\(made.errors)")
      let program = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1])
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
          columns = [row[1] for row in database.execute(f"PRAGMA table_info('{table}')")]
          if "tenant" in columns or table == "vehicle_day":
            for column in columns:
              if column != "tenant": print(f"{table}.{column}")
        """
      let listed = try Tool.run("/usr/bin/python3", ["-c", program, scratch.file("a.db")])
      let exported = try FleetstoreProgram.run(["export", "--database", "sqlite:a.db"], in: scratch.path)
      var archived: Set<String> = []
      for line in exported.output.split(separator: "\n") where line.hasPrefix(#"{"columns""#) {
        let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let table = try #require(json?["table"] as? String)
        for column in try #require(json?["columns"] as? [String]) { archived.insert("\(table).\(column)") }
      }
      let all = listed.output.split(separator: "\n").map(String.init).filter {
        !Self.tablesLeftOut.contains(String($0.prefix { $0 != "." }))
      }
      #expect(all.count > 100)
      #expect(Set(all).subtracting(Self.leftOut) == archived)
    }
  }
}
