import Foundation
import TestKit
import Testing

/// The unit files as systemd reads them, without running them.
@Suite struct UnitTests {
  private static func path(_ unit: String) -> String { TestData.projectRoot + "/systemd/" + unit }

  /// The value of `systemd-analyze security`: 0 is the lowest exposure, 10 the highest. The threshold is in tenths.
  @Test(arguments: [("obdgated.service", 16), ("fleetstore.service", 12)])
  func a_service_is_exposed_no_more_than_it_must_be(_ unit: String, _ tenths: Int) throws {
    let analyze = try Tool.required("systemd-analyze")
    let judged = try Tool.run(analyze, ["security", "--offline=true", "--threshold=\(tenths)", Self.path(unit)])
    #expect(judged.status == 0, "\(judged.output)\(judged.errors)")
    #expect(judged.output.contains("Overall exposure level"))
  }

  @Test func the_check_rejects_an_unsafe_unit() throws {
    let analyze = try Tool.required("systemd-analyze")
    let scratch = try ScratchFolder()
    let open = try scratch.write("open.service", "[Service]\nExecStart=/bin/true\n")
    #expect(try Tool.run(analyze, ["security", "--offline=true", "--threshold=16", open]).status != 0)
  }

  @Test(arguments: ["obdgated.service", "fleetstore.service"])
  func units_contain_only_settings_that_systemd_knows(_ unit: String) throws {
    let analyze = try Tool.required("systemd-analyze")
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

  /// The comments in the unit about the watchdog require one.
  @Test(arguments: ["obdgated.service", "fleetstore.service"])
  func a_service_has_a_watchdog_and_is_restarted(_ unit: String) throws {
    let text = try String(contentsOfFile: Self.path(unit), encoding: .utf8)
    for line in [
      "Type=notify", "Restart=always", "StartLimitIntervalSec=0", "CapabilityBoundingSet=", "ProtectSystem=strict",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
    #expect(text.contains("\nWatchdogSec="))
  }

  /// Exit statuses of sysexits.h for which a restart does not help. For all others it may help.
  @Test(arguments: [("obdgated.service", [64, 66, 78]), ("fleetstore.service", [64, 65, 66, 78])])
  func permanent_failures_are_not_restarted_for_ever(_ unit: String, _ statuses: [Int]) throws {
    let text = try String(contentsOfFile: Self.path(unit), encoding: .utf8)
    #expect(text.contains("\nRestartPreventExitStatus=\(statuses.map(String.init).joined(separator: " "))\n"))
  }

  /// An adapter requires a unit by an alias of the service, which exists only while the service is enabled.
  @Test func plugging_in_an_adapter_does_not_start_a_disabled_unit() throws {
    let systemctl = try Tool.required("systemctl")
    let rules = try String(contentsOfFile: Self.path("70-obdgate.rules"), encoding: .utf8)
    let wanted = rules.matches(of: /SYSTEMD_WANTS\}\+?="([^"]*)"/).map { String($0.1) }
    #expect(wanted == ["obdgate-adapter.service"])
    let scratch = try ScratchFolder()
    let units = scratch.path + "/usr/lib/systemd/system/"
    try FileManager.default.createDirectory(atPath: units, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Self.path("obdgated.service"), toPath: units + "obdgated.service")
    let links = ["obdgate-adapter.service", "multi-user.target.wants/obdgated.service"]
    for (action, isThere) in [("enable", true), ("disable", false)] {
      let ran = try Tool.run(systemctl, ["--root=\(scratch.path)", action, "obdgated.service"])
      #expect(ran.status == 0, "\(ran.errors)")
      for link in links {
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: scratch.path + "/etc/systemd/system/" + link)
        #expect((target != nil) == isThere, "\(action) \(link)")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: Self.path("obdgate-adapter.service")))
  }
}
