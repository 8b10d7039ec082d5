import FleetDomain
import FleetFigures
import FleetStorage
import FleetStorageTestKit
import FleetWork
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetFollower

/// Defects that trouble codes in records open and change.
@Suite struct FollowedDefectTests {
  /// Each report is written together with the others of its defect.
  @Test(arguments: Database.allCases)
  func a_code_of_very_many_ecus_has_a_limited_number_of_reports(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.store(
        (1...40).map { try FollowedFleet.codes(UInt64($0), at: Double($0), ["P0301"], ecu: "E\($0)") }
          + [try FollowedFleet.codes(41, at: 41, ["P0302"], ecu: String(repeating: "E", count: 65))])
      try await fleet.follow()
      let defects = try await fleet.things(ThingQuery<Defect>(limit: 10))
      #expect(defects.map(\.value.codes) == [["P0301"]])
      #expect(defects.first?.value.reports.map(\.ecu) == (1...32).map { "E\($0)" })
    }
  }

  @Test(arguments: Database.allCases)
  func a_report_of_very_many_codes_opens_a_hundred_defects(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let codes = (0..<400).map { "P" + String(0x1000 + $0, radix: 16).uppercased() }
      try await fleet.store([
        try FollowedFleet.codes(1, at: 1, Array(codes[..<300])),
        try FollowedFleet.codes(2, at: 2, Array(codes[300...]), ecu: "7E9"),
      ])
      try await fleet.follow()
      #expect(try await fleet.things(ThingQuery<Defect>(limit: 1_000)).count == 100)
    }
  }

  @Test(arguments: Database.allCases)
  func a_defect_has_the_description_of_the_sender(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let words = #","descriptions":{"SPN110-FMI16":"coolant temperature: above normal"}"#
      try await fleet.store([try FollowedFleet.codes(1, at: 1, ["SPN110-FMI16", "P0420"], words)])
      try await fleet.follow()
      let texts = try await fleet.things(ThingQuery<Defect>(order: [.init("text")], limit: 10)).map(\.value.text)
      #expect(texts.count == 2 && texts.last == "SPN110-FMI16: coolant temperature: above normal", "\(texts)")
    }
  }

  /// A record was stored before the backup, and the follower had not processed it. Another record's vehicle was
  /// already found, but had no turn.
  @Test(arguments: Database.allCases)
  func a_code_stored_before_a_backup_opens_its_defect_after_the_restore(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.store([try FollowedFleet.codes(1, at: 1, ["P0420"])])
      while try await fleet.follower.readFeed(tenant: .standard) {}
      try await fleet.store([
        try FollowedFleet.codes(2, at: 2, ["P0420", "P0301"], ecu: "7E8"),
        try FollowedFleet.trip(3, from: 2, to: 3, #","distance":50,"endOdometer":10050"#),
      ])
      try await fleet.storage.recordRestoration()
      try await fleet.store([try FollowedFleet.codes(4, at: 4, ["P0420", "P0301", "C0031"])])
      try await fleet.follow()
      let defects = try await fleet.things(ThingQuery<Defect>(limit: 10))
      #expect(Set(defects.flatMap(\.value.codes)) == ["P0420", "P0301", "C0031"] && defects.count == 3)
      #expect(try await fleet.vehicle().odometer == 10_050)
      #expect(try await fleet.things(ThingQuery<FollowedVehicle>(limit: 10)).isEmpty)
      // The work is not done again.
      try await fleet.follow()
      #expect(try await fleet.things(ThingQuery<MeterReading>(limit: 100)).count == 1)
    }
  }

  @Test(arguments: Database.allCases)
  func a_code_opens_one_defect_and_stays_away_before_it_is_verified(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      func defects() async throws -> [Stored<Defect>] {
        try await fleet.things(ThingQuery<Defect>(order: [.init("createdAt"), .init("text")], limit: 100))
      }
      func follow(_ records: [IncomingRecord]) async throws {
        try await fleet.store(records)
        try await fleet.follow()
      }
      let frame = #","mil":true,"freezeFrame":{"frame":0,"dtc":"P0301","readings":{"rpm":2500}}"#
      try await follow([
        try FollowedFleet.codes(1, at: 1, ["P0301"], frame), try FollowedFleet.codes(2, at: 1.1, ["P0301", "P0420"]),
        try FollowedFleet.codes(3, at: 1.2, ["P0301"], ecu: "7E9"),
      ])
      var found = try await defects()
      #expect(found.map(\.value.codes) == [["P0301"], ["P0420"]])
      #expect(found[0].value.severity == .major && found[1].value.severity == .minor)
      #expect(found[0].value.text.contains("misfire"), "\(found[0].value.text)")
      #expect(found[0].value.freezeFrame?["readings"]?["rpm"] == .integer(2_500))
      // Trips with the code do not count, nor does one during which it went away.
      try await follow([
        try FollowedFleet.trip(4, from: 2, to: 3, ""), try FollowedFleet.codes(5, at: 4.5, ["P0420"]),
        try FollowedFleet.trip(6, from: 4, to: 5, ""),
      ])
      found = try await defects()
      #expect(found[0].value.isPresent, "the other ECU still has it")
      try await follow([try FollowedFleet.codes(7, at: 5.5, [], ecu: "7E9")])
      try await follow([
        try FollowedFleet.trip(8, from: 6, to: 7, ""), try FollowedFleet.trip(9, from: 8, to: 9, ""),
      ])
      found = try await defects()
      #expect(found[0].value.tripsWithout == 2 && found[0].value.status == .open)
      // A pending code begins the count again, but opens nothing.
      try await follow([
        try FollowedFleet.codes(10, at: 9.5, ["P0420"], pending: ["P0301"]),
        try FollowedFleet.codes(11, at: 9.7, ["P0420"]),
        try FollowedFleet.trip(12, from: 10, to: 11, ""), try FollowedFleet.trip(13, from: 12, to: 13, ""),
      ])
      #expect(try await defects()[0].value.status == .open)
      try await follow([try FollowedFleet.trip(14, from: 14, to: 15, "")])
      found = try await defects()
      #expect(found.map(\.value.status) == [.verified, .open])
      // An older report that arrives late changes nothing; a newer one reopens the same defect.
      try await follow([try FollowedFleet.codes(15, at: 9.6, ["P0301"])])
      #expect(try await defects()[0].value.status == .verified)
      try await follow([try FollowedFleet.codes(16, at: 16, ["P0301", "P0420"])])
      found = try await defects()
      #expect(found.count == 2 && found.map(\.value.status) == [.open, .open])
    }
  }

  @Test(arguments: Database.allCases)
  func a_repair_is_not_verified_while_the_code_is_there(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.store([try FollowedFleet.codes(1, at: 1, ["C0031"])])
      try await fleet.follow()
      let id = try #require(try await fleet.things(ThingQuery<Defect>()).first).id
      for command in [DefectCommand.acknowledge, .repair] {
        _ = try await fleet.change { transaction throws(ThingError) in
          try transaction.execute(command, try transaction.existing(id, Defect.self))
        }
      }
      let error = await #expect(throws: ThingError.self) {
        try await fleet.change { transaction throws(ThingError) in
          try transaction.execute(.verify, try transaction.existing(id, Defect.self))
        }
      }
      guard case .rule(code: "codePresent", _)? = error else { throw error ?? ThingError.changedMeanwhile }
      try await fleet.store([try FollowedFleet.codes(2, at: 2, [])])
      try await fleet.follow()
      // Trips without the code are needed, or a reason.
      let early = await #expect(throws: ThingError.self) {
        try await fleet.change { transaction throws(ThingError) in
          try transaction.execute(.verify, try transaction.existing(id, Defect.self))
        }
      }
      guard case .rule(code: "notEnoughTrips", _)? = early else { throw early ?? ThingError.changedMeanwhile }
      let verified = try await fleet.change { transaction throws(ThingError) in
        try transaction.execute(.verify, try transaction.existing(id, Defect.self), reason: "test drive")
      }
      #expect(verified.value.status == .verified && verified.value.verifyReason == "test drive")
    }
  }

  @Test(arguments: Database.allCases)
  func a_repair_that_left_the_code_is_open_work_again(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.store([try FollowedFleet.codes(1, at: 1, ["C0031"])])
      try await fleet.follow()
      let id = try #require(try await fleet.things(ThingQuery<Defect>()).first).id
      for command in [DefectCommand.acknowledge, .repair] {
        _ = try await fleet.storage.change(
          tenant: .standard, by: Actor(.command), at: FollowedFleet.time(5)
        ) { transaction throws(ThingError) in
          try transaction.execute(command, try transaction.existing(id, Defect.self))
        }
      }
      func status() async throws -> Defect.Status? { try await fleet.things(ThingQuery<Defect>()).first?.value.status }
      // A report from before the repair that arrives after it.
      try await fleet.store([try FollowedFleet.codes(2, at: 4, ["C0031"])])
      try await fleet.follow()
      #expect(try await status() == .repaired)
      try await fleet.store([try FollowedFleet.codes(3, at: 6, ["C0031"])])
      try await fleet.follow()
      #expect(try await status() == .acknowledged)
    }
  }

  @Test(arguments: Database.allCases)
  func a_tenant_decides_about_defects_of_codes(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      func set(_ change: @escaping @Sendable (inout TenantSettings) -> Void) async throws {
        _ = try await fleet.change { transaction throws(ThingError) in
          let stored = try transaction.storedSettings()
          var settings = stored.value
          change(&settings)
          return try transaction.update(stored, to: settings, action: "change")
        }
      }
      try await set { $0.opensCodeDefects = false }
      try await fleet.store([try FollowedFleet.codes(1, at: 1, ["C0031"])])
      try await fleet.follow()
      #expect(try await fleet.things(ThingQuery<Defect>()).isEmpty)
      try await set { ($0.opensCodeDefects, $0.tripsToVerify) = (true, 1) }
      try await fleet.store([try FollowedFleet.codes(2, at: 2, ["C0031"])])
      try await fleet.follow()
      #expect(try await fleet.things(ThingQuery<Defect>()).first?.value.status == .open)
      try await fleet.store([try FollowedFleet.codes(3, at: 3, []), try FollowedFleet.trip(4, from: 4, to: 5, "")])
      try await fleet.follow()
      #expect(try await fleet.things(ThingQuery<Defect>()).first?.value.status == .verified)
    }
  }
}
