import FleetAccess
import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI
@testable import FleetStorage

/// Databases of earlier versions with people, sessions, factors, work and costs: nothing is lost or changed.
///
/// The earlier versions' data are those of the present version, in the columns that the earlier schema has.
@Suite struct UpgradeTests {
  /// A database that other programs than the store's own read and write: sqlite3 or psql.
  private struct Place {
    let database: TestServer.Database
    /// The path of the file, or the connection URI.
    let address: String

    init(_ database: TestServer.Database, _ folder: String, _ name: String) throws {
      self.database = database
      address = database == .sqlite ? "\(folder)/\(name).db" : try PostgreSQLServer.shared.database()
    }

    func open(steps count: Int) async throws -> StoredFleet {
      switch database {
      case .sqlite:
        return StoredFleet(engine: try SQLiteEngine(path: address, steps: Array(SQLiteSchema.steps.prefix(count))))
      case .postgreSQL:
        return StoredFleet(
          engine: try await PostgreSQLEngine(
            address: PostgreSQLAddress(parsing: address), connections: 2,
            steps: Array(PostgreSQLSchema.steps.prefix(count))))
      }
    }

    /// Returns the lines that a statement prints.
    @discardableResult
    func run(_ sql: String) throws -> [Substring] {
      guard database == .sqlite else {
        return try PostgreSQLServer.shared.sql(sql, in: String(address.split(separator: "/").last ?? ""))
      }
      let result = try Tool.run(
        "sqlite3", ["-cmd", ".mode quote", "-cmd", ".bail on", address], stdin: Array(sql.utf8))
      try #require(result.status == 0, "\(result.errors)")
      return result.lines
    }

    /// The columns of all tables that have rows of their own, except the store's settings and the schema's version.
    func tables() throws -> [String: [String]] {
      let sql =
        database == .sqlite
        ? """
        .mode list
        SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
          WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'setting' ORDER BY 1, c.cid;
        """
        : """
        SELECT c.relname, a.attname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
          WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
            AND c.relname NOT IN ('setting', 'schema_version') AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, a.attnum;
        """
      return Dictionary(grouping: try run(sql).map { $0.split(separator: "|").map(String.init) }, by: { $0[0] })
        .mapValues { $0.map { $0[1] } }
    }

    private func names(_ columns: [String]) -> String { columns.map { "\"\($0)\"" }.joined(separator: ", ") }

    /// Returns the values of some columns of all rows, sorted.
    func rows(_ table: String, _ columns: [String]) throws -> [Substring] {
      let query = "SELECT \(names(columns)) FROM \"\(table)\""
      return try run(database == .sqlite ? query + ";" : "COPY (\(query)) TO STDOUT;").sorted()
    }

    /// Replaces the rows of a table by those of another database.
    func copy(_ table: String, _ columns: [String], from other: Place) throws {
      let names = names(columns)
      guard database == .postgreSQL else {
        try run(
          """
          ATTACH '\(other.address)' AS other;
          DELETE FROM main."\(table)";
          INSERT INTO main."\(table)" (\(names)) SELECT \(names) FROM other."\(table)";
          """)
        return
      }
      let rows = try other.run("COPY (SELECT \(names) FROM \"\(table)\") TO STDOUT;").joined(separator: "\n")
      try run(
        """
        SET session_replication_role = replica;
        DELETE FROM "\(table)";
        COPY "\(table)" (\(names)) FROM STDIN;
        \(rows)\(rows.isEmpty ? "" : "\n")\\.

        """)
    }
  }

  // MARK: Data

  private static let now = Timestamp(nanoseconds: 1_777_876_200_000_000_000)

  private static func parsed<Value: Kind>(_ kind: Value.Type, _ text: String) throws -> Value {
    try Value(client: try JSON(parsing: Array(text.utf8)))
  }

  /// Stores people with all that belongs to their accounts, and what a fleet works with.
  private static func fill(_ storage: StoredFleet) async throws {
    let fleet = try parsed(Fleet.self, #"{"name":"North","timeZone":"Europe/Vienna"}"#)
    let vehicle = try parsed(
      Vehicle.self, #"{"id":"VAN-1","name":"Kühlwagen","tankCapacity":60.5,"notes":"a\nb \\|'"}"#)
    var person = try parsed(
      Person.self, #"{"email":"ann@example.org","firstName":"Änn","lastName":"O'Neil","roles":["admin","driver"]}"#)
    person.passwordHash = "$argon2id$v=19$m=8,t=1,p=1$AAAA$BBBB"
    person.knownAddresses = "0123456789abcdef"
    let driver = try parsed(Driver.self, #"{"name":"Dora","licenceNumber":"X1","licenceExpiry":"2030-05-04"}"#)
    let money = #""amount":{"amount":"49.90","currency":"EUR"}"#
    let expense = try parsed(
      Expense.self, #"{"vehicleId":"VAN-1","at":"2026-05-04T06:30:00Z","category":"toll",\#(money)}"#)
    let fuel = try parsed(
      FuelEntry.self,
      #"{"vehicleId":"VAN-1","at":"2026-05-04T07:00:00Z","energy":"diesel","quantity":40.25,"unit":"L","full":true}"#)
    let rule = try parsed(NotificationRule.self, #"{"name":"R","events":["defectOpened"],"channels":["inApp"]}"#)
    let before = (person, driver, vehicle)
    try await storage.change(tenant: .standard, by: Actor(.command), at: now) { transaction throws(ThingError) in
      let person = before.0
      var (driver, vehicle) = (before.1, before.2)
      vehicle.fleetID = try transaction.insert(fleet).id
      try transaction.insert(vehicle)
      let ann = try transaction.insert(person)
      driver.personID = ann.id
      let dora = try transaction.insert(driver).id
      for form in [Factor.Form.totp, .recoveryCodes, .passkey] {
        var factor = Factor()
        (factor.personID, factor.form, factor.name, factor.isConfirmed) = (ann.id, form, "Phone", true)
        (factor.secret, factor.counter) = ("36e717df.AAAA", 59_262_540)
        if form == .passkey { factor.credentialID = "Y3JlZGVudGlhbA" }
        try transaction.insert(factor)
      }
      var identity = LinkedIdentity()
      (identity.personID, identity.provider, identity.issuer) = (ann.id, "company", "https://id.example")
      identity.subject = "ann-1"
      let linked = try transaction.insert(identity).id
      for (transport, secret) in [(Session.Transport.cookie, "cookie"), (.token, "access")] {
        _ = try transaction.beginSession(
          NewSession(
            transport: transport, secret: Secret.hash(of: secret),
            refreshSecret: transport == .token ? Secret.hash(of: "refresh") : nil,
            refreshFamily: transport == .token ? Secret.hash(of: "family") : nil, client: "Firefox | \t ü",
            address: "192.0.2.1", addressHash: "00ff", identity: transport == .cookie ? linked : nil),
          id: .random(at: now), of: try transaction.existing(ann.id, Person.self), SessionLimits())
      }
      try transaction.issueTicket(.invitation, Secret.hash(of: "link"), of: ann.id, seconds: 600)
      var mail = QueuedMail()
      (mail.personID, mail.recipient, mail.details) = (ann.id, ann.value.email, "36e717df.BBBB")
      mail.expiresAt = now.adding(seconds: 600)
      try transaction.insert(mail)
      var assignment = Assignment()
      (assignment.driver, assignment.vehicle, assignment.from) = (dora, "VAN-1", now)
      try transaction.insert(assignment)
      var journey = Journey()
      (journey.driverID, journey.vehicle, journey.status) = (dora, "VAN-1", .inProgress)
      journey.startTime = now
      journey.log = [JourneyEvent(.started, id: .random(at: now), at: now)]
      try transaction.insert(journey)
      try transaction.insert(expense)
      try transaction.insert(fuel)
      try transaction.insert(rule)
    }
  }

  /// The lines of a tenant's archive, without its head, which has the time, a new ID and the version.
  private static func archive(_ storage: StoredFleet) async throws -> [Substring] {
    let text = Collected()
    try await TenantExport(storage: storage, tenant: .standard, contents: nil).write(at: now) { text.add($0) }
    return text.lines
  }

  private final class Collected: @unchecked Sendable {
    private let lock = NSLock()
    private var bytes: [UInt8] = []

    func add(_ more: [UInt8]) { lock.withLock { bytes += more } }
    var lines: [Substring] {
      Array(lock.withLock { String(decoding: bytes, as: UTF8.self) }.split(separator: "\n").dropFirst())
    }
  }

  /// The versions from which a database is upgraded: the previous one, and those before it whose later steps have only
  /// added tables and columns.
  private static let steps = [1, 2]

  @Test(arguments: TestServer.Database.allCases, steps)
  func data_of_an_earlier_version_are_the_same_after_the_upgrade(
    _ database: TestServer.Database, _ steps: Int
  ) async throws {
    let folder = try ScratchFolder()
    let path = folder.path
    let newest = SQLiteSchema.steps.count
    let (present, earlier) = try await runBlocking {
      (try Place(database, path, "present"), try Place(database, path, "earlier"))
    }
    let filled = try await present.open(steps: newest)
    try await Self.fill(filled)
    let expected = try await Self.archive(filled)
    #expect(expected.contains { $0.contains("Änn") } && expected.contains { $0.contains("49.90") })
    await filled.close()
    try await earlier.open(steps: newest - steps).close()
    let (tables, before) = try await runBlocking {
      let (all, old) = (try present.tables(), try earlier.tables())
      var tables: [String: [String]] = [:]
      for (table, columns) in old {
        let common = columns.filter { all[table]?.contains($0) ?? false }
        guard !common.isEmpty else { continue }
        try earlier.copy(table, common, from: present)
        tables[table] = common
      }
      var before: [String: [Substring]] = [:]
      for (table, columns) in tables { before[table] = try earlier.rows(table, columns) }
      return (tables, before)
    }
    for table in [
      "person", "session", "factor", "ticket", "queued_mail", "linked_identity", "journey", "expense", "audit",
    ] {
      #expect(before[table]?.isEmpty == false, "\(table)")
    }
    // Upgrade the database, and compare its data with those before.
    let upgraded = try await earlier.open(steps: newest)
    #expect(try await upgraded.health().schemaVersion == newest)
    #expect(try await Self.archive(upgraded) == expected)
    let found = try await upgraded.principals([Secret.hash(of: "cookie"), Secret.hash(of: "access")])
    #expect(found.count == 2)
    var verification = AuditVerification()
    while try await verification.checkPage(of: upgraded, tenant: .standard) {}
    #expect(verification.number > 0)
    await upgraded.close()
    try await runBlocking { () throws in
      for (table, columns) in tables {
        #expect(try earlier.rows(table, columns) == before[table], "\(table)")
      }
    }
  }
}
