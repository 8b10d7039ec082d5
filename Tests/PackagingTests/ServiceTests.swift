import Foundation
import Glibc
import TestKit
import Testing

/// `obdgated.service` under a systemd that has booted.
@Suite(.serialized) struct ServiceTests {
  private static let unit = "obdgated.service"
  private static let records = "/var/lib/obdgate/records.jsonl"

  /// A simulated car on a port of the machine's own, and a daemon that polls it.
  private static func drive(_ machine: BootedImage, sinks: String = "", dropIn: String = "") throws {
    try machine.shell("systemd-run --quiet --unit=car obdgate simulate --tcp 35000")
    let configuration = """
      {"gatewayId": "gw-test", "stateDirectory": "/var/lib/obdgate", "adapters": [{"tcp": "127.0.0.1:35000"}],
       "discovery": {"bluetooth": false}, "spool": {"commitPeriod": 0.2},
       "sinks": [{"type": "file", "path": "\(records)"}\(sinks)]}
      """
    try machine.shell("cat > /etc/obdgate/obdgated.json <<'EOF'\n\(configuration)\nEOF")
    if !dropIn.isEmpty {
      try machine.shell(
        "mkdir -p /etc/systemd/system/\(unit).d && printf '[Service]\\n\(dropIn)\\n' > /etc/systemd/system/\(unit).d/t.conf"
      )
    }
    try machine.shell("systemctl daemon-reload && systemctl restart \(unit)")
    try machine.wait(for: "sh", "-c", "grep -c rpm \(records)") { Int($0.output.dropLast()) ?? 0 > 0 }
  }

  @Test func it_is_ready_holds_no_capability_and_writes_to_its_state_alone() async throws {
    guard let packages = try Packages() else { return }
    try await aside {
      guard let machine = try packages.machine(installing: [packages.obdgate]) else { return }
      defer { machine.end() }
      try machine.shell("touch /var/tmp/before")
      try Self.drive(machine)
      #expect(try machine.property("ActiveState", of: Self.unit) == "active")
      let process = try machine.property("MainPID", of: Self.unit)
      let status = try machine.shell("cat /proc/\(process)/status")
      for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        #expect(status.contains("\(set):\t0000000000000000\n"), "\(status)")
      }
      #expect(status.contains("NoNewPrivs:\t1\n"))
      #expect(status.contains("Seccomp:\t2\n"))
      #expect(!status.contains("Uid:\t0\t"))
      // Files of its user, or new since it began, but for what the journal writes of it.
      let files = try machine.shell(
        "find / -xdev \\( -user obdgate -o -newer /var/tmp/before \\) -type f -not -path '/proc/*' -not -path '/sys/*'")
      let others = files.split(separator: "\n").filter {
        !$0.hasPrefix("/var/lib/private/obdgate/") && !$0.hasPrefix("/var/log/journal/") && !$0.hasPrefix("/etc/")
          && !$0.hasPrefix("/var/lib/systemd/")
      }
      #expect(others == [])
      #expect(files.contains("/var/lib/private/obdgate/spool.db"))
    }
  }

  @Test func it_stops_in_two_seconds_and_goes_on_where_it_was() async throws {
    guard let packages = try Packages() else { return }
    try await aside {
      guard let machine = try packages.machine(installing: [packages.obdgate]) else { return }
      defer { machine.end() }
      try Self.drive(machine, dropIn: "TimeoutStopSec=2")
      let before = try machine.shell("head -n 1 \(Self.records)")
      try machine.shell("systemctl stop \(Self.unit)")
      // Killed, it would be a timeout.
      #expect(try machine.property("Result", of: Self.unit) == "success")
      let count = try machine.shell("wc -l < \(Self.records)")
      try machine.shell("systemctl start \(Self.unit)")
      try machine.wait(for: "sh", "-c", "wc -l < \(Self.records)") {
        Int($0.output.dropLast()) ?? 0 > (Int(count) ?? .max) + 2
      }
      #expect(try machine.shell("head -n 1 \(Self.records)") == before)
      // One numbering goes on: nothing was lost and nothing came twice.
      let lines = try machine.shell("cat \(Self.records)").split(separator: "\n").map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
      }
      #expect(Set(lines.compactMap { $0["id"] as? String }).count == lines.count)
      #expect(lines.allSatisfy { $0["type"] as? String != "gap" })
    }
  }

  @Test(arguments: ["obdgated", "obdgated-fusion", "obdgated-spool", "obdgated-line0"])
  func what_is_stuck_is_started_anew(_ thread: String) async throws {
    guard let packages = try Packages(), let python = try Tool.required("python3") else { return }
    try await aside {
      guard let machine = try packages.machine(installing: [packages.obdgate]) else { return }
      defer { machine.end() }
      try Self.drive(machine, dropIn: "WatchdogSec=6\\nTimeoutAbortSec=2")
      // It is pinged.
      let first = try machine.property("WatchdogTimestampMonotonic", of: Self.unit)
      try machine.wait(for: "systemctl", "show", "--value", "-p", "WatchdogTimestampMonotonic", Self.unit) {
        $0.output.dropLast() != first
      }
      #expect(try machine.property("NRestarts", of: Self.unit) == "0")
      let process = try machine.property("MainPID", of: Self.unit)
      let pid = try machine.outside(process)
      var stopper: RunningProgram?
      if thread == "obdgated" {
        kill(pid, SIGSTOP)
      } else {
        let program = try RunningProgram(
          python, [TestData.projectRoot + "/Tests/Support/stop-thread.py", "\(pid)", thread])
        try program.line(within: .seconds(60)) { $0 == "stopped" }
        stopper = program
      }
      defer { stopper?.kill() }
      try machine.wait(for: "journalctl", "--no-pager", "-u", Self.unit) {
        $0.output.contains("Watchdog timeout") && $0.output.contains("restart counter is at 1")
      }
      stopper?.kill()
      let lines = try machine.shell("wc -l < \(Self.records)")
      try machine.wait(for: "sh", "-c", "wc -l < \(Self.records)") {
        Int($0.output.dropLast()) ?? 0 > (Int(lines) ?? .max) + 2
      }
      #expect(try machine.property("MainPID", of: Self.unit) != process)
    }
  }

  @Test func a_fleet_store_that_hangs_is_started_anew_and_has_what_it_had() async throws {
    guard let packages = try Packages() else { return }
    try await aside {
      guard let machine = try packages.machine(installing: [packages.fleetstore]) else { return }
      defer { machine.end() }
      let unit = "fleetstore.service"
      let token = try machine.shell("cat /var/lib/fleetstore/administrator.token")
      try machine.shell(
        "mkdir -p /etc/systemd/system/\(unit).d && printf '[Service]\\nWatchdogSec=8\\nTimeoutAbortSec=2\\n' "
          + "> /etc/systemd/system/\(unit).d/t.conf && systemctl daemon-reload && systemctl restart \(unit)")
      let first = try machine.property("WatchdogTimestampMonotonic", of: unit)
      try machine.wait(for: "systemctl", "show", "--value", "-p", "WatchdogTimestampMonotonic", unit) {
        $0.output.dropLast() != first
      }
      kill(try machine.outside(try machine.property("MainPID", of: unit)), SIGSTOP)
      try machine.wait(for: "journalctl", "--no-pager", "-u", unit) {
        $0.output.contains("Watchdog timeout") && $0.output.contains("restart counter is at 1")
      }
      try machine.shell("printf 'Authorization: Bearer %s' \(token) > /run/header")
      // Its token is known still.
      try machine.wait(for: "curl", "-sS", "-H", "@/run/header", "http://127.0.0.1:8080/api/vehicles") {
        $0.output.contains("\"data\"")
      }
    }
  }

  /// The unit's filter of system calls does not let it ask the kernel.
  @Test func it_knows_that_timesyncd_keeps_the_clock() async throws {
    guard let packages = try Packages() else { return }
    try await aside {
      guard let machine = try packages.machine(installing: [packages.obdgate]) else { return }
      defer { machine.end() }
      try Self.drive(machine)
      #expect(try machine.run("grep", "-c", #""timeQuality":"ntp""#, Self.records).output == "0\n")
      try machine.shell("mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized")
      try machine.wait(for: "grep", "-c", #""timeQuality":"ntp""#, Self.records) { $0.output != "0\n" }
    }
  }

  @Test func a_wrong_configuration_is_said_and_not_tried_for_ever() async throws {
    guard let packages = try Packages() else { return }
    try await aside {
      guard let machine = try packages.machine(installing: [packages.obdgate]) else { return }
      defer { machine.end() }
      try machine.shell("echo '{\"gatewayIdd\": 1}' > /etc/obdgate/obdgated.json")
      try machine.run("systemctl", "restart", Self.unit)
      try machine.wait(for: "systemctl", "show", "--value", "-p", "ActiveState", Self.unit) { $0.output == "failed\n" }
      #expect(try machine.property("NRestarts", of: Self.unit) == "0")
      #expect(try machine.shell("journalctl --no-pager -u \(Self.unit)").contains("obdgated.json:1:"))
    }
  }

  @Test func records_reach_a_fleet_store_with_a_token_that_only_the_daemon_sees() async throws {
    guard let packages = try Packages() else { return }
    try await aside {
      guard let machine = try packages.machine(installing: [packages.fleetstore, packages.obdgate]) else { return }
      defer { machine.end() }
      #expect(try machine.property("ActiveState", of: "fleetstore.service") == "active")
      let token = try machine.shell("cat /var/lib/fleetstore/administrator.token")
      try machine.shell(
        "systemd-run --quiet --pipe --wait -p User=fleetstore -p DynamicUser=yes -p StateDirectory=fleetstore "
          + "fleetstore gateway add gw-test --database sqlite:/var/lib/fleetstore/fleet.db "
          + "| install -D -m 600 /dev/stdin /etc/credstore/obdgate.token")
      try Self.drive(
        machine,
        sinks: """
          , {"type": "fleetStore", "url": "http://127.0.0.1:8080/api", "batch": {"seconds": 0.2},
             "tokenFile": "/run/credentials/\(Self.unit)/obdgate.token"}
          """)
      try machine.shell("printf 'Authorization: Bearer %s' \(token) > /run/header")
      try machine.wait(for: "curl", "-sS", "-H", "@/run/header", "http://127.0.0.1:8080/api/vehicles") {
        $0.output.contains("1D4GP00R")
      }
    }
  }
}
