import FleetDomain
import FleetStorageTestKit
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

/// The behaviour of a server with a restored backup, and the responses to readers of the feed.
@Suite struct RestorationTests {
  private static func serve(_ path: String) throws -> StoredFleet { try StoredFleet(sqlite: path, as: .server) }

  private static func store(_ numbers: Range<Int>, _ storage: StoredFleet) async throws {
    try await storage.store(numbers.map { Sample.record($0) })
  }

  /// Writes into the existing file, as `cp` does.
  private static func copy(_ from: String, over to: String) throws {
    for end in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: to + end) {
      try FileManager.default.removeItem(atPath: to + end)
    }
    try Data(contentsOf: URL(fileURLWithPath: from)).write(to: URL(fileURLWithPath: to))
  }

  private static func expectGone(_ positions: [Int64], _ storage: StoredFleet) async {
    for position in positions {
      let error = await #expect(throws: StorageError.self) {
        try await storage.changes(after: FeedPosition(rawValue: position), limit: 10, tenant: .standard)
      }
      #expect(error?.kind == .positionGone, "\(position)")
    }
  }

  @Test func feed_positions_since_a_backup_are_invalid_after_its_restore() async throws {
    let folder = try ScratchFolder()
    let (path, backup) = (folder.file("fleet.db"), folder.file("backup.db"))
    var storage = try Self.serve(path)
    #expect(!storage.wasRestored)
    try await Self.store(0..<3, storage)
    await storage.close()
    try Self.copy(path, over: backup)
    var positions: [Int64] = [1, 3, 4, 5]
    var last: Int64 = 5
    // The same backup is restored twice: positions that were returned in between are invalid as well.
    for round in 0..<2 {
      storage = try Self.serve(path)
      #expect(storage.wasRestored == (round > 0))
      try await Self.store((10 * round + 3)..<(10 * round + 5), storage)
      last = try await storage.feedPosition(tenant: .standard).rawValue
      await storage.close()
      try Self.copy(backup, over: path)
      positions += [last - 1, last]
    }
    storage = try Self.serve(path)
    #expect(storage.wasRestored)
    await Self.expectGone(positions, storage)
    let start = try await storage.feedPosition(tenant: .standard)
    #expect(start.rawValue > last && start.rawValue < 1 << 53)
    try await Self.store(50..<52, storage)
    // Readers whose positions were restored with the feed miss nothing: neither old changes nor new ones.
    for (position, rest) in [(0, [0, 1, 2, 50, 51]), (1, [1, 2, 50, 51]), (3, [50, 51])] as [(Int64, [Int])] {
      let (changes, _) = try await storage.changes(
        of: [.known(.telemetry)], vehicle: nil, after: FeedPosition(rawValue: position), limit: 10, tenant: .standard)
      #expect(changes.map(\.record.number) == rest, "after \(position)")
    }
    let changes = try await storage.changes(after: start, limit: 10, tenant: .standard)
    #expect(changes.map(\.record.number) == [50, 51])
    #expect(
      try await storage.changes(after: changes[0].position, limit: 10, tenant: .standard).map(\.record.number) == [51])
    await storage.close()
    // From then on it is the same store.
    storage = try Self.serve(path)
    #expect(!storage.wasRestored)
    #expect(try await storage.feedPosition(tenant: .standard) == changes[1].position)
    await storage.close()
  }

  /// Changes that create no record.
  enum Change: CaseIterable {
    case gateway, key, revokedToken, vehicle, person, commandAlone, commandBesideServer
  }

  private static func make(_ change: Change, _ storage: StoredFleet, _ path: String) async throws {
    switch change {
    case .gateway, .commandAlone, .commandBesideServer:
      _ = try await storage.addGateway(
        "gw-new", allowedVehicles: [], key: Sample.secret(2), tenant: .standard, at: Sample.now)
    case .key: _ = try await storage.rotateKey(Sample.secret(3), gateway: "gw-1", tenant: .standard, at: Sample.now)
    case .revokedToken: try await storage.revokeToken(Sample.epoch, tenant: .standard, at: Sample.now)
    case .vehicle:
      _ = try await storage.addVehicle("VAN-9", tenant: .standard, at: Sample.now)
    case .person:
      try await storage.change(tenant: .standard, by: Actor(.command), at: Sample.now) { things throws(ThingError) in
        var person = Person()
        person.email = EmailAddress("p@example.com")
        (person.firstName, person.lastName) = ("A", "B")
        try things.insert(person)
      }
    }
  }

  @Test(arguments: Change.allCases)
  func a_restored_backup_is_noticed_if_one_thing_has_changed_since(_ change: Change) async throws {
    let folder = try ScratchFolder()
    let (path, backup) = (folder.file("fleet.db"), folder.file("backup.db"))
    var storage = try Self.serve(path)
    _ = try await storage.addGateway(
      "gw-1", allowedVehicles: [], key: Sample.secret(1), tenant: .standard, at: Sample.now)
    try await storage.addToken(
      OperatorToken(id: Sample.epoch, label: "", role: .admin, addedAt: Sample.now), secret: Sample.secret(9),
      tenant: .standard)
    try await Self.store(0..<3, storage)
    let position = try await storage.feedPosition(tenant: .standard).rawValue
    await storage.close()
    try Self.copy(path, over: backup)
    if change == .commandAlone {
      storage = try StoredFleet(sqlite: path, as: .command)
      try await Self.make(change, storage, path)
    } else {
      storage = try Self.serve(path)
      #expect(!storage.wasRestored)
      if change == .commandBesideServer {
        let command = try StoredFleet(sqlite: path, as: .command)
        try await Self.make(change, command, path)
        await command.close()
      } else {
        try await Self.make(change, storage, path)
      }
    }
    await storage.close()
    // Without a restore, nothing is reported.
    storage = try Self.serve(path)
    #expect(!storage.wasRestored)
    #expect(try await storage.feedPosition(tenant: .standard).rawValue == position)
    await storage.close()
    try Self.copy(backup, over: path)
    storage = try Self.serve(path)
    #expect(storage.wasRestored)
    await Self.expectGone([0, position], storage)
    await storage.close()
    storage = try Self.serve(path)
    #expect(!storage.wasRestored)
    await storage.close()
  }

  @Test func commands_do_not_hide_a_restored_backup() async throws {
    let folder = try ScratchFolder()
    let (path, backup) = (folder.file("fleet.db"), folder.file("backup.db"))
    var storage = try Self.serve(path)
    await storage.close()
    try Self.copy(path, over: backup)
    storage = try Self.serve(path)
    _ = try await storage.addGateway(
      "gw-1", allowedVehicles: [], key: Sample.secret(1), tenant: .standard, at: Sample.now)
    await storage.close()
    try Self.copy(backup, over: path)
    // More changes than the lost copy had.
    storage = try StoredFleet(sqlite: path, as: .command)
    for number in 2..<12 {
      _ = try await storage.addGateway(
        "gw-\(number)", allowedVehicles: [], key: Sample.secret(UInt8(number)), tenant: .standard, at: Sample.now)
    }
    await storage.close()
    storage = try Self.serve(path)
    #expect(storage.wasRestored)
    await storage.close()
    storage = try Self.serve(path)
    #expect(!storage.wasRestored)
    await storage.close()
  }

  @Test func a_backup_of_an_earlier_version_is_compared_by_its_feed_positions() async throws {
    let folder = try ScratchFolder()
    let (path, backup) = (folder.file("fleet.db"), folder.file("backup.db"))
    var storage = try Self.serve(path)
    try await Self.store(0..<3, storage)
    // The database and the file are in the form of an earlier version.
    let file = try String(contentsOfFile: path + "-server", encoding: .utf8)
    _ = try await storage.engine.write { session throws(StoreFailure) in
      try session.run("DELETE FROM setting WHERE name = 'changes'", [])
    }
    await storage.close()
    func without(_ name: String) throws {
      let told = try Tool.run("sqlite3", [path, "DELETE FROM setting WHERE name = '\(name)'"])
      #expect(told.status == 0, "\(told.errors)")
    }
    try without("changes")
    let lines = file.split(separator: "\n").prefix(4).joined(separator: "\n")
    try (lines + "\nchanges 3\n").write(toFile: path + "-server", atomically: false, encoding: .utf8)
    try Self.copy(path, over: backup)
    storage = try Self.serve(path)
    #expect(!storage.wasRestored)
    _ = try await storage.addGateway(
      "gw-1", allowedVehicles: [], key: Sample.secret(1), tenant: .standard, at: Sample.now)
    await storage.close()
    try Self.copy(backup, over: path)
    storage = try Self.serve(path)
    #expect(storage.wasRestored)
    await storage.close()
  }

  @Test func a_copy_of_the_current_database_is_not_taken_as_restored() async throws {
    let folder = try ScratchFolder()
    let (path, backup) = (folder.file("fleet.db"), folder.file("backup.db"))
    var storage = try Self.serve(path)
    try await Self.store(0..<3, storage)
    await storage.close()
    try Self.copy(path, over: backup)
    try Self.copy(backup, over: path)
    storage = try Self.serve(path)
    #expect(!storage.wasRestored)
    #expect(try await storage.changes(after: FeedPosition(rawValue: 1), limit: 9, tenant: .standard).count == 2)
    await storage.close()
  }

  @Test(arguments: ["another file", "without its own file", "another store"])
  func a_database_from_another_place_is_detected(_ way: String) async throws {
    let folder = try ScratchFolder()
    let (path, other) = (folder.file("fleet.db"), folder.file("other.db"))
    for path in [path, other] {
      let storage = try Self.serve(path)
      try await Self.store(0..<3, storage)
      await storage.close()
    }
    switch way {
    case "another file":
      // The file is replaced by a new one, as rsync and tar do it.
      try FileManager.default.copyItem(atPath: path, toPath: path + ".new")
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: path + ".new", toPath: path)
    case "without its own file": try FileManager.default.removeItem(atPath: path + "-server")
    default: try Self.copy(other, over: path)
    }
    let storage = try Self.serve(path)
    #expect(storage.wasRestored)
    await Self.expectGone([0, 3], storage)
    await storage.close()
  }

  @Test func a_recreated_postgresql_database_is_detected() async throws {
    try await TestedFleet.with(.postgreSQL) { fleet in
      var server = try await StoredFleet(postgreSQL: fleet.address, as: .server)
      #expect(!server.wasRestored)
      try await Self.store(0..<3, server)
      await server.close()
      server = try await StoredFleet(postgreSQL: fleet.address, as: .server)
      #expect(!server.wasRestored)
      // pg_restore restores the setting, and creates tables with other numbers.
      _ = try await server.engine.write { session throws(StoreFailure) in
        try session.run(
          "UPDATE setting SET value = $1 WHERE name = 'origin'", [.bytes(Array("1 2 00000001".utf8))])
      }
      await server.close()
      server = try await StoredFleet(postgreSQL: fleet.address, as: .server)
      #expect(server.wasRestored)
      await Self.expectGone([1, 3, 5], server)
      await server.close()
    }
  }

  @Test(arguments: Kind.allCases)
  func the_restored_command_invalidates_all_feed_positions(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let other = try #require(TenantID("other"))
      try await fleet.storage.addTenant(other, at: Sample.now)
      try await Self.store(0..<3, fleet.storage)
      try await fleet.storage.recordRestoration()
      await Self.expectGone([0, 3], fleet.storage)
      try await Self.store(3..<4, fleet.storage)
      let end = try await fleet.storage.feedPosition(tenant: .standard)
      let before = FeedPosition(rawValue: end.rawValue - 1)
      #expect(try await fleet.storage.changes(after: before, limit: 9, tenant: .standard).map(\.record.number) == [3])
      // Records stay.
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).count == 4)
      #expect(try await fleet.storage.feedPosition(tenant: other).rawValue > 1 << 40)
      // The changes before the restore were kept for the server's own readers.
      #expect(try await fleet.storage.removeChanges(before: Sample.time(1e9), keeping: 10) == 4)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_feed_is_trimmed_by_the_number_of_changes_of_all_generations(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      for first in [0, 4, 8] {
        for number in first..<(first + 4) { try await Self.store(number..<(number + 1), fleet.storage) }
        if first < 8 { try await fleet.storage.recordRestoration() }
      }
      func rest(after position: Int64) async throws -> [Int] {
        try await fleet.storage.changes(
          of: [.known(.telemetry)], vehicle: nil, after: FeedPosition(rawValue: position), limit: 100,
          tenant: .standard
        ).changes.map(\.record.number)
      }
      #expect(try await fleet.storage.removeChanges(before: Sample.time(0), keeping: 12) == 0)
      #expect(try await rest(after: 0) == Array(0..<12))
      #expect(try await fleet.storage.removeChanges(before: Sample.time(0), keeping: 10) == 2)
      #expect(try await rest(after: 2) == Array(2..<12))
      #expect(try await rest(after: 4) == Array(4..<12))
      #expect(try await fleet.storage.removeChanges(before: Sample.time(0), keeping: 6) == 4)
      let gone = await #expect(throws: StorageError.self) { try await rest(after: 4) }
      #expect(gone?.kind == .positionGone)
      #expect(try await fleet.storage.removeChanges(before: Sample.time(0), keeping: 3) == 3)
      #expect(try await fleet.storage.counts().changesRemoved == 9)
      let end = try await fleet.storage.feedPosition(tenant: .standard).rawValue
      #expect(try await rest(after: end - 3) == [9, 10, 11])
    }
  }

  @Test(arguments: Kind.allCases)
  func all_keys_made_after_a_time_can_be_revoked(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let (storage, other) = (fleet.storage, try #require(TenantID("other")))
      try await storage.addTenant(other, at: Sample.now)
      for (index, tenant) in [TenantID.standard, .standard, other].enumerated() {
        let time = Sample.time(Double(index) * 10)
        let number = UInt8(index)
        try await storage.addToken(
          OperatorToken(
            id: UUIDv7(milliseconds: 1, first: 1, rest: UInt64(index)), label: "", role: .admin, addedAt: time),
          secret: Sample.secret(number), tenant: tenant)
        _ = try await storage.addGateway(
          "gw-\(index)", allowedVehicles: ["VAN-\(index)"], key: Sample.secret(number + 10), tenant: tenant, at: time)
      }
      let position = try await storage.revocations(after: nil, limit: 9).position
      func good(_ secret: UInt8) async throws -> Bool {
        switch try await storage.principal(Sample.secret(secret)) {
        case .token(let token, _): token.revokedAt == nil
        case .gateway(let gateway, _): gateway.revokedAt == nil
        case .person, nil: false
        }
      }
      let moment = Sample.time(5)
      #expect(try await storage.revokeTokens(madeAfter: moment, tenant: .standard, at: Sample.time(99)) == 1)
      #expect(try await storage.revokeGateways(madeAfter: moment, tenant: .standard, at: Sample.time(99)) == 1)
      for (secret, isGood) in [(0, true), (1, false), (2, true), (10, true), (11, false), (12, true)] {
        #expect(try await good(UInt8(secret)) == isGood, "\(secret)")
      }
      #expect(try await storage.revocations(after: position, limit: 9).tokens.count == 1)
      #expect(try await storage.revokeTokens(madeAfter: moment, tenant: nil, at: Sample.time(99)) == 1)
      #expect(try await storage.revokeGateways(madeAfter: moment, tenant: nil, at: Sample.time(99)) == 1)
      #expect(try await !good(2))
      #expect(try await !good(12))
      // Vehicles of a gateway with a revoked key do not block other gateways.
      let taken = try await storage.ingest(
        [Sample.record(1, vehicle: "VAN-1", gateway: "gw-9")], from: .gateway(Sample.gateway("gw-9")),
        tenant: .standard, at: Sample.now)
      #expect(taken == [.stored])
    }
  }
}
