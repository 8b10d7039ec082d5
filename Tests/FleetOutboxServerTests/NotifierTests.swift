import FleetAccess
import FleetDomain
import FleetStorageTestKit
import FleetWork
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetOutbox

/// Events, rules, notifications and their mails, on both databases.
@Suite struct NotifierTests {
  private static func notifier(_ outbox: MailOutbox, hasMail: Bool = true) -> Notifier {
    Notifier(
      storage: outbox.storage, keys: hasMail ? MailOutbox.keys : nil,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { outbox.now }
  }

  private static func change<Value: Sendable>(
    _ outbox: MailOutbox, _ tenant: TenantID = .standard,
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws -> Value {
    try await outbox.storage.change(tenant: tenant, by: Actor(.command), at: outbox.now, work)
  }

  private static func person(
    _ transaction: any FleetTransaction, _ name: String, _ roles: [PersonRole], scope: FleetScope = .all,
    locale: String? = nil
  ) throws(ThingError) -> Stored<Person> {
    var person = Person()
    person.email = EmailAddress("\(name)@example.org")
    (person.firstName, person.lastName) = (name, "X")
    (person.roles, person.scope, person.locale) = (roles, scope, locale)
    return try transaction.insert(person)
  }

  private static func notifications(
    _ outbox: MailOutbox, of person: UUIDv7? = nil, _ tenant: TenantID = .standard
  ) async throws -> [Stored<Notification>] {
    try await outbox.storage.view(tenant: tenant) { view throws(ThingError) in
      var query = ThingQuery<Notification>(order: [.init("at")], limit: 1_000)
      if let person { query.conditions = [.oneOf(key: "personId", [person.json])] }
      return try view.list(query).items
    }
  }

  private static func drain(_ notifier: Notifier) async throws { while try await notifier.round() > 0 {} }

  @Test(arguments: MailOutbox.Database.allCases)
  func a_defect_is_reported_once_to_each_person_who_may_see_it(_ database: MailOutbox.Database) async throws {
    try await MailOutbox.with(database) { outbox in
      let (admin, mechanic, viewer, stranger) = try await Self.change(outbox) { transaction throws(ThingError) in
        var fleets: [UUIDv7] = []
        for name in ["North", "South"] {
          var fleet = Fleet()
          fleet.name = name
          fleets.append(try transaction.insert(fleet).id)
        }
        var vehicle = Vehicle(id: "VAN-1")
        vehicle.fleetID = fleets[0]
        try transaction.insert(vehicle)
        var driver = Driver()
        driver.name = "Dora"
        let dora = try transaction.insert(driver)
        let people = (
          try Self.person(transaction, "admin", [.admin, .maintenance], locale: "de").id,
          try Self.person(transaction, "mech", [.maintenance], scope: .fleets([fleets[0]])).id,
          try Self.person(transaction, "viewer", [.viewer]).id,
          try Self.person(transaction, "other", [.maintenance], scope: .fleets([fleets[1]])).id
        )
        var inspection = Inspection()
        (inspection.driverID, inspection.vehicle) = (dora.id, "VAN-1")
        var item = Inspection.Item()
        (item.item, item.result) = ("horn", .defect)
        inspection.items = [item]
        try transaction.check(&inspection, old: nil)
        _ = try transaction.sign(try transaction.insert(inspection), "Dora", by: nil)
        return people
      }
      let notifier = Self.notifier(outbox)
      try await Self.drain(notifier)
      try await Self.drain(notifier)
      let all = try await Self.notifications(outbox)
      #expect(Set(all.map(\.value.personID)) == [admin, mechanic] && all.count == 2)
      #expect(![viewer, stranger].contains { id in all.contains { $0.value.personID == id } })
      let texts = try await Self.notifications(outbox, of: mechanic).map(\.value.text)
      #expect(texts == ["An inspection of VAN-1 by Dora found defects: horn"])
      #expect(
        try await Self.notifications(outbox, of: admin).map(\.value.text)
          == ["Eine Kontrolle von VAN-1 durch Dora fand Mängel: horn"])
      #expect(all.allSatisfy { $0.value.deliveries.map(\.channel) == [.inApp, .email] && $0.value.mailAt == nil })
      let mails = try await outbox.queued()
      #expect(mails.count == 2 && mails.allSatisfy { $0.value.reason == .notification })
      let details = mails.compactMap { MailDetails($0, MailOutbox.keys)?.items }
      #expect(details.contains(texts))
    }
  }

  /// The recipients of an event are found before the transaction that adds their notifications.
  @Test(arguments: MailOutbox.Database.allCases)
  func a_person_who_is_erased_meanwhile_gets_no_notification(_ database: MailOutbox.Database) async throws {
    try await MailOutbox.with(database) { outbox in
      let (admin, gone) = try await Self.change(outbox) { transaction throws(ThingError) in
        try transaction.insert(Vehicle(id: "VAN-1"))
        let people = (
          try Self.person(transaction, "admin", [.admin]).id, try Self.person(transaction, "gone", [.admin])
        )
        var defect = Defect()
        (defect.vehicle, defect.source, defect.severity, defect.text) = ("VAN-1", .other, .unsafe, "brakes")
        try transaction.announce(try transaction.insert(defect), since: nil)
        try transaction.addDefaultRules()
        return people
      }
      let time = outbox.now
      let found = try await outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.pendingNotifications(events: 20, most: 500, hasMail: false, at: time).events
      }
      #expect(Set(found.flatMap(\.recipients).map(\.person.id)) == [admin, gone.id])
      try await Self.change(outbox) { transaction throws(ThingError) in
        try transaction.remove(gone, action: "erase")
        _ = try transaction.notify(found, for: .seconds(60))
      }
      #expect(Set(try await Self.notifications(outbox).map(\.value.personID)) == [admin])
    }
  }

  @Test(arguments: MailOutbox.Database.allCases)
  func reminders_come_at_30_days_at_7_days_and_after_the_last_day(_ database: MailOutbox.Database) async throws {
    try await MailOutbox.with(database) { outbox in
      // The tests begin on 2026-11-23.
      let (admin, dora) = try await Self.change(outbox) { transaction throws(ThingError) in
        let admin = try Self.person(transaction, "admin", [.admin])
        let dora = try Self.person(transaction, "dora", [.driver])
        var driver = Driver()
        (driver.name, driver.personID) = ("Dora", dora.id)
        driver.licenceExpiry = CalendarDate("2026-12-30")
        try transaction.insert(driver)
        try transaction.insert(Vehicle(id: "VAN-1"))
        var document = Document()
        document.subject = Document.Subject(.vehicle, "VAN-1")
        document.vehicleID = "VAN-1"
        document.title = "Insurance"
        document.expiresOn = CalendarDate("2026-12-23")
        try transaction.insert(document)
        // The documents of a vehicle that was removed cause no reminders.
        (document.subject, document.vehicleID) = (Document.Subject(.vehicle, "GONE"), "GONE")
        try transaction.insert(document)
        return (admin.id, dora.id)
      }
      let notifier = Self.notifier(outbox)
      var counts: [Int] = []
      for _ in 0..<45 {
        for _ in 0..<2 {
          try await notifier.remind()
          try await Self.drain(notifier)
        }
        counts.append(try await Self.notifications(outbox).count)
        outbox.advance(86_400)
      }
      let steps = counts.indices.filter { counts[$0] > ($0 == 0 ? 0 : counts[$0 - 1]) }
      // Of the document: 30 days and 7 days before the 23rd, and the day after it. Of the licence: the same for the
      // 30th, to two people.
      #expect(steps == [0, 7, 23, 30, 31, 38] && counts.last == 9)
      let texts = try await Self.notifications(outbox, of: dora).map(\.value.text)
      #expect(
        texts == ["is", "is", "was"].map { "The driving licence of Dora \($0) valid until 2026-12-30." })
      #expect(try await Self.notifications(outbox, of: admin).count == 6)
      // With a daily digest, one mail at 06:00 UTC contains all notifications of the day.
      #expect(try await outbox.queued().allSatisfy { $0.value.reason == .notification })
    }
  }

  @Test(arguments: MailOutbox.Database.allCases)
  func a_document_that_expires_soon_is_reported_a_minute_after_its_change(
    _ database: MailOutbox.Database
  ) async throws {
    try await MailOutbox.with(database) { outbox in
      // The tests begin on 2026-11-23.
      let admin = try await Self.change(outbox) { transaction throws(ThingError) in
        try transaction.insert(Vehicle(id: "VAN-1"))
        return try Self.person(transaction, "admin", [.admin]).id
      }
      func add(_ title: String, _ day: String) async throws -> Stored<Document> {
        try await Self.change(outbox) { transaction throws(ThingError) in
          var document = Document()
          document.subject = Document.Subject(.vehicle, "VAN-1")
          (document.vehicleID, document.title, document.expiresOn) = ("VAN-1", title, CalendarDate(day))
          return try transaction.insert(document)
        }
      }
      let notifier = Self.notifier(outbox, hasMail: false)
      var searches = Notifier.Searches()
      func texts() async throws -> Set<String> {
        try await notifier.remindIfDue(&searches)
        try await Self.drain(notifier)
        let all = try await Self.notifications(outbox, of: admin).map(\.value.text)
        #expect(Set(all).count == all.count)
        return Set(all)
      }
      let tax = try await add("Tax", "2027-11-01")
      #expect(try await texts() == [])
      outbox.advance(60)
      _ = try await add("Insurance", "2026-12-01")
      let insurance = "A document of VAN-1 is valid until 2026-12-01: Insurance"
      #expect(try await texts() == [insurance])
      outbox.advance(1)
      try await Self.change(outbox) { transaction throws(ThingError) in
        var changed = tax.value
        changed.expiresOn = CalendarDate("2026-12-20")
        try transaction.update(tax, to: changed, action: "change")
        var driver = Driver()
        (driver.name, driver.licenceExpiry) = ("Dora", CalendarDate("2026-12-10"))
        try transaction.insert(driver)
      }
      outbox.advance(59)
      let all: Set = [
        insurance, "A document of VAN-1 is valid until 2026-12-20: Tax",
        "The driving licence of Dora is valid until 2026-12-10.",
      ]
      #expect(try await texts() == all)
      outbox.advance(60)
      #expect(try await texts() == all)
    }
  }

  @Test(arguments: MailOutbox.Database.allCases)
  func many_events_of_one_tenant_do_not_delay_another(_ database: MailOutbox.Database) async throws {
    try await MailOutbox.with(database) { outbox in
      for (tenant, count) in [(TenantID.standard, 100), (MailOutbox.other, 1)] {
        try await Self.change(outbox, tenant) { transaction throws(ThingError) in
          _ = try Self.person(transaction, "admin", [.admin])
          var driver = Driver()
          driver.name = "Dora"
          let dora = try transaction.insert(driver)
          try transaction.insert(Vehicle(id: "VAN-1"))
          var journey = Journey()
          (journey.driverID, journey.vehicle) = (dora.id, "VAN-1")
          var stored = try transaction.insert(journey)
          for number in 0..<count {
            var command = JourneyCommand()
            command.notes = "\(number)"
            stored = try transaction.execute(.incident, command, of: stored, isOwn: false)
          }
        }
      }
      let notifier = Self.notifier(outbox, hasMail: false)
      _ = try await notifier.round()
      #expect(try await Self.notifications(outbox, of: nil, MailOutbox.other).count == 1)
      #expect(try await Self.notifications(outbox).count == 20)
      try await Self.drain(notifier)
      let all = try await Self.notifications(outbox)
      #expect(all.count == 100 && Set(all.map(\.value.text)).count == 100)
      #expect(try await outbox.queued().isEmpty)
    }
  }

  /// Signs a report with a defect, of which administrators are notified.
  private static func report(
    _ transaction: any FleetTransaction, _ driver: UUIDv7
  ) throws(ThingError) {
    var inspection = Inspection()
    (inspection.driverID, inspection.vehicle) = (driver, "VAN-1")
    var item = Inspection.Item()
    (item.item, item.result) = ("horn", .defect)
    inspection.items = [item]
    try transaction.check(&inspection, old: nil)
    _ = try transaction.sign(try transaction.insert(inspection), "Dora", by: nil)
  }

  @Test(arguments: MailOutbox.Database.allCases)
  func an_event_for_many_people_is_processed_in_steps(_ database: MailOutbox.Database) async throws {
    try await MailOutbox.with(database) { outbox in
      try await Self.change(outbox) { transaction throws(ThingError) in
        for number in 0..<700 { _ = try Self.person(transaction, "admin\(number)", [.admin]) }
        try transaction.insert(Vehicle(id: "VAN-1"))
        var driver = Driver()
        driver.name = "Dora"
        let dora = try transaction.insert(driver)
        for _ in 0..<2 { try Self.report(transaction, dora.id) }
      }
      let notifier = Self.notifier(outbox, hasMail: false)
      func counts() async throws -> (notifications: Int, events: Int) {
        try await outbox.storage.view(tenant: .standard) { view throws(ThingError) in
          (
            try view.values(["personId"], ThingQuery<Notification>()).count,
            try view.list(ThingQuery<FleetEvent>()).items.count
          )
        }
      }
      _ = try await notifier.round()
      #expect(try await counts() == (500, 2))
      // The rest of the first event, and a part of the second one.
      _ = try await notifier.round()
      #expect(try await counts() == (1_000, 1))
      try await Self.drain(notifier)
      #expect(try await counts() == (1_400, 0))
      let people = try await outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.values(["personId"], ThingQuery<Notification>())
      }
      #expect(Dictionary(grouping: people) { $0 }.values.allSatisfy { $0.count == 2 })
    }
  }

  @Test(arguments: MailOutbox.Database.allCases)
  func a_transaction_ends_when_its_time_is_over(_ database: MailOutbox.Database) async throws {
    try await MailOutbox.with(database) { outbox in
      try await Self.change(outbox) { transaction throws(ThingError) in
        for number in 0..<3 { _ = try Self.person(transaction, "admin\(number)", [.admin]) }
        try transaction.insert(Vehicle(id: "VAN-1"))
        var driver = Driver()
        driver.name = "Dora"
        try Self.report(transaction, try transaction.insert(driver).id)
        try transaction.addDefaultRules()
      }
      let now = outbox.now
      var rest = try await outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.pendingNotifications(events: 20, most: 500, hasMail: false, at: now).events
      }
      var steps: [Int] = []
      while !rest.isEmpty, steps.count < 10 {
        steps.append(rest[0].recipients.count)
        let present = rest
        rest = try await Self.change(outbox) { transaction throws(ThingError) in
          try transaction.notify(present, for: .zero)
        }
      }
      // After the last notification, the event is removed.
      #expect(steps == [3, 2, 1, 0])
      #expect(try await Self.notifications(outbox).count == 3)
    }
  }

  @Test(arguments: MailOutbox.Database.allCases)
  func an_unreadable_document_delays_no_reminder(_ database: MailOutbox.Database) async throws {
    try await MailOutbox.with(database) { outbox in
      let tenant = try #require(TenantID("aaa"))
      func id(_ number: UInt64) -> UUIDv7 { UUIDv7(milliseconds: 9, first: 9, rest: number) }
      try await outbox.storage.addRows(
        [["id": id(1).json, "of": .text("broken"), "kind": .text("broken"), "expires_on": .text("2026-12-01")]],
        of: Document.self, tenant: tenant, archive: id(2))
      try await Self.change(outbox, tenant) { transaction throws(ThingError) in
        _ = try Self.person(transaction, "admin", [.admin])
        try transaction.insert(Vehicle(id: "VAN-1"))
        var document = Document()
        document.subject = Document.Subject(.vehicle, "VAN-1")
        (document.vehicleID, document.expiresOn) = ("VAN-1", CalendarDate("2026-12-01"))
        try transaction.insert(document)
      }
      let notifier = Self.notifier(outbox, hasMail: false)
      try await notifier.remind()
      try await Self.drain(notifier)
      #expect(try await Self.notifications(outbox, of: nil, tenant).count == 1)
    }
  }

  @Test(arguments: MailOutbox.Database.allCases)
  func an_unreadable_person_delays_no_notification(_ database: MailOutbox.Database) async throws {
    try await MailOutbox.with(database) { outbox in
      let tenant = try #require(TenantID("aaa"))
      func id(_ number: UInt64) -> UUIDv7 { UUIDv7(milliseconds: 9, first: 9, rest: number) }
      try await outbox.storage.addRows(
        [["id": id(1).json, "email": .text("x@example.org"), "roles": .text("broken"), "is_active": .integer(1)]],
        of: Person.self, tenant: tenant, archive: id(2))
      try await Self.change(outbox, tenant) { transaction throws(ThingError) in
        _ = try Self.person(transaction, "admin", [.admin])
        try transaction.insert(Vehicle(id: "VAN-1"))
        var driver = Driver()
        driver.name = "Dora"
        try Self.report(transaction, try transaction.insert(driver).id)
      }
      try await Self.drain(Self.notifier(outbox, hasMail: false))
      #expect(try await Self.notifications(outbox, of: nil, tenant).count == 1)
    }
  }
}
