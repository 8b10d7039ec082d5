import Foundation
import Glibc
import TestKit
import Testing

@testable import DaemonTestKit

/// The default place of the status socket, and the error line if it cannot be created.
@Suite struct StatusPlaceTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func configuration(_ more: String = "") throws -> String {
    try scratch.write(
      "gateway.json", #"{"gatewayId": "gw-test", "discovery": {"serial": false, "bluetooth": false}\#(more)}"#)
  }

  /// Runs a script as root with a separate /run and no folder of its user.
  ///
  /// - Parameters:
  ///   - options: the mount options of /run.
  ///   - script: `$GATEWAY` and `$OBDGATE` are the programs, `$FILE` is the configuration, `await SOCKET` waits.
  private func run(_ configuration: String, run options: String, _ script: String) throws -> Tool.Result {
    let unshare = try Tool.required("unshare")
    guard geteuid() == 0, try Tool.run(unshare, ["-m", "mount", "-t", "tmpfs", "none", "/run"]).status == 0 else {
      try Tool.skip("root that may mount is needed")
    }
    let gateway = try Tool.obdgated
    let program = try Tool.obdgate
    let preface = """
      mount -t tmpfs -o \(options) none /run && umask 077
      await() { until "$OBDGATE" status --socket "$1" > /dev/null 2>&1; do kill -0 $! || exit 98; done; }
      """
    return try Tool.run(
      unshare, ["-m", "bash", "-c", preface + "\n" + script],
      environment: [
        "XDG_RUNTIME_DIR": "", "RUNTIME_DIRECTORY": "", "GATEWAY": gateway, "OBDGATE": program, "FILE": configuration,
      ])
  }

  @Test func the_socket_of_roots_daemon_is_that_of_the_service() throws {
    let script = """
      "$GATEWAY" --config "$FILE" & await /run/obdgate/obdgated.sock
      stat -c %a /run/obdgate /run/obdgate/obdgated.sock
      "$OBDGATE" status | head -n 1
      kill $! && wait $!
      """
    let result = try run(configuration(), run: "rw", script)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.prefix(2) == ["755", "660"], "\(result.errors)")
    #expect(result.lines.last?.hasPrefix("obdgated ") == true, "\(result.output)\(result.errors)")
  }

  @Test func without_a_runtime_folder_the_status_socket_is_in_the_state_directory() throws {
    let state = scratch.file("state")
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    let script = #""$GATEWAY" --config "$FILE" & await '\#(state)/obdgated.sock'; kill $! && wait $!"#
    let result = try run(configuration(#", "stateDirectory": "state""#), run: "ro", script)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors == "")
  }

  @Test func a_missing_folder_for_the_status_socket_is_reported_in_one_line() throws {
    let script = """
      "$GATEWAY" --config "$FILE" 2> "$FILE.said" & until [ -s "$FILE.said" ]; do sleep 0.05; done
      kill $! && wait $!; cat "$FILE.said"
      """
    let result = try run(configuration(), run: "ro", script)
    #expect(result.lines.count == 1 && result.errors == "", "\(result.output)\(result.errors)")
    #expect(result.output.contains(#"name one: "status": {"socket": PATH}"#), "\(result.output)")
  }

  @Test func an_unavailable_status_address_is_retried_and_reported_once() async throws {
    try await runBlocking {
      let taken = try ListeningPort()
      let port = taken.number
      let run = try DaemonRun(settings: DaemonRun.quick + #", "status": {"metrics": "127.0.0.1:\#(port)"}"#)
      try run.daemon.errorLine(within: .seconds(60)) { $0.contains("status.metrics: 127.0.0.1:\(port): ") }
      taken.stop()
      try run.daemon.errorLine(within: .seconds(120)) { $0.hasSuffix("available now") }
      let text = try Watched.curl(["http://127.0.0.1:\(port)/metrics"]).text
      #expect(text.contains("obdgate_info"))
      #expect(run.daemon.errorLines.count { $0.contains("status.metrics") } == 2, "\(run.daemon.errorLines)")
    }
  }
}
