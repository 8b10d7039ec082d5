import FleetDomain
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

@Suite struct FeedTests {
  @Test(arguments: Kind.allCases)
  func changes_come_in_the_order_of_commits_and_resume_anywhere(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      for batch in 0..<5 { try await fleet.storage.store((0..<10).map { Sample.record(batch * 10 + $0) }) }
      try await fleet.storage.store([Sample.record(3), Sample.record(60, quality: "system")])
      try await fleet.storage.store([Sample.record(60, quality: "gps")])
      let end = try await fleet.storage.feedPosition(tenant: .standard)
      #expect(end.rawValue == 52)
      let all = try await fleet.storage.changes(after: .start, limit: 1_000, tenant: .standard)
      #expect(all.map(\.record.number) == Array(0..<50) + [60, 60])
      #expect(all.map(\.position.rawValue) == Array(1...52))
      #expect(all.last?.record.quality == .gps)
      for start in [0, 7, 10, 49, 51, 52] {
        let rest = try await fleet.storage.changes(
          after: FeedPosition(rawValue: Int64(start)), limit: 1_000, tenant: .standard)
        #expect(rest == Array(all[start...]))
      }
      var position = FeedPosition.start
      var pieces: [FeedChange] = []
      while true {
        let piece = try await fleet.storage.changes(after: position, limit: 7, tenant: .standard)
        pieces += piece
        guard let last = piece.last else { break }
        position = last.position
      }
      #expect(pieces == all)
    }
  }

  @Test(arguments: Kind.allCases)
  func changes_of_one_vehicle_and_class_leave_out_all_others(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      for batch in 0..<6 {
        try await fleet.storage.store(
          (0..<10).map { number in
            Sample.record(
              batch * 10 + number, number % 2 == 0 ? "trip" : "telemetry", vehicle: number % 3 == 0 ? "V-1" : "V-2")
          })
      }
      let all = try await fleet.storage.changes(after: .start, limit: 1_000, tenant: .standard)
      let expected = all.filter { $0.record.vehicle == "V-1" && $0.record.recordClass == .known(.trip) }
      #expect(expected.count == 12)
      var found: [FeedChange] = []
      var position = FeedPosition.start
      while true {
        let (changes, end) = try await fleet.storage.changes(
          of: [.known(.trip)], vehicle: "V-1", after: position, limit: 5, tenant: .standard)
        #expect(changes.count <= 5)
        found += changes
        guard end != position else { break }
        position = end
      }
      #expect(found == expected && position.rawValue == 60)
      await #expect(throws: StorageError.self) {
        try await fleet.storage.changes(
          of: [.known(.trip)], vehicle: "V-9", after: .start, limit: 5, tenant: .standard)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func a_commit_is_announced_to_its_tenant(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let other = try #require(TenantID("other"))
      try await fleet.storage.addTenant(other, at: Sample.now)
      var own = fleet.storage.announcements(tenant: .standard).makeAsyncIterator()
      var foreign = fleet.storage.announcements(tenant: other).makeAsyncIterator()
      try await fleet.storage.store([Sample.record(1), Sample.record(2)])
      while let position = await own.next(), position.rawValue != 2 {}
      try await fleet.storage.store([Sample.record(1)], tenant: other)
      while let position = await foreign.next(), position.rawValue != 1 { #expect(position.rawValue == 0) }
      await fleet.storage.close()
      while await own.next() != nil {}
      while await foreign.next() != nil {}
    }
  }

  @Test func commits_of_one_server_are_announced_by_another() async throws {
    try await TestedFleet.with(.postgreSQL) { fleet in
      let other = try await fleet.another()
      var positions = other.announcements(tenant: .standard).makeAsyncIterator()
      for number in 0..<3 { try await fleet.storage.store([Sample.record(number)]) }
      while let position = await positions.next(), position.rawValue != 3 {}
      #expect(try await other.changes(after: .start, limit: 10, tenant: .standard).map(\.record.number) == [0, 1, 2])
      await other.close()
    }
  }

  @Test(arguments: Kind.allCases)
  func a_feed_position_that_was_trimmed_or_never_existed_is_reported_as_gone(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      for number in 0..<4 {
        _ = try await fleet.storage.ingest(
          [Sample.record(number)], from: .trusted, tenant: .standard, at: Sample.time(Double(number)))
      }
      try await fleet.storage.removeChanges(before: Sample.time(2), keeping: .max)
      for gone in [0, 1, 5] as [Int64] {
        let error = await #expect(throws: StorageError.self) {
          try await fleet.storage.changes(after: FeedPosition(rawValue: gone), limit: 10, tenant: .standard)
        }
        #expect(error?.kind == .positionGone)
      }
      let rest = try await fleet.storage.changes(after: FeedPosition(rawValue: 2), limit: 10, tenant: .standard)
      #expect(rest.map(\.record.number) == [2, 3])
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).count == 4)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_reader_that_follows_misses_nothing_of_many_writers(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let other = kind == .postgreSQL ? try await fleet.another() : fleet.storage
      async let written: Void = withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<6 {
          group.addTask {
            let storage = writer % 2 == 0 ? fleet.storage : other
            for batch in 0..<20 {
              try await storage.store((0..<5).map { Sample.record(batch * 5 + $0, vehicle: "VAN-\(writer)") })
            }
          }
        }
        try await group.waitForAll()
      }
      var position = FeedPosition.start
      var seen: [String] = []
      for await _ in other.announcements(tenant: .standard) {
        while true {
          let piece = try await other.changes(after: position, limit: 50, tenant: .standard)
          seen += piece.map { "\($0.record.vehicle) \($0.record.number)" }
          guard let last = piece.last else { break }
          position = last.position
        }
        if seen.count >= 600 { break }
      }
      try await written
      #expect(seen.count == 600)
      #expect(Set(seen).count == 600)
      if kind == .postgreSQL { await other.close() }
    }
  }

  @Test func announcements_resume_after_a_database_outage() async throws {
    let server = try await runBlocking({ try PostgreSQLServer() })
    let address = try await runBlocking { try server.database() }
    let reader = try await StoredFleet(postgreSQL: address)
    var positions = reader.announcements(tenant: .standard).makeAsyncIterator()
    let writer = try await StoredFleet(postgreSQL: address)
    try await writer.store([Sample.record(1)])
    while let position = await positions.next(), position.rawValue != 1 {}
    await writer.close()
    try await runBlocking {
      try server.killNow()
      try server.restart()
    }
    // Records that are stored while the listener is disconnected are announced after it reconnects.
    let again = try await StoredFleet(postgreSQL: address)
    try await again.store([Sample.record(2), Sample.record(3)])
    while let position = await positions.next(), position.rawValue != 3 {}
    let missed = try await reader.changes(after: FeedPosition(rawValue: 1), limit: 10, tenant: .standard)
    #expect(missed.map(\.record.number) == [2, 3])
    await again.close()
    await reader.close()
  }
}
