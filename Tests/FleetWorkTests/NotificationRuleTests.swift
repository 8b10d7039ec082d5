import FleetDomain
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
  func digests(_ digest: NotificationRule.Digest, _ at: String, _ expected: String) throws {
    #expect(Self.rule(digest).mailTime(at: try Self.time(at)) == (try Self.time(expected)))
  }

  @Test(arguments: [
    ("22:00", "06:30", "04T21:59", "04T21:59"), ("22:00", "06:30", "04T22:00", "05T06:30"),
    ("22:00", "06:30", "05T03:00", "05T06:30"), ("22:00", "06:30", "05T06:30", "05T06:30"),
    ("12:00", "13:00", "04T12:59", "04T13:00"), ("12:00", "13:00", "04T13:00", "04T13:00"),
    ("12:00", "12:00", "04T12:00", "04T12:00"),
  ])
  func quiet_hours(_ from: String, _ to: String, _ at: String, _ expected: String) throws {
    #expect(Self.rule(.none, from, to).mailTime(at: try Self.time(at)) == (try Self.time(expected)))
  }

  @Test func a_digest_waits_for_the_end_of_the_quiet_hours() throws {
    let rule = Self.rule(.hourly, "22:00", "07:00")
    #expect(rule.mailTime(at: try Self.time("04T21:30")) == (try Self.time("05T07:00")))
  }

  @Test(arguments: ["24:00", "6:00", "06:60", "06", "", "06:0a"])
  func times_of_day_are_checked(_ text: String) throws {
    let json = JSON.object(["from": .text(text), "to": .text("06:00")])
    #expect(throws: FieldErrors.self) { try NotificationRule.QuietHours.parsed(client: json) }
  }
}
