import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetFollower

/// Defects that follow from trouble codes, on both databases.
@Suite struct TroubleReportTests {
  /// A report of one ECU.
  private struct Report {
    let ecu: String
    let hours: Int
    let stored: Set<String>
    let pending: Set<String>
  }

  private static func reports(_ random: inout SplitMix) -> [Report] {
    var reports: [Report] = []
    for ecu in ["7E8", "7E9"] {
      var (stored, pending): (Set<String>, Set<String>) = ([], [])
      for hours in 1...12 {
        // Codes appear and disappear one after another, as faults do.
        if Bool.random(using: &random) {
          stored.formSymmetricDifference(["P030\(Int.random(in: 1...3, using: &random))"])
        }
        if Int.random(in: 0...2, using: &random) == 0 {
          pending.formSymmetricDifference(["P030\(Int.random(in: 1...3, using: &random))"])
        }
        reports.append(Report(ecu: ecu, hours: hours, stored: stored, pending: pending))
      }
    }
    return reports
  }

  /// Computes the defects from all reports: a report counts if no newer one of its ECU has arrived before it.
  ///
  /// - Returns: for each code with a defect, the ECUs that report the code at last.
  private static func expected(_ arrived: [Report]) -> [String: Set<String>] {
    var counted: [Report] = []
    for report in arrived where !counted.contains(where: { $0.ecu == report.ecu && $0.hours > report.hours }) {
      counted.append(report)
    }
    var defects: [String: Set<String>] = [:]
    for code in ["P0301", "P0302", "P0303"] where counted.contains(where: { $0.stored.contains(code) }) {
      let first = counted.firstIndex { $0.stored.contains(code) } ?? 0
      // Before the defect exists, no ECU is asked about the code. An ECU that reports afterwards is.
      let since = counted[first...]
      defects[code] = Set(
        ["7E8", "7E9"].filter { ecu in
          since.last { $0.ecu == ecu }.map { $0.stored.contains(code) || $0.pending.contains(code) } ?? false
        })
    }
    return defects
  }

  @Test(arguments: Database.allCases, 1...6)
  func defects_follow_from_reports_in_any_order(_ database: Database, seed: Int) async throws {
    try await FollowedFleet.with(database) { fleet in
      var random = SplitMix(seed: UInt64(seed))
      var arrived = Self.reports(&random)
      // Some seeds have the order of time, the others a random order.
      if seed > 2 { arrived.shuffle(using: &random) } else { arrived.sort { $0.hours < $1.hours } }
      for (number, report) in arrived.enumerated() {
        try await fleet.store([
          try FollowedFleet.codes(
            UInt64(number), at: Double(report.hours), report.stored.sorted(), pending: report.pending.sorted(),
            ecu: report.ecu)
        ])
        if Bool.random(using: &random) { try await fleet.follow() }
      }
      try await fleet.follow()
      let defects = try await fleet.things(ThingQuery<Defect>(limit: 100)).map(\.value)
      let found = Dictionary(
        defects.map { defect in
          (defect.codes.first ?? "", Set(defect.reports.filter(\.isPresent).map(\.ecu)))
        }
      ) { $1 }
      #expect(defects.count == found.count, "one defect for each code")
      #expect(found == Self.expected(arrived))
    }
  }

  @Test(arguments: Database.allCases)
  func a_late_report_adds_no_defect_for_a_code_that_is_gone(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.store([try FollowedFleet.codes(1, at: 12, [])])
      try await fleet.follow()
      try await fleet.store([try FollowedFleet.codes(2, at: 11, ["P0301"])])
      try await fleet.follow()
      #expect(try await fleet.things(ThingQuery<Defect>(limit: 10)).isEmpty)
      // Another ECU has its own newest report.
      try await fleet.store([try FollowedFleet.codes(3, at: 11.5, ["P0302"], ecu: "7E9")])
      try await fleet.follow()
      #expect(try await fleet.things(ThingQuery<Defect>(limit: 10)).map(\.value.codes) == [["P0302"]])
    }
  }

  /// The severities of all defects, and the events so far, in their order.
  private func state(_ fleet: FollowedFleet) async throws -> [String] {
    try await fleet.follow()
    let events = try await fleet.things(ThingQuery<FleetEvent>(order: [.init("number")], limit: 100))
    let defects = try await fleet.things(ThingQuery<Defect>(limit: 10))
    return defects.map(\.value.severity.rawValue) + events.map(\.value.event.rawValue)
  }

  @Test(arguments: Database.allCases)
  func the_lamp_raises_the_severity_of_an_open_defect(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let (on, off) = (#","mil":true"#, #","mil":false"#)
      try await fleet.store([try FollowedFleet.codes(1, at: 1, ["P0300"], off)])
      #expect(try await state(fleet) == ["minor", "troubleCodeFound"])
      // The lamp of an ECU that does not store the code belongs to another fault.
      try await fleet.store([try FollowedFleet.codes(2, at: 2, [], pending: ["P0300"], ecu: "7E9", on)])
      #expect(try await state(fleet) == ["minor", "troubleCodeFound"])
      try await fleet.store([try FollowedFleet.codes(3, at: 25, ["P0300"], on)])
      #expect(try await state(fleet) == ["major", "troubleCodeFound", "troubleCodeFound"])
      try await fleet.store([
        try FollowedFleet.codes(4, at: 26, ["P0300"], on), try FollowedFleet.codes(5, at: 27, ["P0300"], off),
      ])
      #expect(try await state(fleet) == ["major", "troubleCodeFound", "troubleCodeFound"])
    }
  }

  @Test(arguments: Database.allCases)
  func the_lamp_does_not_change_a_severity_that_a_person_set(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.store([try FollowedFleet.codes(1, at: 1, ["P0300"], #","mil":true"#)])
      #expect(try await state(fleet) == ["major", "troubleCodeFound"])
      let defect = try #require(try await fleet.things(ThingQuery<Defect>(limit: 10)).first)
      _ = try await fleet.change(at: 2) { transaction throws(ThingError) in
        var lowered = defect.value
        lowered.severity = .minor
        return try transaction.update(
          try transaction.existing(defect.id, Defect.self), to: lowered, action: "change")
      }
      try await fleet.store([try FollowedFleet.codes(2, at: 25, ["P0300"], #","mil":true"#)])
      #expect(try await state(fleet) == ["minor", "troubleCodeFound"])
    }
  }

  @Test(arguments: Database.allCases)
  func a_code_that_comes_back_with_the_lamp_reopens_a_major_defect(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.store([try FollowedFleet.codes(1, at: 1, ["P0300"], #","mil":false"#)])
      try await fleet.follow()
      try await fleet.store([try FollowedFleet.codes(2, at: 2, [])])
      try await fleet.follow()
      let defect = try #require(try await fleet.things(ThingQuery<Defect>(limit: 10)).first)
      _ = try await fleet.change(at: 3) { transaction throws(ThingError) in
        try transaction.execute(.dismiss, try transaction.existing(defect.id, Defect.self), reason: "none")
      }
      try await fleet.store([try FollowedFleet.codes(3, at: 25, ["P0300"], #","mil":true"#)])
      #expect(try await state(fleet) == ["major", "troubleCodeFound", "troubleCodeFound"])
    }
  }
}
