import FleetAccess
import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Reports, on both databases.
@Suite struct ReportRoutesTests {
  @Test(arguments: TestServer.Database.allCases)
  func reports_are_made_kept_and_shown_to_those_who_may_see_them(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      _ = try await server.addPerson("mech@example.com", [.maintenance])
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        // 20 minutes at 36 km/h of VAN-1, 10 minutes of VAN-2, on 1 July.
        let start = 181 * 86_400 + 36_000
        let rest = #""rpm":1500,"speed":36"#
        var records: [SampleRecord] = []
        for number in 0...20 {
          records.append(SampleRecord(number + 1, second: start + number * 60, rest: rest))
          guard number <= 10 else { continue }
          records.append(SampleRecord(number + 100, vehicle: "VAN-2", second: start + number * 60, rest: rest))
        }
        #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
        for vehicle in ["VAN-1", "VAN-2"] {
          _ = try client.send("GET", "/api/vehicles/\(vehicle)/days?from=2026-07-01&to=2026-07-01")
        }
        #expect(
          try client.send(
            "POST", "/api/expenses",
            json:
              #"{"vehicleId":"VAN-1","at":"2026-07-01T10:00:00Z","category":"toll","amount":{"amount":"24","currency":"EUR"}}"#
          ).status == 201)
        func make(_ json: String) throws -> TestClient.Reply { try client.send("POST", "/api/reports", json: json) }
        func rows(_ reply: TestClient.Reply) throws -> [[String: Any]] {
          try #require(try reply.json["rows"] as? [[String: Any]], "\(reply.text)")
        }
        let range = #""from":"2026-07-01","to":"2026-07-31""#
        let vehicles = try make(#"{"kind":"utilization",\#(range)}"#)
        #expect(vehicles.status == 201)
        #expect(try rows(vehicles).map { $0["group"] as? String } == ["VAN-1", "VAN-2"])
        #expect(try rows(vehicles).map { $0["distance"] as? Double } == [12, 6])
        let month = try make(#"{"kind":"trips","groupBy":"month",\#(range)}"#)
        #expect(try rows(month).map { $0["distance"] as? Double } == [18])
        let north = try make(#"{"kind":"utilization","fleetId":"\#(depots.ids.north)",\#(range)}"#)
        #expect(try rows(north).map { $0["group"] as? String } == ["VAN-1"])
        let costs = try make(#"{"kind":"costs","groupBy":"fleet",\#(range)}"#)
        let own = try #require(try rows(costs).first { $0["group"] as? String == depots.ids.north })
        #expect(own["name"] as? String == "North")
        let fleetCosts = try #require(try costs.json["id"] as? String)
        #expect(try client.send("GET", "/api/reports/\(fleetCosts)?format=csv").text.hasPrefix("group,name,"))
        #expect(own["total"] as? [[String: String]] == [["amount": "24.00", "currency": "EUR"]])
        #expect(own["perKilometer"] as? [[String: String]] == [["amount": "2.00", "currency": "EUR"]])
        #expect(try make(#"{"kind":"drivers","groupBy":"vehicle",\#(range)}"#).text.contains("not enough distance"))
        for wrong in [
          #"{"kind":"utilization"}"#, #"{"kind":"x",\#(range)}"#,
          #"{"kind":"trips","from":"2026-07-02","to":"2026-07-01"}"#,
          #"{"kind":"trips","from":"2020-07-02","to":"2026-07-01"}"#, #"{"kind":"trips","rows":[],"x":1,\#(range)}"#,
        ] {
          #expect(try make(wrong).status == 422, "\(wrong)")
        }
        let list = try client.send("GET", "/api/reports")
        #expect(list.list.count == 5 && !list.text.contains("rows"))
        #expect(try client.send("GET", "/api/reports?kind=costs").list.count == 1)
        let id = try #require(try vehicles.json["id"] as? String)
        #expect(try client.send("GET", "/api/reports/\(id)").json["rows"] as? [[String: Any]] != nil)
        let csv = try client.send("GET", "/api/reports/\(id)?format=csv")
        #expect(csv.headers["content-type"] == "text/csv; charset=utf-8")
        #expect(csv.text.hasPrefix("group,distance,") && csv.text.contains("\r\nVAN-1,12,"))
        #expect(try client.send("GET", "/api/reports/\(id)?format=xml").status == 400)
        let xlsx = try client.send("GET", "/api/reports/\(id)?format=xlsx")
        #expect(xlsx.status == 200 && xlsx.headers["content-disposition"]?.hasSuffix(".xlsx\"") == true)
        #expect(try server.client(server.keys.foreignAdmin).send("GET", "/api/reports/\(id)").status == 404)
        // Viewers of a fleet see its reports, but no costs; they make none.
        let viewer = try server.signIn("viewer@example.com")
        let shown = try server.asPage(viewer, "GET", "/api/reports").list.compactMap { $0["id"] as? String }
        #expect(try shown == [#require(north.json["id"] as? String)])
        #expect(try server.asPage(viewer, "GET", "/api/reports/\(id)").status == 404)
        #expect(try server.asPage(viewer, "POST", "/api/reports", #"{"kind":"trips",\#(range)}"#).status == 403)
        let scoped = try server.signIn("north@example.com")
        #expect(try server.asPage(scoped, "POST", "/api/reports", #"{"kind":"trips",\#(range)}"#).status == 403)
        func scopedMake(_ fleet: String) throws -> Int {
          try server.asPage(scoped, "POST", "/api/reports", #"{"kind":"costs","fleetId":"\#(fleet)",\#(range)}"#).status
        }
        #expect(try scopedMake(depots.ids.north) == 201)
        #expect(try scopedMake(depots.ids.south) == 422)
        let mechanic = try server.signIn("mech@example.com")
        #expect(try server.asPage(mechanic, "POST", "/api/reports", #"{"kind":"costs",\#(range)}"#).status == 201)
      }
    }
  }

  // MARK: Topics

  // MARK: PDF

  @Test func a_pdf_has_a_header_and_a_number_on_each_page() async throws {
    var report = Report()
    (report.from, report.to) = (CalendarDate("2026-05-01")!, CalendarDate("2026-05-31")!)
    let rows: [JSON] = (0..<80).map { number in
      .object([
        "group": .text(number == 3 ? "Größe Їжак 車" : "VAN-\(number)"), "distance": .number(Double(number) + 0.5),
        "total": .array([.object(["amount": .text("24.00"), "currency": .text("EUR")])]),
        "byCategory": .object(["toll": .array([])]),
      ])
    }
    let file = try ReportFile(report, rows: rows, as: .pdf)
    let text = try await Self.text(of: file)
    for page in 1...3 { #expect(text.contains("Page \(page) of 3")) }
    let pages = text.split(separator: "\u{C}")
    #expect(pages.count == 3)
    for page in pages {
      #expect(page.contains("Utilization, 2026-05-01 to 2026-05-31") && page.contains("Toll"))
    }
    #expect(text.contains("Größe Їжак \u{FFFD}") && text.contains("CSV and XLSX files contain them"))
    #expect(text.contains("VAN-79") && text.contains("79.5") && text.contains("24.00 EUR"))
  }

  private static func text(of file: ReportFile) async throws -> String {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let path = try scratch.write("report.pdf", file.bytes)
      let result = try Tool.run("/usr/bin/pdftotext", ["-layout", path, "-"])
      return String(decoding: result.stdout, as: UTF8.self)
    }
  }

  /// The columns of the second report do not fit on one page.
  @Test(arguments: [6, 20]) func a_pdf_shows_all_figures_ids_and_headings(categories: Int) async throws {
    var report = Report()
    report.topic = .costs
    (report.from, report.to) = (CalendarDate("2026-05-01")!, CalendarDate("2026-05-31")!)
    let vehicles = ["VAN-WITH-LONG-ID-0001", "VAN-WITH-LONG-ID-0002"]
    func amount(_ vehicle: Int, _ category: Int) -> String { "\(vehicle + 1)2\(category + 10)6.6594" }
    let rows: [JSON] = vehicles.enumerated().map { vehicle, id in
      var byCategory: [String: JSON] = [:]
      for category in 0..<categories {
        let name = "kind" + String(UnicodeScalar(UInt8(65 + category)))
        byCategory[name] = .array([
          .object(["amount": .text(amount(vehicle, category)), "currency": .text("EUR")])
        ])
      }
      return .object([
        "group": .text(id), "byCategory": .object(byCategory), "distanceBasis": .text("telemetry"),
        "perKilometer": .array([.object(["amount": .text("9.1234"), "currency": .text("EUR")])]),
      ])
    }
    let text = try await Self.text(of: try ReportFile(report, rows: rows, as: .pdf))
    let pages = text.split(separator: "\u{C}")
    #expect(categories == 6 ? pages.count == 1 : pages.count > 1)
    #expect(!text.contains("…"))
    for page in pages {
      #expect(page.contains("Costs, 2026-05-01 to 2026-05-31") && page.contains("Vehicle"), "\(page)")
      #expect(vehicles.allSatisfy { page.contains($0) }, "\(page)")
    }
    for category in 0..<categories {
      for vehicle in vehicles.indices { #expect(text.contains("\(amount(vehicle, category)) EUR"), "\(text)") }
    }
    // The words of a heading may be on several lines.
    for word in ["Kind", "Distance", "basis", "Per", "kilometer"] { #expect(text.contains(word), "\(word): \(text)") }
    #expect(!text.contains("byCategory") && !text.contains("perKilometer"))
  }

  // MARK: Schedules

  @Test(arguments: TestServer.Database.allCases)
  func after_an_outage_a_schedule_makes_one_late_report_and_counts_the_others(_ database: TestServer.Database)
    async throws
  {
    let keys = try #require(SecretKeys(file: SecretKeys.newLine()))
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      let late = try await server.addPerson("late@example.com", [.admin])
      let storage = server.storage
      let plan = try await runBlocking {
        let client = try server.client(server.keys.admin)
        #expect(
          try client.send(
            "PATCH", "/api/settings", json: #"{"timeZone":"Europe/Vienna"}"#, headers: ["If-Match": "*"]
          ).status == 200)
        func make(_ cron: String, _ person: String) throws -> TestClient.Reply {
          try client.send(
            "POST", "/api/reports",
            json:
              #"{"kind":"trips","fleetId":"\#(depots.ids.north)","from":"2026-05-01","to":"2026-05-01","schedule":{"cron":"\#(cron)","recipients":["\#(person)"],"format":"csv"}}"#
          )
        }
        #expect(try make("* * * * *", depots.viewer.id.string).status == 422)
        #expect(try make("0 6 * * *", depots.ids.north).status == 422)
        let other = try make("0 6 * * *", late.id.string)
        #expect(other.status == 201)
        let id = try #require(try other.json["id"] as? String)
        let etag = try #require(other.headers["etag"])
        let ended = try client.send(
          "PATCH", "/api/reports/\(id)", json: #"{"schedule":null}"#, headers: ["If-Match": etag])
        let endedNext = try ended.json["nextAt"]
        #expect(ended.status == 200 && endedNext == nil)
        #expect(
          try client.send("PATCH", "/api/reports/\(id)", json: #"{"schedule":null}"#, headers: ["If-Match": etag])
            .status == 412)
        #expect(
          try client.send("PATCH", "/api/reports/\(id)", json: #"{"to":"2026-05-02"}"#, headers: ["If-Match": "*"])
            .status == 422)
        let plan = try make("30 2 * * *", depots.viewer.id.string)
        #expect(plan.status == 201)
        let text = try #require(try plan.json["id"] as? String)
        let planID = UUIDv7(text.utf8.span)
        return try #require(planID)
      }
      // The night in which the clock goes forward from 02:00 to 03:00. The server itself finds nothing that is due,
      // because its own clock is earlier.
      let vienna = storage.zone("Europe/Vienna")
      let start = vienna.time(9_000, on: CalendarDate("2099-03-28")!)
      try await storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        let stored = try transaction.existing(plan, Report.self)
        var report = stored.value
        report.nextAt = start
        try transaction.update(stored, to: report, action: "test")
      }
      let logger = Logger(label: "test")
      let first = ReportScheduler(
        storage: storage, keys: keys, heavyWork: HeavyWork(processors: 2, within: 60), logger: logger)
      let second = ReportScheduler(
        storage: storage, keys: keys, heavyWork: HeavyWork(processors: 2, within: 60), logger: logger)
      // Two servers at once, and again after a restart; two days were missed.
      let now = vienna.time(36_000, on: CalendarDate("2099-03-30")!)
      async let one: Void = first.makeAll(at: now)
      async let two: Void = second.makeAll(at: now)
      _ = try await (one, two)
      try await first.makeAll(at: now)
      let (reports, mails, next) = try await storage.view(tenant: .standard) { view throws(ThingError) in
        (
          try view.list(ThingQuery<Report>(.oneOf(key: "scheduleId", [plan.json]), order: [.init("from")])).items,
          try view.list(ThingQuery<QueuedMail>(.oneOf(key: "reason", [QueuedMail.Reason.report.json]))).items,
          try view.existing(plan, Report.self).value.nextAt
        )
      }
      #expect(reports.map(\.value.from.text) == ["2099-03-29"])
      #expect(reports.map(\.value.missed) == [2])
      #expect(reports.allSatisfy { $0.value.from == $0.value.to && $0.value.nextAt == nil })
      #expect(next == vienna.time(9_000, on: CalendarDate("2099-03-31")!))
      #expect(mails.count == 1 && mails.allSatisfy { $0.value.personID == depots.viewer.id })
      let details = mails.compactMap { MailDetails($0, keys) }
      #expect(details.map { $0.items.contains { $0.hasSuffix("did not run: 2.") } } == [true])
      let files = details.compactMap(\.attachment)
      #expect(files.map(\.name) == ["trips-2099-03-29-to-2099-03-29.csv"])
      #expect(files.allSatisfy { String(decoding: $0.bytes, as: UTF8.self).hasPrefix("group") })
      // The next report is not late. A person who may not see the fleet any more gets no mail.
      try await storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        let stored = try transaction.existing(depots.viewer.id, Person.self)
        var person = stored.value
        person.scope = .fleets([])
        try transaction.update(stored, to: person, action: "test")
      }
      try await second.makeAll(at: vienna.time(36_000, on: CalendarDate("2099-03-31")!))
      let after = try await storage.view(tenant: .standard) { view throws(ThingError) in
        (
          try view.list(ThingQuery<QueuedMail>(.oneOf(key: "reason", [QueuedMail.Reason.report.json]))).items.count,
          try view.list(ThingQuery<Report>(.oneOf(key: "scheduleId", [plan.json]), order: [.init("from")])).items
            .map(\.value.missed)
        )
      }
      #expect(after.0 == 1 && after.1 == [2, nil])
    }
  }

  /// The reports that cannot be made are of a tenant that comes before the others.
  @Test(arguments: TestServer.Database.allCases)
  func reports_that_cannot_be_made_delay_no_other_report(_ database: TestServer.Database) async throws {
    let keys = try #require(SecretKeys(file: SecretKeys.newLine()))
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      let tenant = try #require(TenantID("aaa"))
      func id(_ number: UInt64) -> JSON { UUIDv7(milliseconds: 9, first: 9, rest: number).json }
      let archive = UUIDv7.random(at: Timestamp(nanoseconds: 0))
      // A schedule and an expense that cannot be read.
      try await storage.addRows(
        [["id": id(1), "kind": .text("costs"), "from": .text("x"), "to": .text("x"), "next_at": .integer(1)]],
        of: Report.self, tenant: tenant, archive: archive)
      try await storage.addRows(
        [["id": id(2), "at": .integer(2_051_215_600_000), "category": .text("none")]], of: Expense.self, tenant: tenant,
        archive: archive)
      // The server itself finds nothing that is due, because its own clock is earlier.
      let due = Timestamp(nanoseconds: 2_051_305_600_000_000_000)
      func addPlans(_ topics: [Report.Topic], of tenant: TenantID) async throws {
        try await storage.change(tenant: tenant, by: Actor(.command), at: due) { transaction throws(ThingError) in
          for topic in topics {
            var plan = Report()
            (plan.topic, plan.nextAt) = (topic, due)
            var schedule = Report.Schedule()
            schedule.cron = "0 3 * * *"
            plan.schedule = schedule
            try transaction.insert(plan)
          }
        }
      }
      // A report of costs reads the expense, a report of trips does not.
      try await addPlans([.costs, .trips], of: tenant)
      try await addPlans([.trips], of: .standard)
      let scheduler = ReportScheduler(
        storage: storage, keys: keys, heavyWork: HeavyWork(processors: 2, within: 60),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let now = due.adding(seconds: 60)
      try await scheduler.makeAll(at: now)
      func made(_ tenant: TenantID) async throws -> [Report.Topic] {
        try await storage.view(tenant: tenant) { view throws(ThingError) in
          try view.list(ThingQuery<Report>(.isSet(key: "scheduleId"))).items.map(\.value.topic)
        }
      }
      #expect(try await made(.standard) == [.trips])
      #expect(try await made(tenant) == [.trips])
      // The failed report is tried again at the next time of its schedule, and the audit has the reason.
      let (left, entries) = try await storage.view(tenant: tenant) { view throws(ThingError) in
        var query = ThingQuery<Report>(.atMost(key: "nextAt", now.json))
        query.leavesOutUnreadable = true
        return (try view.list(query).items.count, try view.audit(thing: nil, before: nil, limit: 10).map(\.action))
      }
      #expect(left == 0 && entries == ["reportFailed"])
    }
  }

  // MARK: Sums of days
}
