import Foundation
import Glibc
import TestKit
import Testing

/// `obdgate doctor` finds and names each possible fault, with a remedy.
@Suite struct DoctorTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// Returns the findings with a configuration.
  private func findings(_ configuration: String, _ arguments: String...) throws -> [PrintedJSON] {
    let file = try scratch.write("gateway.json", configuration)
    return try doctor(["--config", file] + arguments)
  }

  private static let quiet = #""discovery": {"serial": false, "bluetooth": false}"#

  // MARK: All

  @Test func every_check_has_a_line_and_every_problem_a_remedy() throws {
    let socket = scratch.file("none")
    let usual = ["doctor", "--config", scratch.file("gateway.json"), "--socket", socket]
    let (findings, text) = try amongNoOtherRivals {
      (try self.findings("{\(Self.quiet)}", "--socket", socket), try punctual { try obdgate(usual) })
    }
    let checks = Set(findings.compactMap { $0["check"]?.text })
    #expect(checks.isSuperset(of: ["configuration", "libraries", "adapter", "bluetooth", "clock", "disk", "daemon"]))
    #expect(findings.first?["verdict"] == "ok")
    #expect(text.lines.count == findings.count)
    for (line, finding) in zip(text.lines, findings) {
      #expect(line.hasPrefix(finding["verdict"]?.text ?? "?"))
      #expect(line.contains(finding["what"]?.text ?? "?"))
      #expect(line.hasSuffix(finding["remedy"]?.text ?? ""))
    }
  }

  // MARK: Disk

  @Test func an_unusable_state_directory_is_reported() throws {
    let sinks = #""sinks": [{"type": "file", "path": "state/records.jsonl"}], \#(Self.quiet)"#
    func disk(_ configuration: String) throws -> PrintedJSON? {
      try findings(configuration).first { $0["check"] == "disk" }
    }
    #expect(try disk("{\(sinks)}")?["verdict"] == "warning")
    let missing = try disk(#"{"stateDirectory": "state", \#(sinks)}"#)
    #expect(missing?["verdict"] == "warning")
    #expect(missing?["remedy"]?.text?.hasPrefix("install -d ") == true)
    try FileManager.default.createDirectory(atPath: scratch.file("state"), withIntermediateDirectories: true)
    let good = try disk(#"{"stateDirectory": "state", "spool": {"megabytes": 4}, \#(sinks)}"#)
    #expect(good?["verdict"] == "ok")
    #expect(good?["what"]?.text?.contains("free, of which the spool may take 4.0 MB") == true)
    let tight = try disk(#"{"stateDirectory": "state", "spool": {"megabytes": 1000000}, \#(sinks)}"#)
    // A petabyte would do.
    #expect(tight?["verdict"] == "warning" || tight?["verdict"] == "ok")
    let file = try disk(#"{"stateDirectory": "gateway.json", \#(sinks)}"#)
    #expect(file?["verdict"] == "problem")
    #expect(file?["what"]?.text?.hasSuffix("not a folder") == true)
  }

  @Test func missing_folders_are_problems() throws {
    let found = try findings(
      #"{"stateDirectory": "a/state", "sinks": [{"type": "file", "path": "b/records.jsonl"}], \#(Self.quiet)}"#)
    let disk = found.filter { $0["check"] == "disk" }
    // The daemon creates only the last folder of the stateDirectory.
    #expect(disk.map { $0["verdict"] } == ["problem", "problem"], "\(found)")
    for (finding, folder) in zip(disk, ["/a/state", "/b"]) {
      #expect(finding["what"]?.text == "\(scratch.file(String(folder.dropFirst()))): not there")
      #expect(finding["remedy"]?.text?.hasPrefix("install -d -o ") == true)
    }
  }

  @Test func a_file_sink_whose_path_is_a_folder_is_a_problem() throws {
    try FileManager.default.createDirectory(atPath: scratch.file("state/r"), withIntermediateDirectories: true)
    let found = try findings(
      #"{"stateDirectory": "state", "sinks": [{"type": "file", "path": "state/r"}], \#(Self.quiet)}"#)
    let disk = found.filter { $0["check"] == "disk" && $0["verdict"] == "problem" }
    #expect(disk.count == 1, "\(found)")
    #expect(disk.first?["what"]?.text?.contains("/state/r: a folder") == true)
    #expect(disk.first?["remedy"] == "name a file")
  }

  @Test(.needsRoot) func a_folder_of_another_user_is_reported_with_a_remedy() throws {
    let setpriv = try Tool.required("setpriv")
    unsafe chmod(scratch.path, 0o755)
    let program = scratch.file("obdgate")
    // Another program writes the copy. If this process wrote it, a child of another test could keep the file open.
    #expect(try Tool.run("cp", [try Tool.obdgate, program]).status == 0)
    let configuration = try scratch.write(
      "gateway.json",
      #"{"stateDirectory": "state", "sinks": [{"type": "file", "path": "state/records.jsonl"}], \#(Self.quiet)}"#)
    try FileManager.default.createDirectory(atPath: scratch.file("state"), withIntermediateDirectories: true)
    let result = try Tool.run(
      setpriv, ["--reuid=65534", "--regid=65534", "--clear-groups", program, "doctor", "--config", configuration])
    #expect(result.status == 1)
    let line = result.lines.first { $0.contains("may not write there") }
    #expect(line?.contains("chown nobody") == true, "\(result.output)")
  }

  /// Makes a state directory to which everyone may write, and a program that other users can run there. It needs root.
  private func besideOpenState() throws -> (setpriv: String, program: String) {
    guard geteuid() == 0 else { try Tool.skip("root is needed") }
    let setpriv = try Tool.required("setpriv")
    unsafe chmod(scratch.path, 0o755)
    let program = scratch.file("obdgate")
    #expect(try Tool.run("cp", [try Tool.obdgate, program]).status == 0)
    try FileManager.default.createDirectory(atPath: scratch.file("state"), withIntermediateDirectories: true)
    unsafe chmod(scratch.file("state"), 0o777)
    return (setpriv, program)
  }

  @Test func a_file_of_another_user_is_reported_with_a_remedy() throws {
    let (setpriv, program) = try besideOpenState()
    unsafe chmod(try scratch.write("state/records.jsonl", ""), 0o644)
    let configuration = try scratch.write(
      "gateway.json",
      #"{"stateDirectory": "state", "sinks": [{"type": "file", "path": "state/records.jsonl"}], \#(Self.quiet)}"#)
    let result = try Tool.run(
      setpriv, ["--reuid=65534", "--regid=65534", "--clear-groups", program, "doctor", "--config", configuration])
    #expect(result.status == 1)
    let line = result.lines.first { $0.contains("/state/records.jsonl: nobody may not read and write it") }
    #expect(line?.contains("chown nobody") == true, "\(result.output)")
  }

  @Test func a_spool_of_another_user_is_reported_with_a_remedy() throws {
    let (setpriv, program) = try besideOpenState()
    // Replacement files need only be readable.
    let kept = [("spool.lock", 0o640), ("spool.db", 0o644), ("adapters.jsonl", 0o600), ("trips.jsonl", 0o644)]
    for (name, mode) in kept {
      unsafe chmod(try scratch.write("state/\(name)", ""), mode_t(mode))
    }
    let configuration = try scratch.write("gateway.json", #"{"stateDirectory": "state", \#(Self.quiet)}"#)
    let result = try Tool.run(
      setpriv, ["--reuid=65534", "--regid=65534", "--clear-groups", program, "doctor", "--config", configuration])
    #expect(result.status == 1)
    let line = result.lines.first { $0.contains("files of another user") }
    #expect(line?.contains("write: spool.lock, spool.db, adapters.jsonl; chown") == true, "\(result.output)")
    #expect(line?.contains("chown -R nobody \(scratch.file("state"))") == true)
  }

  // MARK: Servers

  @Test func sinks_whose_peers_are_away_are_problems_and_no_secret_is_shown() throws {
    let closed = try ReservedPort()
    let token = try scratch.write("token", "s3cret\n")
    unsafe chmod(token, 0o600)
    let findings = try findings(
      """
      {"sinks": [{"type": "fleetStore", "url": "http://127.0.0.1:\(closed.number)/api", "tokenFile": "token"},
                 {"type": "mqtt", "name": "broker", "url": "mqtt://127.0.0.1:\(closed.number)"}], \(Self.quiet)}
      """)
    for name in ["fleetStore", "broker"] {
      let finding = findings.first { $0["check"]?.text == name }
      #expect(finding?["verdict"] == "problem", "\(name)")
      #expect(finding?["remedy"]?.text?.contains("network") == true)
    }
    #expect(!findings.description.contains("s3cret"))
  }

  @Test func a_token_that_only_the_service_can_read_is_not_a_problem() throws {
    let closed = try ReservedPort()
    let name = "/run/credentials/obdgated.service/obdgate.token"
    if FileManager.default.fileExists(atPath: name) { try Tool.skip("obdgated runs on this machine") }
    let findings = try findings(
      """
      {"sinks": [{"type": "fleetStore", "url": "http://127.0.0.1:\(closed.number)/api", "tokenFile": "\(name)"}],
       \(Self.quiet)}
      """)
    // The server itself is unreachable, which is reported as well.
    let finding = findings.first { $0["check"] == "fleetStore" }
    #expect(finding?["verdict"] == "problem")
    #expect(finding?["what"]?.text?.contains("besides, \(name)") == true)
  }

  @Test func a_check_that_hangs_affects_only_its_own_finding() throws {
    let peer = try DaemonPeer(scratch.file("sock")) { $0.awaitEnd() }
    defer { peer.stop() }
    let file = try scratch.write("gateway.json", "{\(Self.quiet)}")
    let findings = try doctor(["--config", file, "--socket", peer.path], hangs: true)
    let daemon = findings.filter { $0["check"] == "daemon" }
    #expect(daemon.count == 1)
    #expect(daemon.first?["verdict"] == "problem")
    #expect(findings.contains { $0["check"] == "clock" })
  }

  /// Starts a server that uses TLS, or one that answers everything in plain HTTP.
  private func server(_ tls: (certificate: String, key: String)?) throws -> (program: RunningProgram, port: Int) {
    let python = try Tool.required("python3")
    let wrap =
      tls.map {
        """
        c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        c.load_cert_chain("\($0.certificate)", "\($0.key)")
        s.socket = c.wrap_socket(s.socket, server_side=True, do_handshake_on_connect=False)
        """
      } ?? ""
    let script = """
      import http.server as h, ssl
      s = h.ThreadingHTTPServer(("127.0.0.1", 0), h.BaseHTTPRequestHandler)
      \(wrap)
      print(s.server_port, flush=True)
      s.serve_forever()
      """
    let program = try RunningProgram(python, ["-c", script])
    return (program, try #require(Int(try program.line(within: .seconds(60)) { !$0.isEmpty }.text)))
  }

  @Test func each_TLS_problem_has_its_own_remedy() throws {
    let certificates = try Certificates()
    let other = try certificates.make("other", for: "DNS:other.example")
    let own = try certificates.make("own", for: "DNS:a")
    let secured = try server(other)
    let plain = try server(nil)
    defer { for server in [secured, plain] { server.program.kill() } }
    let (none, ca) = (scratch.file("none.pem"), certificates.authority)
    let cases = [
      ("https", secured.port, "", "apt-get install ca-certificates"),
      ("https", secured.port, #""caFile": "\#(ca)""#, "write the host in the sink's \"url\" as its certificate has it"),
      ("https", secured.port, #""caFile": "\#(none)""#, "put the right PEM file there"),
      (
        "https", secured.port, #""certificateFile": "\#(own.certificate)", "keyFile": "\#(other.key)""#,
        "put the right PEM file there"
      ),
      ("https", plain.port, "", "possibly http:// is required"),
      ("http", secured.port, "", "possibly https:// is required"),
    ]
    let sinks = cases.enumerated().map { index, item in
      #"{"type": "fleetStore", "name": "s\#(index)", "url": "\#(item.0)://localhost:\#(item.1)", "tls": {\#(item.2)}}"#
    }
    let findings = try findings(#"{"sinks": [\#(sinks.joined(separator: ","))], \#(Self.quiet)}"#)
    for (index, item) in cases.enumerated() {
      let finding = findings.first { $0["check"]?.text == "s\(index)" }
      #expect(finding?["verdict"] == "problem", "\(index)")
      #expect(finding?["remedy"]?.text?.hasPrefix(item.3) == true, "\(index): \(String(describing: finding))")
    }
  }

  @Test func a_token_of_another_gateway_is_a_problem_with_the_command_that_makes_one() throws {
    let python = try Tool.required("python3")
    let script = """
      import http.server as h
      class Store(h.BaseHTTPRequestHandler):
        def do_POST(self):
          self.send_response(400)
          self.send_header("Obdgate-Gateway", "gw-1")
          self.send_header("Content-Length", "0")
          self.end_headers()
      s = h.HTTPServer(("127.0.0.1", 0), Store)
      print(s.server_port, flush=True)
      s.serve_forever()
      """
    let store = try RunningProgram(python, ["-c", script])
    defer { store.kill() }
    let url = "http://127.0.0.1:\(try store.line(within: .seconds(60)) { !$0.isEmpty }.text)"
    let findings = try findings(
      #"{"gatewayId": "gw-9", "sinks": [{"type": "fleetStore", "url": "\#(url)"}], \#(Self.quiet)}"#)
    let finding = findings.first { $0["check"] == "fleetStore" }
    #expect(finding?["verdict"] == "problem")
    #expect(finding?["what"]?.text == "\(url): the token belongs to the gateway gw-1, but this gateway is gw-9")
    #expect(finding?["remedy"]?.text?.contains("fleetstore gateway add gw-9") == true)
  }

  // MARK: The running daemon

  @Test func complaints_of_the_running_daemon_are_problems() throws {
    let peer = try DaemonPeer(scratch.file("sock")) {
      $0.send(
        DaemonPeer.ok(
          #"{"version":"1","uptime":60,"adapters":[{"device":"a","state":"connected"},{"device":"b\u001B","state":"lost"}],"#
            + #""sinks":[{"name":"store","state":"failing","reason":"refused"}],"records":{"lost":2}}"#))
    }
    defer { peer.stop() }
    let daemon = try findings("{\(Self.quiet)}", "--socket", peer.path).filter { $0["check"] == "daemon" }
    #expect(
      daemon.map { $0.only("verdict", "what") } == [
        .object(["verdict": "ok", "what": "obdgated 1 runs, up 60 s, 1 of 2 adapters connected"]),
        .object(["verdict": "problem", "what": "the sink store fails: refused"]),
        .object(["verdict": "problem", "what": "b  is lost"]),
        .object(["verdict": "warning", "what": "2 records were lost since the start"]),
      ])
  }

  @Test func a_socket_that_is_named_and_not_there_is_a_problem() throws {
    let daemon = try findings("{\(Self.quiet)}", "--socket", scratch.file("none")).first { $0["check"] == "daemon" }
    #expect(daemon?["verdict"] == "problem")
  }
}
