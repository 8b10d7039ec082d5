import TestKit
import Testing

/// `obdgate doctor` and the network peers of the configuration.
@Suite struct DoctorNetworkTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func adapters(_ configuration: String, _ arguments: String...) throws -> [PrintedJSON] {
    let file = try scratch.write("gateway.json", configuration)
    return try doctor(["--config", file] + arguments).filter { $0["check"] == "adapter" }
  }

  private func about(_ findings: [PrintedJSON], _ name: String) -> PrintedJSON? {
    findings.first { $0["what"]?.text?.hasPrefix(name) == true }
  }

  private static let quiet = #""discovery": {"serial": false, "bluetooth": false}"#

  @Test func an_adapter_and_gpsd_that_take_connections_are_well_and_are_sent_nothing() throws {
    let (adapter, gpsd) = (try ListeningPort(), try ListeningPort())
    let findings = try adapters(
      #"""
      {"adapters": [{"tcp": "127.0.0.1:\#(adapter.number)"}], "gps": [{"gpsd": "127.0.0.1:\#(gpsd.number)"}], \#(Self.quiet)}
      """#)
    let configured = "tcp:127.0.0.1:\(adapter.number): the configured adapter: accepts connections"
    #expect(about(findings, configured)?["verdict"] == "ok")
    #expect(about(findings, "tcp:127.0.0.1:\(gpsd.number): gpsd: accepts connections")?["verdict"] == "ok")
    #expect(adapter.bytesOfNext() == 0 && gpsd.bytesOfNext() == 0)
  }

  @Test func a_configured_address_that_refuses_connections_is_a_problem() throws {
    let closed = try ReservedPort()
    let findings = try adapters(
      #"""
      {"adapters": [{"tcp": "127.0.0.1:\#(closed.number)"}], "gps": [{"gpsd": "127.0.0.1:\#(closed.number)"}],
       \#(Self.quiet)}
      """#)
    let adapter = about(findings, "tcp:127.0.0.1:\(closed.number): the configured adapter")
    #expect(adapter?["verdict"] == "problem")
    #expect(adapter?["what"]?.text?.contains("refused") == true)
    let gpsd = about(findings, "tcp:127.0.0.1:\(closed.number): gpsd")
    #expect(gpsd?["verdict"] == "problem")
    #expect(gpsd?["remedy"]?.text?.contains("gpsd.socket") == true)
  }

  @Test func doctor_leaves_an_adapter_that_the_daemon_uses_alone() throws {
    let closed = try ReservedPort()
    let name = "tcp:127.0.0.1:\(closed.number)"
    let daemon = try DaemonPeer(scratch.file("sock")) {
      $0.send(DaemonPeer.ok(#"{"adapters":[{"device":"\#(name)","state":"connected"}]}"#))
    }
    defer { daemon.stop() }
    // A connection would be rejected.
    let findings = try adapters(
      #"{"adapters": [{"tcp": "127.0.0.1:\#(closed.number)"}], \#(Self.quiet)}"#, "--socket", daemon.path)
    #expect(about(findings, "\(name): the configured adapter, connected")?["verdict"] == "ok", "\(findings)")
  }
}
