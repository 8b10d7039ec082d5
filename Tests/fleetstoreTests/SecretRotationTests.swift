import FleetAccess
import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// `fleetstore secrets rotate` with the secrets that a server has stored, and the places of the key.
@Suite struct SecretRotationTests {
  private typealias Site = AccountKillTests.Site

  /// The columns with encrypted values.
  private static let columns = [
    "factor.secret", "queued_mail.details", "connector.secret", "connector.webhook_secret", "connector_progress.tokens",
    "forward.secret", "phone.message_key", "webhook.secret", "push_key.secret",
  ]

  /// Returns the name of a key, with which the values that it has encrypted begin.
  private static func name(ofKey line: String) throws -> String {
    let keys = try #require(SecretKeys(file: line))
    return String(keys.seal([], for: "").prefix { $0 != "." })
  }

  /// A query for the numbers of values that each of two keys has encrypted.
  private static func counts(_ first: String, _ second: String) -> String {
    let values = columns.map { column in
      let parts = column.split(separator: ".")
      return "SELECT \(parts[1]) AS v FROM \(parts[0])"
    }.joined(separator: " UNION ALL ")
    func sum(_ name: String) -> String { "sum(CASE WHEN v LIKE '\(name).%' THEN 1 ELSE 0 END)" }
    return "SELECT \(sum(first)), \(sum(second)) FROM (\(values)) AS t;"
  }

  private static func numbers(_ line: Substring?) -> [Int] { line?.split(separator: "|").compactMap { Int($0) } ?? [] }

  /// Stores at least one value in each of the columns. Returns the secret of Ann's one-time codes.
  private static func fill(_ site: Site) throws -> String {
    let session = try #require(try site.login("ann@example.org", AccountKillTests.password).session)
    func post(_ path: String, _ body: String) throws -> [String: Any] {
      let answer = try site.send("POST", path, body, session: session)
      try #require((200..<300).contains(answer.status), "\(path): \(answer.text)")
      return try answer.json
    }
    // The mail about the new factor waits, because the mail server does not answer.
    let hook = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    _ = try post(
      "/api/connectors",
      #"{"name":"C","service":"tesla","isActive":false,"secret":"s","webhookSecret":"w","refreshToken":"t","clientId":"me"}"#
    )
    _ = try post(
      "/api/forwards",
      #"{"name":"F","format":"webhook","isActive":false,"address":"https://hook.example/","secret":"\#(hook)"}"#)
    _ = try post("/api/webhooks", #"{"url":"https://hooks.example/","isActive":false}"#)
    let driver = try post("/api/drivers", #"{"name":"Dora"}"#)["id"] as? String ?? ""
    _ = try post("/api/phones", #"{"driverId":"\#(driver)","name":"P","messageKey":"a secret key"}"#)
    #expect(try site.send("GET", "/api/push-key", session: session).status == 200)
    let begun = try post("/api/factors", #"{"kind":"totp"}"#)
    let id = (begun["factor"] as? [String: Any])?["id"] as? String ?? ""
    let seed = try #require(begun["secret"] as? String)
    _ = try post("/api/factors/\(id)/confirm", #"{"code":"\#(try code(seed, "now"))"}"#)
    return seed
  }

  private static func code(_ seed: String, _ time: String) throws -> String {
    try Tool.run("oathtool", ["--totp", "--base32", "--now", time, "-"], stdin: Array(seed.utf8)).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Returns the result of a query, as a program that is independent of the store reads it.
  private static func read(_ query: String, _ site: Site) throws -> [Substring] {
    guard site.address.hasPrefix("sqlite:") else {
      return try PostgreSQLServer.shared.sql(query, in: String(site.address.split(separator: "/").last ?? ""))
    }
    let result = try Tool.run("sqlite3", ["-cmd", ".timeout 20000", site.scratch.file("fleet.db"), query])
    try #require(result.status == 0, "\(result.errors)")
    return result.lines
  }

  private static func rotate(_ site: Site) throws -> Int {
    let result = try FleetstoreProgram.run(["secrets", "rotate", "--config", site.settings], in: site.scratch.path)
    try #require(result.status == 0, "\(result.errors)")
    return Int(result.errors.firstMatch(of: /(\d+) secrets encrypted/)?.1 ?? "") ?? -1
  }

  /// Runs `secrets rotate`, and kills it when it has encrypted some of the values.
  private static func rotateAndKill(_ site: Site, counting query: String) throws {
    let isSQLite = site.address.hasPrefix("sqlite:")
    let other = try RunningProgram(
      isSQLite ? "sqlite3" : try PostgreSQLServer.shared.psql,
      isSQLite ? [site.scratch.file("fleet.db")] : ["-XAtq", "-d", site.address], isFed: true)
    defer { other.kill() }
    // The command does not continue when it changes a webhook.
    for line in isSQLite
      ? [
        ".timeout 20000",
        "CREATE VIEW endless AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n;",
        "CREATE TRIGGER hold BEFORE UPDATE ON webhook BEGIN SELECT count(*) FROM endless; END;", "SELECT 'held';",
      ] : ["BEGIN; SELECT 'held' FROM webhook FOR UPDATE;"]
    {
      other.writeLine(line)
    }
    try other.line(within: .seconds(60)) { $0 == "held" }
    let command = try RunningProgram(
      try FleetstoreProgram.path, ["secrets", "rotate", "--config", site.settings])
    defer { command.kill() }
    let end = ContinuousClock.now + .seconds(60)
    while true {
      let counts = numbers(try read(query, site).first)
      if counts.count == 2, counts.allSatisfy({ $0 > 0 }) { break }
      try #require(.now < end, "\(counts) \(command.errorLines)")
    }
    try command.killNow()
    guard isSQLite else { return }
    other.writeLine("DROP TRIGGER hold; DROP VIEW endless; SELECT 'released';")
    try other.line(within: .seconds(60)) { $0 == "released" }
  }

  @Test(arguments: Database.allCases)
  func a_killed_rotation_is_completed_and_the_old_key_removed(_ database: Database) async throws {
    try await runBlocking {
      let lines = ["7", "8", "9"].map { String(repeating: $0, count: 64) }
      let (old, new) = (try Self.name(ofKey: lines[0]), try Self.name(ofKey: lines[1]))
      let closed = try ReservedPort()
      let site = try Site(
        database, url: "http://127.0.0.1",
        more: #","mail":{"url":"smtp://127.0.0.1:\#(closed.number)","from":"fleet@example.com"}"#)
      let seed = try Self.fill(site)
      let query = Self.counts(new, old)
      let all = try #require(Self.numbers(try Self.read(query, site).first).last)
      #expect(all >= Self.columns.count)
      for column in Self.columns {
        let parts = column.split(separator: ".")
        let found = try Self.read("SELECT count(*) FROM \(parts[0]) WHERE \(parts[1]) LIKE '\(old).%'", site)
        #expect(found.first != "0", "\(column)")
      }
      try site.scratch.writeSecret("secret.keys", lines[1] + "\n" + lines[0] + "\n")
      try site.killAndRestart()
      try Self.rotateAndKill(site, counting: query)
      // The server can read both, and still starts.
      try site.killAndRestart()
      let counts = Self.numbers(try Self.read(query, site).first)
      #expect(counts.allSatisfy { $0 > 0 } && counts.reduce(0, +) == all, "\(counts)")
      #expect(try Self.rotate(site) == counts.last)
      #expect(Self.numbers(try Self.read(query, site).first) == [all, 0])
      #expect(try Self.rotate(site) == 0)
      // No other part of the database needs the old key.
      let dump =
        try site.address.hasPrefix("sqlite:")
        ? Tool.run("sqlite3", [site.scratch.file("fleet.db"), ".dump"])
        : Tool.run("pg_dump", ["--data-only", "--inserts", "-d", site.address])
      #expect(dump.status == 0 && dump.output.contains("\(new).") && !dump.output.contains("\(old)."), "\(dump.errors)")
      try site.scratch.writeSecret("secret.keys", lines[1] + "\n")
      try site.killAndRestart()
      let ticket = try #require(try site.login("ann@example.org", AccountKillTests.password).json["ticket"] as? String)
      let body = #"{"ticket":"\#(ticket)","kind":"totp","code":"\#(try Self.code(seed, "now + 30 seconds"))"}"#
      let signedIn = try site.send("POST", "/api/auth/factor", body)
      #expect(signedIn.status == 200, "\(signedIn.text)")
      // Every value can be decrypted without the old key: another rotation reads all of them.
      try site.scratch.writeSecret("secret.keys", lines[2] + "\n" + lines[1] + "\n")
      #expect(try Self.rotate(site) == all)
    }
  }

  @Test(arguments: Database.allCases)
  func a_missing_key_is_reported_and_nothing_is_changed(_ database: Database) async throws {
    try await runBlocking {
      let lines = ["7", "8"].map { String(repeating: $0, count: 64) }
      let (old, new) = (try Self.name(ofKey: lines[0]), try Self.name(ofKey: lines[1]))
      let site = try Site(database)
      let session = try #require(try site.login("ann@example.org", AccountKillTests.password).session)
      #expect(try site.send("POST", "/api/webhooks", #"{"url":"https://h.example/"}"#, session: session).status == 201)
      try site.scratch.writeSecret("secret.keys", lines[1] + "\n")
      let result = try FleetstoreProgram.run(["secrets", "rotate", "--config", site.settings], in: site.scratch.path)
      #expect(result.status != 0 && result.errors.contains("the key with which it was encrypted is not in the file"))
      #expect(Self.numbers(try Self.read(Self.counts(new, old), site).first) == [0, 1], "\(result.errors)")
    }
  }

  /// systemd.exec(5), LoadCredential=: the service finds the file in the folder that CREDENTIALS_DIRECTORY names.
  @Test(arguments: Database.allCases)
  func the_key_can_be_a_credential_of_systemd(_ database: Database) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let credentials = try ScratchFolder()
      let line = String(repeating: "5", count: 64)
      try credentials.writeSecret("fleetstore.secret-keys", line + "\n")
      let address = try database.address(in: scratch)
      let environment = ["CREDENTIALS_DIRECTORY": credentials.path]
      let store = try ServedStore(["--database", address], environment: environment)
      defer { store.program.kill() }
      let made = try store.request(
        "/api/webhooks", token: store.token, ["--json", #"{"url":"https://hooks.example/","isActive":false}"#])
      #expect(made.contains("whsec_"), "\(made)")
      #expect(!FileManager.default.fileExists(atPath: scratch.file("fleet.db.keys")))
      // The command reads the same credential, and finds nothing to change.
      func rotate(_ environment: [String: String]) throws -> Tool.Result {
        try FleetstoreProgram.run(
          ["secrets", "rotate", "--database", address], in: scratch.path, environment: environment)
      }
      let result = try rotate(environment)
      #expect(result.status == 0 && result.errors.contains("0 secrets"), "\(result.errors)")
      try credentials.writeSecret("fleetstore.secret-keys", String(repeating: "6", count: 64) + "\n" + line + "\n")
      #expect(try rotate(environment).errors.contains("1 secrets"))
      let without = try rotate([:])
      #expect(without.status == 78 && without.errors.contains("accounts.secretKeysFile"), "\(without.errors)")
    }
  }
}
