import Foundation
import TestKit
import Testing

/// The unit files as systemd reads them, without running them.
@Suite struct UnitTests {
  private static func path(_ unit: String) -> String { TestData.projectRoot + "/systemd/" + unit }

  /// `systemd-analyze security`: 0 is locked up, 10 is wide open; the threshold counts tenths.
  @Test(arguments: [("obdgated.service", 16), ("fleetstore.service", 12)])
  func a_service_is_exposed_no_more_than_it_must_be(_ unit: String, _ tenths: Int) throws {
    guard let analyze = try Tool.required("systemd-analyze") else { return }
    let judged = try Tool.run(analyze, ["security", "--offline=true", "--threshold=\(tenths)", Self.path(unit)])
    #expect(judged.status == 0, "\(judged.output)\(judged.errors)")
    #expect(judged.output.contains("Overall exposure level"))
  }

  @Test func the_judge_can_say_no() throws {
    guard let analyze = try Tool.required("systemd-analyze") else { return }
    let scratch = try ScratchFolder()
    let open = try scratch.write("open.service", "[Service]\nExecStart=/bin/true\n")
    #expect(try Tool.run(analyze, ["security", "--offline=true", "--threshold=16", open]).status != 0)
  }

  @Test(arguments: ["obdgated.service", "fleetstore.service"])
  func a_unit_says_nothing_that_systemd_does_not_understand(_ unit: String) throws {
    guard let analyze = try Tool.required("systemd-analyze") else { return }
    let scratch = try ScratchFolder()
    // The programs and pages that it names are installed with it.
    let text = try String(contentsOfFile: Self.path(unit), encoding: .utf8)
      .replacingOccurrences(of: "ExecStart=/usr/bin/[a-z]+", with: "ExecStart=/bin/true", options: .regularExpression)
      .replacingOccurrences(of: "\nDocumentation=[^\n]*", with: "", options: .regularExpression)
    let copy = try scratch.write(unit, text)
    let verified = try Tool.run(analyze, ["verify", "--recursive-errors=no", copy])
    #expect(verified.status == 0)
    #expect(verified.errors.split(separator: "\n").filter { $0.contains(unit) } == [])
  }

  /// What the unit's comments say of the watchdog needs one.
  @Test(arguments: ["obdgated.service", "fleetstore.service"])
  func a_service_is_watched_and_comes_back(_ unit: String) throws {
    let text = try String(contentsOfFile: Self.path(unit), encoding: .utf8)
    for line in ["Type=notify", "Restart=always", "CapabilityBoundingSet=", "ProtectSystem=strict"] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
    #expect(text.contains("\nWatchdogSec="))
  }

  /// udev's keys with an S at the end hold where any ancestor of the device is so; with `!=`, where any is not, which one
  /// always is.
  @Test func no_rule_asks_whether_some_ancestor_is_not_so() throws {
    let rules = try String(contentsOfFile: Self.path("70-obdgate.rules"), encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(rules.contains { $0.contains("SUBSYSTEMS==") })
    let asking = #"\b(SUBSYSTEMS|KERNELS|DRIVERS|TAGS|ATTRS\{[^}]*\})!="#
    for rule in rules { #expect(rule.range(of: asking, options: .regularExpression) == nil, "\(rule)") }
  }
}
