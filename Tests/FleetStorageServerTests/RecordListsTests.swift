import FleetDomain
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct RecordListsTests {
  @Test(arguments: Kind.allCases)
  func pages_give_every_record_once_in_both_orders(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      // Some times are equal, some ids are from a wrong clock (1970, 2000, 2150), and some records have no time.
      let ids: [UInt64?] = [nil, 1_000, 946_684_800_000, 5_680_281_600_000]
      let records = (0..<60).map {
        Sample.record($0, at: Double($0 * 7 % 20), noTime: $0 % 12 == 5, idAt: ids[$0 % 4].map { $0 + 1 })
      }
      try await fleet.storage.store(records.shuffled())
      let expected = records.sorted {
        let (a, b) = ($0.time?.nanoseconds ?? .min, $1.time?.nanoseconds ?? .min)
        return a != b ? a < b : $0.sequence < $1.sequence
      }.map(\.sequence)
      for limit in [1, 7, 1_000] {
        var query = RecordQuery.telemetry(of: "VAN-001", limit: limit)
        #expect(try await fleet.storage.all(query).map { UInt64($0.number + 1) } == expected)
        query.order = .newestFirst
        #expect(try await fleet.storage.all(query).map { UInt64($0.number + 1) } == expected.reversed())
      }
    }
  }

  /// Ids of one millisecond are random: their order is not that in which the gateway made the records.
  @Test(arguments: Kind.allCases)
  func seq_orders_records_of_one_time_everywhere(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let numbers = Array(1...40)
      // Returns records whose ids decrease while their numbers increase.
      func records(_ type: String) -> [IncomingRecord] {
        numbers.map { Sample.record($0, type, at: 5, idAt: UInt64(Sample.day) + 5_000 - UInt64($0)) }
      }
      for type in ["telemetry", "driving", "trip"] { try await fleet.storage.store(records(type)) }
      for limit in [1, 7, 100] {
        var queries = [RecordQuery.telemetry(of: "VAN-001", limit: limit)]
        for vehicle in ["VAN-001", nil] {
          for classes in [RecordQuery.eventClasses, RecordQuery.tripClasses] {
            queries.append(RecordQuery(vehicle: vehicle, classes: classes, order: .oldestFirst, limit: limit))
          }
        }
        for var query in queries {
          #expect(try await fleet.storage.all(query).map(\.number) == numbers)
          query.order = .newestFirst
          #expect(try await fleet.storage.all(query).map(\.number) == numbers.reversed())
        }
      }
      let every = RecordQuery.telemetry(of: "VAN-001", every: 1_000)
      #expect(try await fleet.storage.all(every).map(\.number) == [40])
      let latest = try #require(try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard))
      #expect(latest.telemetry?.number == 40 && latest.others.map(\.number) == [40, 40])
      let changes = try await fleet.storage.changes(after: .start, limit: 1_000, tenant: .standard)
      #expect(changes.map(\.record.number) == numbers + numbers + numbers)
    }
  }

  @Test(arguments: Kind.allCases)
  func from_is_inclusive_and_to_is_not(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      try await fleet.storage.store((0..<10).map { Sample.record($0) })
      for order in [RecordQuery.Order.oldestFirst, .newestFirst] {
        var query = RecordQuery.telemetry(of: "VAN-001", from: Sample.time(3), to: Sample.time(7), limit: 2)
        query.order = order
        #expect(try await fleet.storage.all(query).map(\.number).sorted() == [3, 4, 5, 6])
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func pages_stay_as_they_are_while_records_come_in(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      try await fleet.storage.store((0..<20).map { Sample.record($0 * 2) })
      var query = RecordQuery.telemetry(of: "VAN-001", limit: 5)
      query.order = .newestFirst
      let first = try await fleet.storage.records(query, tenant: .standard)
      // Newer records are stored, and older ones between those that follow on later pages.
      try await fleet.storage.store((0..<60).map { Sample.record($0 * 2 + 1) })
      query.cursor = first.next
      let rest = try await fleet.storage.all(query)
      #expect(first.items.map(\.number) == [38, 36, 34, 32, 30])
      #expect(rest.map(\.number) == Array((0...29).reversed()))
    }
  }

  @Test(arguments: Kind.allCases)
  func lists_of_all_vehicles_mix_classes_in_the_order_of_time(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let types = ["driving", "geofence", "adapter", "gap", "monitors", "vehicle", "novelty", "trip", "dtc"]
      let records = (0..<90).map {
        Sample.record($0, types[$0 % 9], at: Double($0 % 30), vehicle: "VAN-\($0 % 4)")
      }
      try await fleet.storage.store(records)
      let expected = records.indices.filter { $0 % 9 < 7 }.sorted { $0 % 30 != $1 % 30 ? $0 % 30 < $1 % 30 : $0 < $1 }
      for limit in [4, 100] {
        var query = RecordQuery(vehicle: nil, classes: RecordQuery.eventClasses, order: .oldestFirst, limit: limit)
        let found = try await fleet.storage.all(query)
        #expect(found.map(\.number) == expected)
        #expect(found.map(\.vehicle) == expected.map { "VAN-\($0 % 4)" })
        query.order = .newestFirst
        #expect(try await fleet.storage.all(query).map(\.number) == expected.reversed())
      }
      let trips = RecordQuery(vehicle: "VAN-3", classes: RecordQuery.tripClasses)
      #expect(try await fleet.storage.all(trips).allSatisfy { $0.text.contains(#""type":"trip""#) })
      #expect(try await fleet.storage.all(trips).count == 3)
    }
  }

  @Test(arguments: Kind.allCases)
  func the_same_id_in_two_vehicles_and_classes_is_listed_each_time(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let records = ["driving", "gap"].flatMap { type in
        ["A", "B", "C"].map { Sample.record(1, type, vehicle: $0) }
      }
      try await fleet.storage.store(records)
      for order in [RecordQuery.Order.oldestFirst, .newestFirst] {
        let query = RecordQuery(vehicle: nil, classes: RecordQuery.eventClasses, order: order, limit: 1)
        let found = try await fleet.storage.all(query)
        #expect(found.count == 6)
        #expect(Set(found.map { "\($0.vehicle) \($0.recordClass.name)" }).count == 6)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func a_cursor_is_valid_only_for_its_own_query(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let other = try #require(TenantID("other"))
      try await fleet.storage.addTenant(other, at: Sample.now)
      for tenant in [TenantID.standard, other] {
        try await fleet.storage.store((0..<10).map { Sample.record($0) }, tenant: tenant)
      }
      var query = RecordQuery.telemetry(of: "VAN-001", limit: 3)
      let cursor = try #require(try await fleet.storage.records(query, tenant: .standard).next)
      let bytes = Array(cursor.utf8)
      var tampered = (0..<bytes.count).map { place in
        var changed = bytes
        changed[place] = changed[place] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        return String(decoding: changed, as: UTF8.self)
      }
      tampered += ["", "x", cursor.uppercased() == cursor ? cursor + "00" : cursor.uppercased(), cursor + "00"]
      for text in tampered {
        query.cursor = text
        let error = await #expect(throws: StorageError.self) {
          try await fleet.storage.records(query, tenant: .standard)
        }
        #expect(error?.kind == .invalidCursor)
      }
      query.cursor = cursor
      let crossed = await #expect(throws: StorageError.self) { try await fleet.storage.records(query, tenant: other) }
      #expect(crossed?.kind == .invalidCursor)
      query.from = Sample.time(1)
      let changed = await #expect(throws: StorageError.self) {
        try await fleet.storage.records(query, tenant: .standard)
      }
      #expect(changed?.kind == .invalidCursor)
    }
  }

  @Test(arguments: Kind.allCases)
  func invalid_queries_are_rejected(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      try await fleet.storage.store([Sample.record(1)])
      let questions: [RecordQuery] = [
        RecordQuery(vehicle: nil, classes: [.known(.telemetry)]),
        .telemetry(of: "VAN-001", limit: 0), .telemetry(of: "VAN-001", limit: 10_001),
        .telemetry(of: "VAN-001", every: 0), .telemetry(of: "VAN-001", every: .max),
        RecordQuery(vehicle: "VAN-001", classes: [.known(.telemetry)], every: 1_000, order: .newestFirst),
      ]
      for question in questions {
        let error = await #expect(throws: StorageError.self) {
          try await fleet.storage.records(question, tenant: .standard)
        }
        #expect(error?.kind == .invalidQuery)
      }
      let error = await #expect(throws: StorageError.self) {
        try await fleet.storage.records(.telemetry(of: "nobody"), tenant: .standard)
      }
      #expect(error?.kind == .notFound)
    }
  }
}
