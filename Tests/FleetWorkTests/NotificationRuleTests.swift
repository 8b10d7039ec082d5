import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetWork

@Suite struct NotificationRuleTests {
  private static func time(_ text: String) throws -> Timestamp { try Timestamp(json: .text("2026-05-\(text):00Z")) }

  private static func rule(_ digest: NotificationRule.Digest, _ from: String? = nil, _ to: String = "")
    -> NotificationRule
  {
    var rule = NotificationRule()
    rule.digest = digest
    if let from {
      var quiet = NotificationRule.QuietHours()
      (quiet.from, quiet.to) = (from, to)
      rule.quietHours = quiet
    }
    return rule
  }

  @Test(arguments: [
    (NotificationRule.Digest.none, "04T10:07", "04T10:07"), (.hourly, "04T10:07", "04T11:00"),
    (.hourly, "04T10:00", "04T11:00"), (.daily, "04T05:59", "04T06:00"), (.daily, "04T06:00", "05T06:00"),
    (.daily, "04T23:00", "05T06:00"),
  ])
  func a_digest_is_sent_at_the_next_time_of_its_period(
    _ digest: NotificationRule.Digest, _ at: String, _ expected: String
  ) throws {
    #expect(Self.rule(digest).sendTime(at: try Self.time(at), in: .utc) == (try Self.time(expected)))
  }

  @Test(arguments: [
    ("22:00", "06:30", "04T21:59", "04T21:59"), ("22:00", "06:30", "04T22:00", "05T06:30"),
    ("22:00", "06:30", "05T03:00", "05T06:30"), ("22:00", "06:30", "05T06:30", "05T06:30"),
    ("12:00", "13:00", "04T12:59", "04T13:00"), ("12:00", "13:00", "04T13:00", "04T13:00"),
    ("12:00", "12:00", "04T12:00", "04T12:00"),
  ])
  func a_notification_waits_until_quiet_hours_end(_ from: String, _ to: String, _ at: String, _ expected: String) throws
  {
    #expect(Self.rule(.none, from, to).sendTime(at: try Self.time(at), in: .utc) == (try Self.time(expected)))
  }

  @Test func a_digest_waits_for_the_end_of_the_quiet_hours() throws {
    let rule = Self.rule(.hourly, "22:00", "07:00")
    #expect(rule.sendTime(at: try Self.time("04T21:30"), in: .utc) == (try Self.time("05T07:00")))
  }

  /// Computed with Python's zoneinfo.
  @Test(arguments: [
    // 22:30 in Vienna, in summer.
    ("2026-05-04T20:30:00Z", "2026-05-05T04:00:00Z"), ("2026-05-04T19:59:00Z", "2026-05-04T19:59:00Z"),
    // The clock goes forward from 02:00 to 03:00, and back from 03:00 to 02:00.
    ("2026-03-28T22:00:00Z", "2026-03-29T04:00:00Z"), ("2026-10-24T21:00:00Z", "2026-10-25T05:00:00Z"),
  ])
  func quiet_hours_are_those_of_the_time_zone(_ at: String, _ expected: String) throws {
    let vienna = try ZoneRules.machine("Europe/Vienna")
    let rule = Self.rule(.none, "22:00", "06:00")
    #expect(rule.sendTime(at: try Timestamp(json: .text(at)), in: vienna) == (try Timestamp(json: .text(expected))))
  }

  @Test func digests_are_sent_in_the_morning_and_at_the_full_hour_of_the_time_zone() throws {
    let vienna = try ZoneRules.machine("Europe/Vienna")
    #expect(Self.rule(.daily).sendTime(at: try Self.time("04T03:59"), in: vienna) == (try Self.time("04T04:00")))
    #expect(Self.rule(.daily).sendTime(at: try Self.time("04T04:00"), in: vienna) == (try Self.time("05T04:00")))
    let nepal = try ZoneRules.machine("Asia/Kathmandu")
    #expect(Self.rule(.hourly).sendTime(at: try Self.time("04T10:07"), in: nepal) == (try Self.time("04T10:15")))
  }

  @Test(arguments: ["24:00", "6:00", "06:60", "06", "", "06:0a"])
  func times_of_day_are_checked(_ text: String) throws {
    let json = JSON.object(["from": .text(text), "to": .text("06:00")])
    #expect(throws: FieldErrors.self) { try NotificationRule.QuietHours.parsed(client: json) }
  }
}

extension ZoneRules {
  /// The rules of a time zone of the machine.
  static func machine(_ name: String) throws -> ZoneRules {
    let data = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))
    return try #require(ZoneRules(tzif: Array(data)))
  }
}
