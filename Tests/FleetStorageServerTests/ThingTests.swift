import Crypto
import FleetDomain
import Foundation
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct ThingTests {
  private static let actor = Actor(.command)

  private static func person(_ number: Int, lastName: String? = nil, locale: String? = nil) -> Person {
    var person = Person()
    person.email = EmailAddress("p\(number)@example.com")
    person.firstName = "First \(number)"
    person.lastName = lastName ?? "Last \(number)"
    person.roles = [.driver]
    person.locale = locale
    return person
  }

  /// The file and the log beside it have nothing of an erased person, although the log has earlier versions of its pages.
  @Test func an_erased_person_is_not_in_the_files_of_sqlite() async throws {
    try await TestedFleet.with(.sqlite) { fleet in
      let storage = fleet.storage
      let added = try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) {
        things throws(ThingError) in
        _ = try things.insert(Self.person(1))
        var person = Self.person(2)
        person.email = EmailAddress("quaggafjord@example.com")
        person.lastName = "Vexillology"
        return try things.insert(person)
      }
      func files() throws -> [String] {
        try ["", "-wal"].map { suffix in
          String(decoding: try Data(contentsOf: URL(fileURLWithPath: fleet.address + suffix)), as: UTF8.self)
        }
      }
      #expect(try files().contains { $0.contains("quaggafjord") })
      try await storage.change(tenant: .standard, by: Self.actor, at: Sample.time(60)) { things throws(ThingError) in
        try things.remove(added, action: "erase")
        try things.destroyPersonalKey(of: added.id)
      }
      try await storage.finishRemovals()
      #expect(try !files().contains { $0.contains("quaggafjord") || $0.contains("Vexillology") })
      // The others are still there.
      #expect(try files().contains { $0.contains("p1@example.com") })
      let next = try await storage.view(tenant: .standard) { things throws(ThingError) in
        try things.list(ThingQuery<Person>()).items.map(\.value.lastName)
      }
      #expect(next == ["Last 1"])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_thing_is_stored_changed_and_removed_and_the_audit_has_all_of_it(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let added = try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) {
        things throws(ThingError) in
        var person = Self.person(1)
        person.passwordHash = "hidden"
        person.scope = .fleets([UUIDv7(milliseconds: 5, first: 5, rest: 5)])
        person.lastSeenAt = Sample.time(1.5)
        return try things.insert(person)
      }
      let changed = try await storage.change(tenant: .standard, by: Self.actor, at: Sample.time(60)) {
        things throws(ThingError) in
        let stored = try things.existing(added.id, Person.self)
        var person = stored.value
        person.firstName = "Else"
        return try things.update(stored, to: person, action: "change")
      }
      #expect(changed.version == 2 && changed.createdAt == Sample.now && changed.updatedAt == Sample.time(60))
      let read = try await storage.view(tenant: .standard) { things throws(ThingError) in
        try things.existing(added.id, Person.self)
      }
      #expect(read == changed)
      #expect(read.value.passwordHash == "hidden" && read.value.scope == added.value.scope)
      try await storage.change(tenant: .standard, by: Self.actor, at: Sample.time(90)) { things throws(ThingError) in
        try things.remove(changed, action: "delete")
      }
      let (gone, audit) = try await storage.view(tenant: .standard) { things throws(ThingError) in
        (try things.find(added.id, Person.self), try things.audit(thing: added.id, before: nil, limit: 10))
      }
      #expect(gone == nil)
      #expect(audit.map(\.action) == ["delete", "change", "create"])
      #expect(audit.map(\.version) == [3, 2, 1])
      #expect(
        audit[1].change == ThingChange(before: ["firstName": .text("First 1")], after: ["firstName": .text("Else")]))
      #expect(audit[2].content["after"]?["email"] == .text("p1@example.com"))
    }
  }

  /// The chain of hashes is checked by its definition: SHA-256 over the previous hash and the canonical JSON.
  @Test(arguments: Kind.allCases)
  func the_audit_chain_stays_valid_after_a_persons_key_is_destroyed(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let people = try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) {
        things throws(ThingError) in
        var people: [UUIDv7] = []
        for number in 0..<3 { people.append(try things.insert(Self.person(number)).id) }
        return people
      }
      try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) { things throws(ThingError) in
        try things.destroyPersonalKey(of: people[1])
        try things.record("signIn", kind: "session", thing: people[2], details: ["method": .text("password")])
      }
      let entries = try await storage.auditEntries(after: 0, limit: 100, tenant: .standard)
      #expect(entries.map(\.number) == [1, 2, 3, 4])
      var previous = [UInt8](repeating: 0, count: 32)
      for entry in entries {
        let hash = Array(SHA256.hash(data: previous + Array(entry.content.canonicalText.utf8)))
        #expect(entry.hash == hash)
        previous = hash
      }
      #expect(!entries.contains { $0.content.canonicalText.contains("@example.com") }, "people are encrypted at rest")
      let read = try await storage.view(tenant: .standard) { things throws(ThingError) in
        try things.audit(thing: nil, before: nil, limit: 100)
      }
      let emails = read.map { $0.content["after"]?["email"]?.textValue }
      #expect(emails == [nil, "p2@example.com", nil, "p0@example.com"])
      #expect(read[2].change == nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func pages_continue_after_the_previous_page_in_every_order(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      // Some people have equal names, and some have no value in a field.
      let people = (0..<23).map { number in
        var person = Self.person(number, lastName: "Name \(number % 4)")
        person.lastSeenAt = number % 3 == 0 ? nil : Sample.time(Double(number % 5))
        return person
      }
      let stored = try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) {
        things throws(ThingError) in
        var stored: [Stored<Person>] = []
        for person in people { stored.append(try things.insert(person)) }
        return stored
      }
      let orders: [[ThingQuery<Person>.Order]] = [
        [], [.init("lastName")], [.init("lastSeenAt", isDescending: true), .init("lastName")],
        [.init("lastSeenAt"), .init("email", isDescending: true)],
      ]
      for order in orders {
        var query = ThingQuery<Person>(order: order, limit: 5)
        var found: [Stored<Person>] = []
        repeat {
          let page = try await storage.view(tenant: .standard) { [query] things throws(ThingError) in
            try things.list(query)
          }
          found += page.items
          query.cursor = page.next
        } while query.cursor != nil
        #expect(found == stored.sorted { Self.isBefore($0, $1, order) })
      }
    }
  }

  /// The definition of the order: field by field, things without a value last, then by id.
  private static func isBefore(
    _ left: Stored<Person>, _ right: Stored<Person>, _ order: [ThingQuery<Person>.Order]
  ) -> Bool {
    for item in order {
      let texts = [left, right].map { $0.json[item.key]?.textValue }
      if texts[0] == texts[1] { continue }
      guard let first = texts[0] else { return false }
      guard let second = texts[1] else { return true }
      return item.isDescending ? first > second : first < second
    }
    return (left.id.high, left.id.low) < (right.id.high, right.id.low)
  }

  @Test(arguments: Kind.allCases)
  func conditions_and_text_select_things(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) { things throws(ThingError) in
        for number in 0..<12 {
          var person = Self.person(number, lastName: number == 7 ? "100 % Ünal_x" : nil)
          person.isActive = number % 2 == 0
          person.lastSeenAt = number < 3 ? nil : Sample.time(Double(number))
          try things.insert(person)
        }
      }
      func numbers(_ query: ThingQuery<Person>) async throws -> [Int] {
        let page = try await storage.view(tenant: .standard) { things throws(ThingError) in try things.list(query) }
        return page.items.compactMap { Int($0.value.firstName.dropFirst(6)) }.sorted()
      }
      #expect(try await numbers(ThingQuery(.oneOf(key: "isActive", [.bool(false)]))) == [1, 3, 5, 7, 9, 11])
      #expect(try await numbers(ThingQuery(.oneOf(key: "lastSeenAt", [.null, Sample.time(5).json]))) == [0, 1, 2, 5])
      #expect(
        try await numbers(
          ThingQuery(.atLeast(key: "lastSeenAt", Sample.time(4).json), .below(key: "lastSeenAt", Sample.time(7).json)))
          == [4, 5, 6])
      var query = ThingQuery<Person>()
      query.text = "P1@"
      #expect(try await numbers(query) == [1])
      // Characters that have a meaning in LIKE have none in a search.
      for text in ["100 %", "ünal_", "%", "_"] {
        query.text = text
        #expect(try await numbers(query) == [7], "\(text)")
      }
      query.text = "last_1"
      #expect(try await numbers(query) == [])
      let error = try await #require(throws: ThingError.self) {
        _ = try await numbers(ThingQuery(.below(key: "x", .null)))
      }
      guard case .storage(let failure) = error else { throw error }
      #expect(failure.kind == .invalidQuery)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_transaction_that_throws_changes_nothing(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let error = await #expect(throws: ThingError.self) {
        try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) { things throws(ThingError) in
          try things.insert(Self.person(1))
          throw .rule(code: "no", message: "not today")
        }
      }
      #expect(error == .rule(code: "no", message: "not today"))
      _ = try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) { things throws(ThingError) in
        try things.insert(Self.person(1))
      }
      let twice = await #expect(throws: ThingError.self) {
        try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) { things throws(ThingError) in
          try things.insert(Self.person(1))
        }
      }
      #expect(twice == .duplicate(field: "email"))
      #expect(try await storage.auditEntries(after: 0, limit: 100, tenant: .standard).count == 1)
    }
  }

  @Test(arguments: Kind.allCases)
  func the_numbers_of_the_last_audit_entries_are_those_of_each_tenant(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let (other, empty) = (TenantID("other")!, TenantID("empty")!)
      for tenant in [other, empty] { try await storage.addTenant(tenant, at: Sample.now) }
      for (tenant, count) in [(TenantID.standard, 3), (other, 2)] {
        _ = try await storage.change(tenant: tenant, by: Self.actor, at: Sample.now) { things throws(ThingError) in
          for number in 0..<count { try things.insert(Self.person(number)) }
        }
      }
      #expect(try await storage.auditNumbers(of: [.standard, other, empty]) == [.standard: 3, other: 2])
      #expect(try await storage.auditNumbers(of: [other]) == [other: 2])
      #expect(try await storage.auditNumbers(of: []) == [:])
    }
  }

  @Test(arguments: Kind.allCases)
  func changes_of_two_clients_merge_field_by_field(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      @Sendable func patch(_ id: UUIDv7, _ version: Int64, _ text: String) async throws -> Stored<Person> {
        let json = try JSON(parsing: Array(text.utf8))
        return try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) {
          things throws(ThingError) in
          try things.patch(try things.existing(id, Person.self), seen: version, with: json)
        }
      }
      let id = try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) {
        things throws(ThingError) in
        try things.insert(Self.person(1)).id
      }
      #expect(try await patch(id, 1, #"{"firstName":"A"}"#).version == 2)
      #expect(try await patch(id, 1, #"{"locale":"de"}"#).version == 3)
      let merged = try await patch(id, 1, #"{"lastName":"B"}"#)
      #expect([merged.value.firstName, merged.value.lastName, merged.value.locale] == ["A", "B", "de"])
      let conflict = await #expect(throws: ThingError.self) { _ = try await patch(id, 1, #"{"firstName":"C"}"#) }
      #expect(
        conflict
          == .conflict(
            MergeConflict(fields: [
              .init(key: "firstName", base: .text("First 1"), mine: .text("C"), theirs: .text("A"))
            ])))
      let future = await #expect(throws: ThingError.self) { _ = try await patch(id, 9, #"{"firstName":"C"}"#) }
      #expect(future == .changedMeanwhile)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_repeated_request_with_the_clients_id_makes_one_thing(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let id = UUIDv7(milliseconds: 77, first: 7, rest: 7)
      @Sendable func put(_ person: Person) async throws(ThingError) -> Stored<Person> {
        try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) { things throws(ThingError) in
          try things.insertOnce(person, id: id)
        }
      }
      #expect(try await put(Self.person(1)).version == 1)
      #expect(try await put(Self.person(1)).version == 1)
      // The same applies after another client has changed the thing.
      try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) { things throws(ThingError) in
        let stored = try things.existing(id, Person.self)
        _ = try things.update(stored, to: Self.person(1, lastName: "Else"), action: "change")
      }
      #expect(try await put(Self.person(1)).value.lastName == "Else")
      let other = await #expect(throws: ThingError.self) { _ = try await put(Self.person(1, lastName: "Else")) }
      #expect(other == .exists(id: id.json.textValue ?? ""))
    }
  }

  @Test(arguments: Kind.allCases)
  func things_of_another_tenant_are_not_there(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      let other = TenantID("other")!
      try await storage.addTenant(other, at: Sample.now)
      let id = try await storage.change(tenant: other, by: Self.actor, at: Sample.now) { things throws(ThingError) in
        try things.insert(Self.person(1)).id
      }
      let (found, page, audit) = try await storage.view(tenant: .standard) { things throws(ThingError) in
        (
          try things.find(id, Person.self), try things.list(ThingQuery<Person>()),
          try things.audit(thing: nil, before: nil, limit: 10)
        )
      }
      #expect(found == nil && page.items.isEmpty && audit.isEmpty)
      // The same email address is not used in this tenant.
      _ = try await storage.change(tenant: .standard, by: Self.actor, at: Sample.now) { things throws(ThingError) in
        try things.insert(Self.person(1))
      }
    }
  }

  /// Rules about several things hold even if clients change them simultaneously.
  @Test(arguments: Kind.allCases)
  func transactions_of_one_tenant_run_one_after_another(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let stores = [fleet.storage, kind == .sqlite ? fleet.storage : try await fleet.another()]
      let made = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<20 {
          group.addTask {
            try await stores[number % 2].change(tenant: .standard, by: Self.actor, at: Sample.now) {
              things throws(ThingError) in
              guard try things.list(ThingQuery<Person>()).items.count < 3 else { return false }
              try things.insert(Self.person(number))
              return true
            }
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(made == 3)
      if kind == .postgreSQL { await stores[1].close() }
    }
  }

  @Test(arguments: Kind.allCases)
  func every_field_of_a_kind_has_its_column(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let empty = try await fleet.storage.view(tenant: .standard) { things throws(ThingError) in
        (
          try things.list(ThingQuery<Person>()).items.count, try things.list(ThingQuery<Session>()).items.count,
          try things.list(ThingQuery<Factor>()).items.count, try things.list(ThingQuery<Ticket>()).items.count,
          try things.list(ThingQuery<QueuedMail>()).items.count,
          try things.list(ThingQuery<LinkedIdentity>()).items.count
        )
      }
      #expect(empty == (0, 0, 0, 0, 0, 0))
    }
  }
}
