import Foundation
import Glibc
import TestKit
import Testing

@testable import PackagingTestKit

/// `obdgated.service` under a systemd that has booted.
@Suite(.serialized) struct InstalledServiceTests {
  private static let unit = "obdgated.service"
  private static let records = "/var/lib/obdgate/records.jsonl"

  /// Starts a simulated car on a port of the machine, and a daemon that polls it.
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

  /// Expects that the service's process has no privilege of root.
  private static func expectNoPrivilege(of unit: String, _ machine: BootedImage) throws {
    let status = try machine.shell("cat /proc/\(try machine.property("MainPID", of: unit))/status")
    for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
      #expect(status.contains("\(set):\t0000000000000000\n"), "\(status)")
    }
    #expect(status.contains("NoNewPrivs:\t1\n"))
    #expect(status.contains("Seccomp:\t2\n"))
    #expect(!status.contains("Uid:\t0\t"))
  }

  @Test func the_daemon_gets_ready_without_capabilities_and_writes_only_to_its_state_directory() async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.obdgate])
      defer { machine.end() }
      try machine.shell("touch /var/tmp/before")
      try Self.drive(machine)
      #expect(try machine.property("ActiveState", of: Self.unit) == "active")
      try Self.expectNoPrivilege(of: Self.unit, machine)
      // Files of its user, or files that are newer than its start, except those of the journal.
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

  @Test func the_daemon_stops_within_two_seconds_and_resumes_after_a_start() async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.obdgate])
      defer { machine.end() }
      try Self.drive(machine, dropIn: "TimeoutStopSec=2")
      let before = try machine.shell("head -n 1 \(Self.records)")
      try machine.shell("systemctl stop \(Self.unit)")
      // If the service had been killed, the result would be a timeout.
      #expect(try machine.property("Result", of: Self.unit) == "success")
      let count = try machine.shell("wc -l < \(Self.records)")
      try machine.shell("systemctl start \(Self.unit)")
      try machine.wait(for: "sh", "-c", "wc -l < \(Self.records)") {
        Int($0.output.dropLast()) ?? 0 > (Int(count) ?? .max) + 2
      }
      #expect(try machine.shell("head -n 1 \(Self.records)") == before)
      // The numbering continues: no record was lost or sent twice.
      let lines = try machine.shell("cat \(Self.records)").split(separator: "\n").map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
      }
      #expect(Set(lines.compactMap { $0["id"] as? String }).count == lines.count)
      #expect(lines.allSatisfy { $0["type"] as? String != "gap" })
    }
  }

  @Test(arguments: ["obdgated", "obdgated-fusion", "obdgated-spool", "obdgated-link0"])
  func the_watchdog_restarts_a_stuck_daemon(_ thread: String) async throws {
    let packages = try Packages()
    let python = try Tool.required("python3")
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.obdgate])
      defer { machine.end() }
      try Self.drive(machine, dropIn: "WatchdogSec=6\\nTimeoutAbortSec=2")
      // The watchdog is pinged.
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

  @Test func a_hanging_fleet_store_is_restarted_with_its_data() async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.fleetstore])
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
      // The token that was made before is still valid.
      try machine.wait(for: "curl", "-sS", "-H", "@/run/header", "http://127.0.0.1:8080/api/vehicles") {
        $0.output.contains("\"data\"")
      }
    }
  }

  @Test func a_fleet_store_holds_no_capability_writes_to_its_state_alone_and_stops_in_two_seconds() async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.fleetstore])
      defer { machine.end() }
      let unit = "fleetstore.service"
      try machine.shell(
        "mkdir -p /etc/systemd/system/\(unit).d && printf '[Service]\\nTimeoutStopSec=2\\n' "
          + "> /etc/systemd/system/\(unit).d/t.conf && systemctl daemon-reload && touch /var/tmp/before "
          + "&& systemctl restart \(unit)")
      #expect(try machine.property("ActiveState", of: unit) == "active")
      try Self.expectNoPrivilege(of: unit, machine)
      try machine.shell(
        "printf 'Authorization: Bearer %s' $(cat /var/lib/fleetstore/administrator.token) > /run/header "
          + "&& curl -sS --fail -H @/run/header -H 'Content-Type: application/json' -d '{\"id\":\"VAN-1\"}' "
          + "http://127.0.0.1:8080/api/vehicles")
      let files = try machine.shell(
        "find / -xdev -newer /var/tmp/before -type f -not -path '/proc/*' -not -path '/sys/*'")
      let others = files.split(separator: "\n").filter {
        !$0.hasPrefix("/var/lib/private/fleetstore/") && !$0.hasPrefix("/var/log/journal/") && !$0.hasPrefix("/etc/")
          && !$0.hasPrefix("/var/lib/systemd/")
      }
      #expect(others == [])
      // A silent client with an open connection does not delay the stop.
      try machine.shell(
        "systemd-run --quiet --unit=idle bash -c 'exec 3<>/dev/tcp/127.0.0.1/8080; touch /run/idle; read -u 3 line' "
          + "&& until [ -e /run/idle ]; do :; done")
      try machine.shell("systemctl stop \(unit)")
      // If the service had been killed, the result would be a timeout.
      #expect(try machine.property("Result", of: unit) == "success")
      try machine.shell("systemctl start \(unit)")
      #expect(
        try machine.shell("curl -sS --fail -H @/run/header http://127.0.0.1:8080/api/vehicles").contains("VAN-1"))
    }
  }

  /// Simulates udev for an adapter: its device requires a unit.
  @Test func plugging_in_an_adapter_starts_an_ended_but_not_a_disabled_service() async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.obdgate])
      defer { machine.end() }
      func plug() throws {
        try machine.shell("systemd-run --quiet --unit=adapter -p Wants=obdgate-adapter.service sleep infinity")
      }
      try machine.shell("systemctl stop \(Self.unit)")
      try plug()
      try machine.wait(for: "systemctl", "is-active", Self.unit) { $0.output == "active\n" }
      try machine.shell("systemctl stop adapter && systemctl disable --quiet --now \(Self.unit)")
      try plug()
      #expect(try machine.shell("systemctl is-active adapter") == "active")
      #expect(try machine.run("systemctl", "is-active", Self.unit).output == "inactive\n")
    }
  }

  /// The unit's filter of system calls does not permit the call to the kernel.
  @Test func the_daemon_detects_that_timesyncd_keeps_the_clock() async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.obdgate])
      defer { machine.end() }
      try Self.drive(machine)
      #expect(try machine.run("grep", "-c", #""timeQuality":"ntp""#, Self.records).output == "0\n")
      try machine.shell("mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized")
      try machine.wait(for: "grep", "-c", #""timeQuality":"ntp""#, Self.records) { $0.output != "0\n" }
    }
  }

  @Test(arguments: [(#"{"gatewayIdd": 1}"#, "obdgated.json:1:"), (#"{"geofences": "none.geojson"}"#, "none.geojson")])
  func a_wrong_configuration_is_reported_and_not_retried(_ text: String, _ message: String) async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.obdgate])
      defer { machine.end() }
      try machine.shell("echo '\(text)' > /etc/obdgate/obdgated.json")
      try machine.run("systemctl", "restart", Self.unit)
      try machine.wait(for: "systemctl", "show", "--value", "-p", "ActiveState", Self.unit) { $0.output == "failed\n" }
      #expect(try machine.property("NRestarts", of: Self.unit) == "0")
      #expect(try machine.shell("journalctl --no-pager -u \(Self.unit)").contains(message))
    }
  }

  @Test func records_reach_a_fleet_store_with_a_token_that_only_the_daemon_sees() async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.fleetstore, packages.obdgate])
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

  @Test func adapter_events_are_in_the_journal_with_their_fields() async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.obdgate])
      defer { machine.end() }
      try Self.drive(machine)
      try machine.shell("systemctl stop car")
      let found = try machine.wait(
        for: "journalctl", "--no-pager", "--output=json", "-u", Self.unit, "-p", "warning", "OBDGATE_EVENT=lost"
      ) { !$0.output.isEmpty }
      let entry = try #require(
        JSONSerialization.jsonObject(with: Data(found.output.split(separator: "\n")[0].utf8)) as? [String: String])
      #expect(entry["OBDGATE_DEVICE"] == "tcp:127.0.0.1:35000" && entry["PRIORITY"] == "4")
      #expect(entry["OBDGATE_REASON"] != nil && entry["MESSAGE"]?.hasPrefix("tcp:127.0.0.1:35000: lost: ") == true)
      // Records are in their file, and not in the journal as well.
      #expect(!(try machine.shell("journalctl --no-pager --output=cat -u \(Self.unit)").contains("\"telemetry\"")))
    }
  }

  @Test func a_pin_is_shown_to_the_daemon_alone() async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.obdgate])
      defer { machine.end() }
      let pin = "/run/credentials/\(Self.unit)/obdgate.pin"
      // Returns the log lines since the last start.
      let said = """
        journalctl --no-pager --output=cat \
          _SYSTEMD_INVOCATION_ID=$(systemctl show --value -p InvocationID \(Self.unit))
        """
      try machine.shell(
        """
        echo '{"adapters": [{"rfcomm": "00:1D:A5:68:98:8A", "pinFile": "\(pin)"}]}' > /etc/obdgate/obdgated.json
        systemctl restart \(Self.unit)
        """)
      try machine.wait(for: "sh", "-c", said) { $0.output.contains("\(pin): ") }
      try machine.shell(
        """
        install -d -m 700 /etc/credstore; echo 6789 | install -m 600 /dev/stdin /etc/credstore/obdgate.pin
        systemctl restart \(Self.unit)
        """)
      let second = try machine.wait(for: "sh", "-c", said) { $0.output.contains("noBluetooth") }
      #expect(!second.output.contains(pin) && !second.output.contains("6789"))
      #expect(try machine.run("setpriv", "--reuid=65534", "--clear-groups", "cat", pin).status != 0)
    }
  }
}
