import Foundation
import Glibc
import TestKit
import Testing

/// `obdgate doctor` with a configuration that is invalid or not advisable.
@Suite struct DoctorConfigurationTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func findings(_ configuration: String) throws -> [PrintedJSON] {
    let file = try scratch.write("gateway.json", configuration)
    unsafe chmod(file, 0o644)
    return try doctor(["--config", file])
  }

  private func isUndecided(_ findings: [PrintedJSON], _ check: String) -> Bool {
    findings.contains {
      $0["check"]?.text == check && $0["verdict"] == "warning"
        && $0["what"]?.text?.hasPrefix("not checked: it depends on the configuration") == true
    }
  }

  @Test func doctor_checks_the_rest_with_an_invalid_configuration() throws {
    let findings = try findings(#"{"spol": {}}"#)
    #expect(findings[0]["verdict"] == "problem")
    #expect(findings[0]["what"]?.text?.contains(#"gateway.json:1:2: spol: unknown key "spol""#) == true)
    #expect(findings[0]["remedy"]?.text?.contains("obdgated --check") == true)
    for check in ["libraries", "bluetooth", "disk", "sinks"] { #expect(isUndecided(findings, check), "\(check)") }
    // There is no finding about an unknown configuration.
    #expect(!findings.contains { $0["what"]?.text?.contains("records are not stored") == true })
    #expect(findings.contains { $0["check"] == "clock" })
    #expect(findings.contains { $0["check"] == "daemon" })
  }

  @Test func every_fault_of_a_configuration_is_a_problem_and_one_remedy_is_given() throws {
    let findings = try findings(#"{"record": {"period": 0, "on": "x"}}"#).filter { $0["check"] == "configuration" }
    #expect(findings.map { $0["verdict"] } == ["problem", "problem"])
    #expect(findings.first?["what"]?.text?.contains("gateway.json:1:23: record.period: ") == true)
    #expect(findings.last?["what"]?.text?.contains("gateway.json:1:32: record.on: ") == true)
    #expect(findings.map { $0["remedy"] != nil } == [false, true])
  }

  @Test func a_missing_configuration_is_a_problem_and_another_can_be_named() throws {
    let findings = try doctor(["--config", scratch.file("none.json")])
    #expect(findings[0]["check"] == "configuration")
    #expect(findings[0]["verdict"] == "problem")
    #expect(findings[0]["remedy"] == "name another with --config")
    #expect(isUndecided(findings, "disk"))
  }

  @Test func a_missing_file_that_it_names_is_not_the_configurations_own() throws {
    let findings = try findings(#"{"geofences": "fences.geojson"}"#)
    #expect(findings[0]["what"]?.text?.contains("fences.geojson: cannot be read") == true)
    #expect(
      findings[0]["remedy"]?.text == "create the file, or name another in \(scratch.file("gateway.json"))")
  }

  @Test func doctor_finds_the_daemon_with_an_invalid_configuration() throws {
    let peer = try DaemonPeer(scratch.file("sock")) { $0.send(DaemonPeer.ok(#"{"version":"7","adapters":[]}"#)) }
    defer { peer.stop() }
    let findings = try findings(#"{"status": {"socket": "sock"}, "adapters": [{"device": 7}]}"#)
    #expect(findings[0]["verdict"] == "problem")
    let daemon = findings.first { $0["check"] == "daemon" }
    #expect(daemon?["what"]?.text?.hasPrefix("obdgated 7 runs") == true, "\(findings)")
  }

  @Test func a_pin_that_everyone_may_read_is_a_warning() throws {
    let findings = try findings(
      #"{"adapters": [{"rfcomm": "AA:BB:CC:00:00:01", "pin": "6789"}], "discovery": {"bluetooth": false}}"#)
    let warning = findings.first { $0["check"] == "configuration" && $0["verdict"] == "warning" }
    #expect(warning?["what"]?.text?.contains("pinFile") == true, "\(findings)")
    #expect(!findings.description.contains("6789"))
  }

  // MARK: What a daemon has lost

  @Test func doctor_reports_losses_with_their_cause() throws {
    let peer = try DaemonPeer(scratch.file("sock")) {
      $0.send(
        DaemonPeer.ok(
          #"{"records":{"lost":1500,"lostByReason":{"spoolFull":1400,"powerLoss":95,"slowDisk":0,"processKilled":5}}}"#
        ))
    }
    defer { peer.stop() }
    let findings = try findings(#"{"status": {"socket": "sock"}}"#)
    let text = "1,500 records were lost since the start: spoolFull 1,400, powerLoss at most 95, processKilled at most 5"
    #expect(findings.contains { $0["check"] == "daemon" && $0["what"]?.text == text }, "\(findings)")
    let page = try obdgate(["status", "--once", "--socket", peer.path]).output
    #expect(page.contains("note     \(text)"), "\(page)")
    let losses = "RECORDS  lost 1,500 (spoolFull 1,400, powerLoss at most 95, processKilled at most 5)"
    #expect(page.contains(losses), "\(page)")
  }

  @Test func a_secret_that_is_sent_unencrypted_is_a_warning() throws {
    let findings = try findings(
      #"{"sinks": [{"type": "mqtt", "url": "mqtt://127.0.0.2.example", "userFile": "u", "passwordFile": "p", "insecure": true}]}"#
    )
    let warning = findings.first { $0["check"] == "configuration" && $0["verdict"] == "warning" }
    #expect(warning?["what"]?.text?.contains("the password is sent without encryption") == true, "\(findings)")
  }
}
