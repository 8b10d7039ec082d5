import FleetDomain
import FleetStorageTestKit
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

@Suite struct MigrationTests {
  private static func open(_ kind: Kind, _ address: String, steps: Int) async throws -> StoredFleet {
    // A further step, as a later version may add it.
    let later = "ALTER TABLE vehicle ADD COLUMN colour text DEFAULT 'white'"
    switch kind {
    case .sqlite:
      let all = SQLiteSchema.steps + [later]
      return StoredFleet(engine: try SQLiteEngine(path: address, steps: Array(all.prefix(steps))))
    case .postgreSQL:
      let all = PostgreSQLSchema.steps + [later]
      return StoredFleet(
        engine: try await PostgreSQLEngine(
          address: PostgreSQLAddress(parsing: address), connections: 2, steps: Array(all.prefix(steps))))
    }
  }

  /// Adds a vehicle in the form in which a version stored it.
  private static func oldVehicle(
    _ session: any StoreSession, _ tenant: Int32, version: Int
  ) throws(StoreFailure) -> VehicleRow {
    let later: [(column: String, value: SQLValue)] =
      version < 10
      ? []
      : [("thing", .identifier(Sample.record(0).id)), ("updated", .integer(Sample.day)), ("search", .text("kn-x 17"))]
    try session.run(
      """
      INSERT INTO vehicle (tenant, id, name, licence_plate, registered_by, added\(later.map { ", " + $0.column }.joined()))
      VALUES ($1, $2, $3, $4, $5, $6\(later.indices.map { ", $\($0 + 7)" }.joined()))
      """,
      [
        SQLValue(tenant), .text("VAN-001"), .text("Kühlwagen"), .text("KN-X 17"), .text("gw-17"),
        .integer(Sample.day),
      ] + later.map(\.value))
    return VehicleRow(key: try key(session), id: "VAN-001", vin: nil, registeredBy: "gw-17")
  }

  /// Returns the key of the vehicle, from columns that every version has.
  private static func key(_ session: any StoreSession) throws(StoreFailure) -> Int32 {
    guard let row = try session.rows("SELECT key FROM vehicle WHERE id = 'VAN-001'", []).first else {
      throw StoreFailure(.system, "VAN-001", "not stored")
    }
    return Int32(row.integer(0))
  }

  /// Stores five records in the form in which earlier versions stored them.
  private static func fill(_ storage: StoredFleet, _ kind: Kind, version: Int = 1) async throws {
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
      let vehicle = try oldVehicle(session, tenant, version: version)
      for record in (0..<5).map({ Sample.record($0) }) {
        try session.run(
          """
          INSERT INTO record (tenant, vehicle, class, time, id, quality, body\(version < 5 ? "" : ", seq"))
          VALUES ($1, $2, 0, $3, $4, 0, $5\(version < 5 ? "" : ", $6"))
          """,
          [
            SQLValue(tenant), SQLValue(vehicle.key), .integer(StoredTime.column(record.time)), .identifier(record.id),
            .bytes(record.body),
          ] + (version < 5 ? [] : [.integer(Int64(record.sequence))]))
      }
      // Since version 41, each transaction also adds the sizes of its records.
      guard version >= 41 else { return }
      let bytes = (0..<5).reduce(Int64(0)) { $0 + Int64(Sample.record($1).body.count) + 100 }
      try session.run(
        "UPDATE tenant SET record_bytes = record_bytes + $1 WHERE key = $2", [.integer(bytes), SQLValue(tenant)])
      guard kind == .postgreSQL else { return }
      try session.run(
        "INSERT INTO part_bytes (class, month, tenant, bytes) VALUES (0, $1, $2, $3)",
        [.integer(Int64(IdMonth(at: Sample.now).index)), SQLValue(tenant), .integer(bytes)])
    }
  }

  @Test func sqlite_and_postgresql_have_the_same_schema_version() {
    #expect(SQLiteSchema.steps.count == PostgreSQLSchema.steps.count)
  }

  private static func newAddress(_ kind: Kind, _ folder: borrowing ScratchFolder) async throws -> String {
    if kind == .sqlite { return folder.file("old.db") }
    let server = try await runBlocking({ try PostgreSQLServer.shared })
    return try await runBlocking { try server.database() }
  }

  /// The versions from which a database may have to be upgraded.
  private static let versions = Array(1..<SQLiteSchema.steps.count)

  /// Returns a cursor after the second record, in the form of an earlier version.
  private static func oldCursor(
    _ query: RecordQuery, _ storage: StoredFleet, version: Int
  ) async throws -> String {
    let key = storage.engine.cursorKey
    return try await storage.engine.read { session throws(StoreFailure) in
      let tenant = try session.existing(.standard)
      let vehicle = try Self.key(session)
      let record = Sample.record(1)
      let cursor = PageCursor(
        time: StoredTime.column(record.time), sequence: version < 5 ? nil : Int64(record.sequence),
        idHigh: record.id.high,
        idLow: record.id.low, vehicle: vehicle, recordClass: 0)
      return cursor.text(scope: RecordPage.scope(query, tenant, vehicle), key: key)
    }
  }

  @Test(arguments: Kind.allCases, versions)
  func a_database_of_an_older_version_is_brought_up_with_its_data(_ kind: Kind, _ version: Int) async throws {
    let folder = try ScratchFolder()
    let address = try await Self.newAddress(kind, folder)
    let old = try await Self.open(kind, address, steps: version)
    var query = RecordQuery.telemetry(of: "VAN-001", limit: 2)
    try await Self.fill(old, kind, version: version)
    query.cursor = try await Self.oldCursor(query, old, version: version)
    await old.close()
    let new = try await kind.open(address)
    #expect(try await new.health().schemaVersion == SQLiteSchema.steps.count)
    #expect(try await new.all(.telemetry(of: "VAN-001")).map(\.number) == [0, 1, 2, 3, 4])
    // Cursors that earlier versions returned are still valid.
    #expect(try await new.all(query).map(\.number) == [2, 3, 4])
    // Existing records are recognised, and new ones are stored in addition.
    let more = [Sample.record(4), Sample.record(5), Sample.record(6, idAt: 2_000_000_000_000)]
    #expect(try await new.store(more) == [.duplicate, .stored, .stored])
    #expect(try await new.all(.telemetry(of: "VAN-001")).map(\.number) == Array(0..<7))
    // The vehicle is now a thing: it can be searched by text, and changed.
    var search = ThingQuery<Vehicle>()
    search.text = "kn-x"
    let wanted = search
    let found = try await new.view(tenant: .standard) { view throws(ThingError) in try view.list(wanted).items }
    let vehicle = try #require(found.first)
    #expect(vehicle.value.id == "VAN-001" && vehicle.value.registeredBy == "gw-17" && vehicle.version == 1)
    #expect(vehicle.createdAt == Sample.time(0) && vehicle.value.status == .available)
    let changed = try await new.updateVehicle("VAN-001", tenant: .standard) { $0.notes = "from before" }
    #expect(changed.id == vehicle.id && changed.version == 2)
    try await new.expectExactSizes(kind)
    await new.close()
  }

  /// Up to version 4, rows had no `seq`, the newest record of an ECU was not stored, and a wrong clock permanently
  /// determined the newest record.
  @Test(arguments: Kind.allCases)
  func records_of_earlier_versions_are_ordered_and_the_newest_are_found(_ kind: Kind) async throws {
    let folder = try ScratchFolder()
    let address = try await Self.newAddress(kind, folder)
    let old = try await Self.open(kind, address, steps: 4)
    // A time in 2020, which is never in the future. `seq` orders events of the same time.
    let (then, place, id) = (-1.9e8, #","latitude":47.5,"longitude":9.25"#, UInt64(Sample.day) - 190_000_000_000)
    let records =
      [
        Sample.record(1, at: then, keys: place), Sample.record(2, at: 7.3e9, quality: "ntp", idAt: id, keys: place),
        Sample.record(3, at: then + 3),
      ] + (10..<20).map { Sample.record($0, "driving", at: then, idAt: id - UInt64($0)) }
      + [
        Sample.record(30, "dtc", at: then + 1, keys: #","ecu":"7E8","mil":true"#),
        Sample.record(31, "dtc", at: then, keys: #","ecu":"7E8""#),
        Sample.record(32, "dtc", at: then + 2, keys: #","ecu":"7E9""#), Sample.record(33, "dtc", at: then),
      ]
    _ = try await old.engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(.standard)
      let vehicle = try Self.oldVehicle(session, tenant, version: 4)
      for record in records {
        try session.run(
          "INSERT INTO record (tenant, vehicle, class, time, id, quality, body) VALUES ($1, $2, $3, $4, $5, 0, $6)",
          [
            SQLValue(tenant), SQLValue(vehicle.key), .integer(Int64(record.kind.recordClass.number)),
            .integer(StoredTime.column(record.time)), .identifier(record.id), .bytes(record.body),
          ])
      }
      if kind == .postgreSQL {
        try session.run("UPDATE part SET min_time = 0, max_time = 9000000000000000 WHERE month = 962", [])
      }
      let last = [SQLValue.integer(StoredTime.column(records[1].time)), .identifier(records[1].id)]
      try session.run("UPDATE vehicle SET last_time = $1, position_time = $1, position_id = $2", last)
      return 0
    }
    await old.close()
    let new = try await kind.open(address)
    let latest = try #require(try await new.latest(vehicle: "VAN-001", tenant: .standard))
    #expect(latest.telemetry?.number == 3 && latest.position?.number == 1)
    #expect(latest.others.map(\.number) == [33, 30, 32, 19])
    #expect(latest.vehicle.value.lastRecordAt == Sample.time(then + 3))
    let telemetry = try await new.all(.telemetry(of: "VAN-001"))
    #expect(telemetry.map(\.number) == [1, 3, 2])
    #expect(telemetry.map(\.isTimeAhead) == [false, false, true])
    #expect(telemetry.map(\.receivedAt) == [nil, nil, nil])
    let events = RecordQuery(vehicle: nil, classes: [.known(.driving)], order: .oldestFirst, limit: 3)
    #expect(try await new.all(events).map(\.number) == Array(10..<20))
    await new.close()
  }

  @Test(arguments: Kind.allCases)
  func a_later_migration_step_keeps_the_data(_ kind: Kind) async throws {
    let fleet = try await TestedFleet(kind)
    try await fleet.storage.store((0..<3).map { Sample.record($0) })
    await fleet.storage.close()
    let added = try await Self.open(kind, fleet.address, steps: SQLiteSchema.steps.count + 1)
    let colours = try await added.engine.read { session throws(StoreFailure) in
      try session.rows("SELECT colour FROM vehicle", [])
    }
    #expect(colours.map { $0.text(0) } == ["white"])
    #expect(try await added.all(.telemetry(of: "VAN-001")).map(\.number) == [0, 1, 2])
    await added.close()
  }

  /// Up to version 3, the vehicles of a gateway were lines of one text.
  @Test(arguments: Kind.allCases)
  func vehicle_lists_are_migrated_to_access_rights(_ kind: Kind) async throws {
    let folder = try ScratchFolder()
    let address = try await Self.newAddress(kind, folder)
    let old = try await Self.open(kind, address, steps: 3)
    let lists = ["gw-1": ["VAN-2", "VAN-001", "Ärger 3"], "gw-2": [], "gw-3": ["VAN-9"]]
    try await old.engine.write { session throws(StoreFailure) in
      let tenant = try session.tenant(.standard) ?? 0
      for (id, vehicles) in lists.sorted(by: { $0.key < $1.key }) {
        try session.run(
          """
          INSERT INTO gateway (tenant, id, allowed, added, secret, secret_at, revoked) VALUES ($1, $2, $3, 0, $4, 0, $5)
          """,
          [
            SQLValue(tenant), .text(id), .text(vehicles.joined(separator: "\n")), .bytes(Array(id.utf8)),
            id == "gw-3" ? .integer(1) : .null,
          ])
      }
    }
    await old.close()
    let new = try await kind.open(address)
    for (id, vehicles) in lists {
      #expect(try await new.gateway(id, tenant: .standard)?.allowedVehicles == vehicles)
    }
    let listed = try await new.gateways(cursor: nil, limit: 10, tenant: .standard).items
    #expect(listed.map(\.allowedVehicles) == [["VAN-2", "VAN-001", "Ärger 3"], [], ["VAN-9"]])
    let taker = Sample.gateway("gw-2")
    let outcomes = try await new.ingest(
      [
        Sample.record(1, vehicle: "VAN-001", gateway: "gw-2"), Sample.record(2, vehicle: "Ärger 3", gateway: "gw-2"),
        Sample.record(3, vehicle: "VAN-9", gateway: "gw-2"), Sample.record(4, vehicle: "AN-2", gateway: "gw-2"),
      ], from: .gateway(taker), tenant: .standard, at: Sample.now)
    #expect(outcomes.map { $0 == .stored } == [false, false, true, true])
    // Keys that existed before are counted.
    let counts = try await new.engine.read { session throws(StoreFailure) in
      try session.rows("SELECT gateways, tokens FROM tenant", [])
    }
    #expect(counts.map { $0.integer(0) } == [3])
    await new.close()
  }

  /// Up to version 25, the own records of a gateway made a vehicle of its name.
  @Test(arguments: Kind.allCases)
  func gateways_that_were_stored_as_vehicles_are_separated(_ kind: Kind) async throws {
    let folder = try ScratchFolder()
    let address = try await Self.newAddress(kind, folder)
    let old = try await Self.open(kind, address, steps: 25)
    // Only the first one was made by records alone; people have used or described the others.
    let ids = ["gw-1", "gw-2", "gw-3", "gw-4", "gw-5", "VAN-1"]
    try await old.engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(.standard)
      for (number, id) in ids.enumerated() {
        try session.run(
          """
          INSERT INTO vehicle (tenant, id, registered_by, added, thing, name, vin) VALUES ($1, $2, $3, $4, $5, $6, $7)
          """,
          [
            SQLValue(tenant), .text(id), .text(id == "VAN-1" ? "gw-1" : id), .integer(Sample.day),
            .identifier(Sample.record(number).id), id == "gw-2" ? .text("Van") : .null,
            id == "gw-3" ? .text("WVWZZZ1JZXW000001") : .null,
          ])
      }
      let vehicle = try session.rows("SELECT key FROM vehicle WHERE id = 'gw-1'", []).first?.integer(0) ?? 0
      for record in (0..<3).map({ Sample.record($0, "trip", vehicle: "gw-1", gateway: "gw-1") }) {
        try session.run(
          """
          INSERT INTO record (tenant, vehicle, class, time, id, quality, body, seq) VALUES ($1, $2, $3, $4, $5, 0, $6, $7)
          """,
          [
            SQLValue(tenant), .integer(vehicle), .integer(Int64(record.kind.recordClass.number)),
            .integer(StoredTime.column(record.time)), .identifier(record.id), .bytes(record.body),
            .integer(Int64(record.sequence)),
          ])
      }
      try session.run(
        """
        INSERT INTO journey (tenant, id, version, created, updated, vehicle_id, purpose, log, status, needs_review, search)
        VALUES ($1, $2, 1, 0, 0, 'gw-4', 'business', '[]', 'planned', 0, '')
        """, [SQLValue(tenant), .identifier(Sample.record(20).id)])
      try session.run(
        "INSERT INTO gateway (tenant, id, added, secret, secret_at) VALUES ($1, 'gw-5', 0, $2, 0)",
        [SQLValue(tenant), .bytes([1])])
      try session.run(
        "INSERT INTO gateway_vehicle (tenant, gateway, vehicle, place, active) VALUES ($1, 'gw-5', 'gw-5', 0, 1)",
        [SQLValue(tenant)])
    }
    await old.close()
    let new = try await kind.open(address)
    let vehicles = try await new.view(tenant: .standard) { view throws(ThingError) in
      try view.list(ThingQuery<Vehicle>(order: [.init("id")])).items.map(\.value.id)
    }
    #expect(vehicles == ["VAN-1", "gw-2", "gw-3", "gw-4", "gw-5"])
    #expect(try await new.gatewaysWithRecords(tenant: .standard) == ["gw-1"])
    let own = RecordQuery(vehicle: nil, gateway: "gw-1", classes: RecordQuery.tripClasses, order: .oldestFirst)
    #expect(try await new.all(own).map(\.number) == [0, 1, 2])
    #expect(try await new.store([Sample.record(1, "trip", vehicle: "gw-1", gateway: "gw-1")]) == [.duplicate])
    #expect(try await new.all(RecordQuery(vehicle: nil, classes: RecordQuery.tripClasses)).isEmpty)
    await new.close()
  }

  @Test(arguments: Kind.allCases)
  func a_database_of_a_newer_version_is_refused(_ kind: Kind) async throws {
    let fleet = try await TestedFleet(kind)
    await fleet.storage.close()
    let ours = SQLiteSchema.steps.count
    try await Self.open(kind, fleet.address, steps: ours + 1).close()
    let error = await #expect(throws: StorageError.self) { try await fleet.another() }
    #expect(error?.kind == .newerSchema)
    #expect(
      error?.detail == "its schema is version \(ours + 1), this program knows up to \(ours): use the newer program")
  }

  @Test func a_database_of_another_program_is_rejected_and_unchanged() async throws {
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

  @Test func an_unreachable_database_is_reported_without_a_password() async throws {
    let error = await #expect(throws: StorageError.self) {
      try await StoredFleet(postgreSQL: "postgresql://fleet:s3cret@127.0.0.1:1/fleet")
    }
    #expect(error?.kind == .unavailable)
    #expect(error?.description.contains("s3cret") == false)
  }
}
