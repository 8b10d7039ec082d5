import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

@Suite struct MigrationTests {
  private static func open(_ kind: Kind, _ address: String, steps: Int) async throws -> StoredFleet {
    // A further step, as a later version brings it.
    let later = "ALTER TABLE vehicle ADD COLUMN colour text DEFAULT 'white'"
    switch kind {
    case .sqlite:
      let all = SQLiteSchema.steps + [later]
      return StoredFleet(engine: try SQLiteEngine(path: address, steps: Array(all.prefix(steps))))
    case .postgreSQL:
      let all = PostgreSQLSchema.steps + [later]
      return StoredFleet(
        engine: try await PostgreSQLEngine(address: address, connections: 2, steps: Array(all.prefix(steps))))
    }
  }

  /// Five records as version 1 kept them.
  private static func fill(_ storage: StoredFleet, _ kind: Kind) async throws {
    try await storage.engine.write { session throws(StoreFailure) in
      if kind == .postgreSQL {
        let bounds = IdMonth(at: Sample.now).bounds
        try session.run(
          """
          CREATE TABLE record_telemetry_202611 PARTITION OF record_telemetry
          FOR VALUES FROM ('\(bounds.from?.string ?? "")') TO ('\(bounds.to?.string ?? "")')
          """, [])
        let month = Int64(IdMonth(at: Sample.now).index)
        try session.run(
          "INSERT INTO part (class, month, min_time, max_time) VALUES (0, $1, $2, $3)",
          [.integer(month), .integer(Sample.day), .integer(Sample.day + 86_399_999)])
      }
      let tenant = try session.tenant(.standard) ?? 0
      let vehicle = try session.register(
        NewVehicle(tenant: tenant, id: "VAN-001", vin: nil, registeredBy: "gw-17", at: Sample.day))
      for record in (0..<5).map({ Sample.record($0) }) {
        try session.run(
          """
          INSERT INTO record (tenant, vehicle, class, time, id, quality, body)
          VALUES ($1, $2, 0, $3, $4, 0, $5)
          """,
          [
            SQLValue(tenant), SQLValue(vehicle.key), .integer(StoredTime.column(record.time)), .identifier(record.id),
            .bytes(record.body),
          ])
      }
    }
  }

  @Test func both_databases_are_at_the_same_version() {
    #expect(SQLiteSchema.steps.count == PostgreSQLSchema.steps.count)
  }

  @Test(arguments: Kind.allCases)
  func a_database_of_version_1_is_brought_up_with_its_data(_ kind: Kind) async throws {
    let folder = try ScratchFolder()
    let address: String
    if kind == .sqlite {
      address = folder.file("old.db")
    } else {
      guard let server = try await aside({ try PostgreSQLServer.shared }) else { return }
      address = try await aside { try server.database() }
    }
    let old = try await Self.open(kind, address, steps: 1)
    try await Self.fill(old, kind)
    var query = RecordQuery.telemetry(of: "VAN-001", limit: 2)
    query.cursor = try await old.records(query, tenant: .standard).next
    await old.close()
    for steps in 1...(SQLiteSchema.steps.count + 1) {
      let new = try await Self.open(kind, address, steps: steps)
      #expect(try await new.health().schemaVersion == steps)
      #expect(try await new.all(.telemetry(of: "VAN-001")).map(\.number) == [0, 1, 2, 3, 4])
      // Cursors that were given out before are good still.
      #expect(try await new.all(query).map(\.number) == [2, 3, 4])
      await new.close()
    }
    let added = try await Self.open(kind, address, steps: SQLiteSchema.steps.count + 1)
    let colours = try await added.engine.read { session throws(StoreFailure) in
      try session.rows("SELECT colour FROM vehicle", [])
    }
    #expect(colours.map { $0.text(0) } == ["white"])
    // What was there is known; what comes is taken in beside it.
    let more = [Sample.record(4), Sample.record(5), Sample.record(6, idAt: 2_000_000_000_000)]
    #expect(try await added.take(more) == [.duplicate, .stored, .stored])
    #expect(try await added.all(.telemetry(of: "VAN-001")).map(\.number) == Array(0..<7))
    await added.close()
  }

  @Test(arguments: Kind.allCases)
  func a_database_of_a_newer_version_is_refused(_ kind: Kind) async throws {
    guard let fleet = try await Fleet(kind) else { return }
    await fleet.storage.close()
    let ours = SQLiteSchema.steps.count
    try await Self.open(kind, fleet.address, steps: ours + 1).close()
    let error = await #expect(throws: StorageError.self) { try await fleet.another() }
    #expect(error?.kind == .newerSchema)
    #expect(
      error?.detail == "its schema is version \(ours + 1), this program knows up to \(ours): use the newer program")
  }

  @Test func a_file_that_is_not_ours_is_refused_and_left_alone() async throws {
    let folder = try ScratchFolder()
    let text = Array(repeating: "not a database\n", count: 100).joined()
    let path = try folder.write("notes.txt", text)
    let error = #expect(throws: StorageError.self) { try StoredFleet(sqlite: path) }
    #expect(error?.kind == .damaged)
    #expect(error?.place == path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    let missing = #expect(throws: StorageError.self) { try StoredFleet(sqlite: folder.file("no/such/fleet.db")) }
    #expect(missing?.kind == .unavailable)
  }

  @Test func a_server_that_is_not_there_is_said_without_a_password() async throws {
    let error = await #expect(throws: StorageError.self) {
      try await StoredFleet(postgreSQL: "postgresql://fleet:s3cret@127.0.0.1:1/fleet")
    }
    #expect(error?.kind == .unavailable)
    #expect(error?.description.contains("s3cret") == false)
  }
}
