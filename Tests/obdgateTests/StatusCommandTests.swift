import Foundation
import Glibc
import TestKit
import Testing

/// `obdgate status` with correct and faulty daemons.
@Suite struct StatusCommandTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private static let status = #"""
    {"version":"0.1.0","pid":812,"uptime":7500.5,"gatewayId":"gw-17","vehicleId":"1D4GP00RX5B123456",
     "epoch":"019df1ae-d0b8-77f9-984c-48485e5379a9","timestamp":"2026-05-04T10:00:03.000Z","timeQuality":"gps",
     "configuration":"/etc/obdgate/obdgated.json",
     "adapters":[{"device":"/dev/ttyUSB0","name":"usb:1","state":"connected","stateAge":180,"identity":"ELM327 v1.5",
       "protocol":"can11","commands":8000,"replies":7990,"readings":123456,"failures":{"noData":3,"busError":12},
       "receivedBytes":1,"sentBytes":1,"busySeconds":710,"openSeconds":1000,"lastReadingAge":0.12}],
     "receivers":[{"device":"/dev/ttyACM0","state":"connected","stateAge":7200,"fixes":7190,"lastFixAge":0.4,
       "fixType":"3d","satellites":9,"hdop":0.94,"isChosen":true}],
     "records":{"made":{"telemetry":7100,"trip":1},"lost":0},
     "spool":{"state":"durable","path":"spool.db","records":120,"memoryRecords":3,"bytes":1234567,"oldestAge":720},
     "sinks":[{"name":"fleetStore","state":"delivering","delivered":12000,"rejected":0,"lastDeliveryAge":3}],
     "threads":[{"name":"fusion","isStuck":false},{"name":"spool","isStuck":false}],"fromALaterVersion":{"a":[1]}}
    """#

  /// Runs the command against a peer that gives one answer to every request.
  private func status(_ answer: String, _ arguments: String...) throws -> Tool.Result {
    let peer = try DaemonPeer(scratch.file("sock")) { $0.send(answer) }
    defer { peer.stop() }
    return try obdgate(["status", "--socket", peer.path] + arguments)
  }

  // MARK: Status responses

  @Test func the_page_shows_lines_spool_and_sinks() throws {
    let result = try status(DaemonPeer.ok(Self.status))
    #expect(result.status == 0, "\(result.errors)")
    let page = result.output
    for text in [
      "obdgated 0.1.0 (pid 812), up 2 h", "gateway gw-17, vehicle 1D4GP00RX5B123456", "/dev/ttyUSB0", "connected 3 min",
      "ELM327 v1.5", "can11", "8.0/s", "71 %", "123,456", "busError 12, noData 3", "/dev/ttyACM0", "3d", "7,190",
      "durable", "1.2 MB", "12 min", "fleetStore", "delivering", "12,000", "telemetry 7,100, trip 1, lost 0",
    ] {
      #expect(page.contains(text), "\(text) is missing in:\n\(page)")
    }
    #expect(!page.contains("PROBLEM"))
    #expect(!page.contains("\u{1B}"))
  }

  @Test func rejected_records_are_a_problem_with_their_reason() throws {
    let result = try status(
      DaemonPeer.ok(
        #"""
        {"version":"0.1.0","gatewayId":"gw-17","sinks":[{"name":"fleetStore","state":"waiting","delivered":0,
         "rejected":1730,"rejectionReason":"vehicleId: not in the list"}]}
        """#))
    let expected =
      "the sink fleetStore: 1,730 records were rejected for good since the start: vehicleId: not in the list"
    #expect(result.lines.contains { $0.hasPrefix("PROBLEM") && $0.hasSuffix(expected) }, "\(result.output)")
    let rows = result.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(rows.contains { $0.prefix(4) == ["fleetStore", "waiting", "0", "1,730"] }, "\(result.output)")
  }

  @Test func several_vehicles_are_named_beside_their_adapters() throws {
    let result = try status(
      DaemonPeer.ok(
        #"""
        {"version":"0.1.0","gatewayId":"gw-17","vehicleId":"VAN-1","adapters":[
         {"device":"/dev/ttyUSB0","state":"connected","identity":"ELM327 v1.5","vehicleId":"VAN-1"},
         {"device":"/dev/ttyUSB1","state":"connected","identity":"ELM327 v2.1","vehicleId":"VAN-2"},
         {"device":"/dev/ttyUSB2","state":"searching"}]}
        """#))
    #expect(result.lines.contains("gateway gw-17"))
    let rows = result.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(rows.first { $0.first == "ADAPTER" }?.last == "VEHICLE")
    #expect(rows.first { $0.first == "/dev/ttyUSB0" }?.last == "VAN-1")
    #expect(rows.first { $0.first == "/dev/ttyUSB1" }?.last == "VAN-2")
    #expect(rows.first { $0.first == "/dev/ttyUSB2" }?.last == "searching")
  }

  @Test func unknown_values_are_not_shown_in_the_status() throws {
    let result = try status(DaemonPeer.ok(#"{"adapters":[{"device":"/dev/ttyUSB0","state":"searching"}]}"#))
    #expect(result.status == 0)
    #expect(result.output.contains("/dev/ttyUSB0"))
    for text in ["nil", "/s", " %", "SINK", "SPOOL", "RECEIVER", "pid"] { #expect(!result.output.contains(text)) }
  }

  @Test func stuck_and_failing_parts_come_first_in_the_status() throws {
    let result = try status(
      DaemonPeer.ok(
        #"""
        {"version":"0.1.0","timeQuality":"unset","adapters":[{"device":"/dev/ttyUSB0","state":"lost","stateAge":30,"reason":"unplugged"}],
         "records":{"made":{},"lost":7},"spool":{"state":"memory","reason":"disk full","records":0},
         "sinks":[{"name":"store","state":"failing","reason":"refused","oldestAge":7300},{"name":"stdout","state":"over"}],
         "threads":[{"name":"fusion","isStuck":true}]}
        """#))
    #expect(result.status == 0)
    #expect(
      result.lines.dropFirst().prefix(7).map(String.init) == [
        "PROBLEM  fusion is stuck", "PROBLEM  the sink store fails: refused; its oldest record waits for 2 h",
        "PROBLEM  the spool is only in memory: disk full; its records are lost when the power fails",
        "PROBLEM  /dev/ttyUSB0 is lost for 30 s: unplugged",
        "note     the sink stdout accepts no records until the next start",
        "note     the date is unknown: records have no time yet",
        "note     7 records were lost since the start",
      ])
  }

  @Test func json_is_the_daemons_object_on_one_line() throws {
    let result = try status(DaemonPeer.ok(Self.status), "--json")
    #expect(result.status == 0)
    #expect(result.lines.count == 1)
    #expect(try PrintedJSON(result.output) == PrintedJSON(Self.status))
  }

  @Test func control_characters_of_a_status_are_not_shown() throws {
    let evil = #"{"version":"\u001B[2J","adapters":[{"device":"a\u009Bb\u202Ec\nd","state":"\u0007e"}]}"#
    let page = try status(DaemonPeer.ok(evil)).output
    #expect(page.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)) })
    #expect(page.contains("a b c d"))
    let line = try status(DaemonPeer.ok("{\"a\":\"\u{9B}2J\u{7F}\"}"), "--json").output
    #expect(line == "{\"a\":\"\\u009B2J\\u007F\"}\n")
  }

  // MARK: What no daemon says

  @Test(arguments: [
    "", "\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 200\r\nno colon\r\n\r\n{}", "HTTP/1.1 abc OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}", "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{}",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    DaemonPeer.ok(""), DaemonPeer.ok("[]"), DaemonPeer.ok("{"), DaemonPeer.ok("{} {}"), DaemonPeer.ok("\u{0}"),
    DaemonPeer.ok(#"{"pid":"one"}"#), DaemonPeer.ok(#"{"uptime":null}"#), DaemonPeer.ok(#"{"adapters":{}}"#),
    DaemonPeer.ok(#"{"adapters":[{"failures":{"a":-1}}]}"#), DaemonPeer.ok(#"{"spool":[]}"#),
    DaemonPeer.ok(String(repeating: "[", count: 100_000)), "HTTP/1.1 503 No\r\n\r\ntoo many\u{1B}[2J ask\nagain\n",
  ])
  func an_invalid_answer_of_the_daemon_is_reported_in_one_line(answer: String) throws {
    let result = try status(answer)
    #expect(result.status == 69)
    #expect(result.stdout.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(result.errors.hasPrefix("obdgate status: \(scratch.file("sock")): "))
    #expect(!result.errors.contains("\u{1B}"))
  }

  @Test func implausible_numbers_of_a_status_are_shown_unchanged() throws {
    let result = try status(
      DaemonPeer.ok(
        #"{"uptime":1e300,"adapters":[{"device":"a","state":"connected","stateAge":-3,"busySeconds":1e308,"#
          + #""openSeconds":1e-308,"commands":9223372036854775807}],"spool":{"state":"durable","bytes":9223372036854775807}}"#
      ))
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("connected 0.0 s"))
  }

  @Test func an_endless_status_response_is_an_error() throws {
    let peer = try DaemonPeer(scratch.file("sock")) { connection in
      connection.send(DaemonPeer.ok("{\"a\":\""))
      let more = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
      while connection.send(more) {}
    }
    defer { peer.stop() }
    let result = try obdgate(["status", "--socket", peer.path])
    #expect(result.status == 69)
    #expect(result.errors.contains("longer than"))
  }

  @Test func an_endless_response_head_is_an_error() throws {
    let peer = try DaemonPeer(scratch.file("sock")) { connection in
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X-More: more\r\n") {}
    }
    defer { peer.stop() }
    #expect(try obdgate(["status", "--socket", peer.path]).status == 69)
  }

  @Test func a_silent_daemon_is_an_error() throws {
    let peer = try DaemonPeer(scratch.file("sock")) { $0.awaitEnd() }
    defer { peer.stop() }
    let result = try obdgate(["status", "--socket", peer.path])
    #expect(result.status == 69)
    #expect(result.errors.contains("does not answer"))
  }

  // MARK: Sockets

  private static let runsHere = FileManager.default.fileExists(atPath: "/run/obdgate/obdgated.sock")

  @Test(.disabled(if: runsHere, "obdgated runs on this machine"))
  func without_a_daemon_the_error_says_how_to_start_one() throws {
    let program = try Tool.obdgate
    let result = try Tool.run(program, ["status"], environment: ["XDG_RUNTIME_DIR": scratch.path])
    #expect(result.status == 69)
    #expect(result.errors.contains("\(scratch.path)/obdgated.sock"))
    // The message names a service only if one is installed.
    let hasUnit = ["/etc", "/usr/lib"].contains {
      FileManager.default.fileExists(atPath: $0 + "/systemd/system/obdgated.service")
    }
    #expect(result.errors.contains(hasUnit ? "systemctl start obdgated" : "obdgated --config FILE"))
    #expect(result.errors.contains("--socket"))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test(.disabled(if: runsHere, "obdgated runs on this machine"))
  func the_sessions_own_daemon_is_found() throws {
    let peer = try DaemonPeer(scratch.file("obdgated.sock")) { $0.send(DaemonPeer.ok(#"{"version":"9"}"#)) }
    defer { peer.stop() }
    let program = try Tool.obdgate
    let result = try Tool.run(program, ["status"], environment: ["XDG_RUNTIME_DIR": scratch.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasPrefix("obdgated 9"))
  }

  @Test func invalid_socket_paths_are_reported() throws {
    let file = try scratch.write("file", "")
    let long = scratch.file(String(repeating: "a", count: 120))
    let left = scratch.file("left")
    let bind = "import socket; socket.socket(socket.AF_UNIX).bind('\(left)')"
    #expect(try Tool.run("python3", ["-c", bind]).status == 0)
    for (path, text) in [
      (scratch.file("none"), "no such socket"), (file, "not a socket; use another path"),
      (scratch.path, "not a socket; use another path"), (left, "no answer"), (long, "not the path of a socket"),
    ] {
      let result = try obdgate(["status", "--socket", path])
      #expect(result.status == 69)
      #expect(result.errors.contains(text), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test func the_permission_error_names_the_group_to_join() throws {
    let setpriv = try Tool.required("setpriv")
    let peer = try DaemonPeer(scratch.file("sock")) { $0.send(DaemonPeer.ok("{}")) }
    defer { peer.stop() }
    unsafe chmod(peer.path, 0o600)
    let program = try Tool.obdgate
    var line = [program, "status", "--socket", peer.path]
    if geteuid() == 0 {
      // Root may read everything, and a folder of root may hide the program from other users.
      let copy = scratch.file("obdgate")
      // Another program writes the copy. If this process wrote it, a child of another test could keep the file open.
      #expect(try Tool.run("cp", [program, copy]).status == 0)
      line = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", copy] + line.dropFirst()
    } else {
      unsafe chmod(peer.path, 0)
    }
    let result = try Tool.run(line[0], Array(line.dropFirst()))
    #expect(result.status == 69)
    #expect(result.errors.contains("usermod -aG obdgate"), "\(result.errors)")
  }

  // MARK: On a terminal

  @Test func the_page_on_a_terminal_is_cut_to_it_and_shows_the_last_seconds_rates() throws {
    let script = try Tool.required("script")
    let peer = try DaemonPeer(scratch.file("sock")) { connection in
      let (commands, busy, open) = (1_000 + 5 * connection.number, 100.0, 1_000 + connection.number)
      connection.send(
        DaemonPeer.ok(
          """
          {"pid":1,"uptime":\(2_000 + connection.number),"adapters":[{"device":"d","name":"n","state":"connected",
           "commands":\(commands),"busySeconds":\(busy + Double(connection.number) / 4),"openSeconds":\(open),
           "readings":1,"lastReadingAge":1}],
           "sinks":[\((0..<30).map { "{\"name\":\"sink\($0)\",\"state\":\"waiting\"}" }.joined(separator: ","))]}
          """))
      // The second page is complete when the third is requested.
      if connection.number == 2 { kill(connection.pid, SIGINT) }
    }
    defer { peer.stop() }
    let program = try Tool.obdgate
    let line = "stty cols 46 rows 12; exec '\(program)' status --socket '\(peer.path)'"
    let result = try Tool.run(script, ["-qec", line, "/dev/null"])
    #expect(result.status == 0)
    let pages = result.output.components(separatedBy: "\u{1B}[H").dropFirst().map(Self.plain)
    try #require(pages.count >= 2)
    for page in pages {
      let lines = page.components(separatedBy: "\n").dropLast()
      #expect(lines.allSatisfy { $0.count <= 46 })
      #expect(lines.count <= 11)
      #expect(lines.contains { $0.hasPrefix("…") && $0.hasSuffix("lines more") })
    }
    // 1,000 commands in 1,000 s, then 5 in one second.
    #expect(pages[0].contains("1.0/s"))
    #expect(pages[0].contains("10 %"))
    #expect(pages[1].contains("5.0/s"))
    #expect(pages[1].contains("25 %"))
  }

  @Test func problems_are_wrapped_on_a_terminal_and_not_cut() throws {
    let script = try Tool.required("script")
    let reason = "nobody has answered at its address for so long that it is abandoned"
    let peer = try DaemonPeer(scratch.file("sock")) { connection in
      connection.send(
        DaemonPeer.ok(
          #"{"adapters":[{"device":"/dev/serial/by-id/usb-ScanTool.net_LLC_OBDLink_SX_113011099400","#
            + #""state":"lost"}],"sinks":[{"name":"store","state":"failing","reason":"\#(reason)"}]}"#))
      // The first page is complete when the second is requested.
      if connection.number == 2 { kill(connection.pid, SIGINT) }
    }
    defer { peer.stop() }
    let program = try Tool.obdgate
    func page(_ arguments: String) throws -> String {
      let line = "stty cols 30 rows 40; exec '\(program)' status \(arguments) --socket '\(peer.path)'"
      let result = try Tool.run(script, ["-qec", line, "/dev/null"])
      #expect(result.status == 0)
      return Self.plain(result.output)
    }
    let once = try page("--once")
    let live = try page("")
    for page in [once, live] {
      let lines = page.components(separatedBy: "\n")
      let start = try #require(lines.firstIndex { $0.hasPrefix("PROBLEM  the sink store") })
      let next = try #require(lines[(start + 1)...].firstIndex { !$0.hasPrefix("         ") })
      let text = lines[start..<next].map { $0.dropFirst(9) }
      #expect(text.joined(separator: " ") == "the sink store fails: \(reason)", "\(page)")
      #expect(lines[start..<next].allSatisfy { $0.count <= 30 })
    }
    // The table keeps its full width; a live page is cut, with a mark.
    #expect(once.contains("113011099400  lost") && !once.contains("…"), "\(once)")
    #expect(live.contains("/dev/serial/by-id/usb-ScanToo…"), "\(live)")
  }

  @Test func the_status_page_retries_after_the_daemon_ends() throws {
    let script = try Tool.required("script")
    let path = scratch.file("sock")
    let peer = try DaemonPeer(path) { connection in
      switch connection.number {
      case 0, 2: connection.send(DaemonPeer.ok(#"{"version":"1.0.\#(connection.number)"}"#))
      case 1: break
      default: kill(connection.pid, SIGTERM)
      }
    }
    defer { peer.stop() }
    let program = try Tool.obdgate
    let result = try Tool.run(script, ["-qec", "exec '\(program)' status --socket '\(path)'", "/dev/null"])
    #expect(result.status == 0)
    let pages = result.output.components(separatedBy: "\u{1B}[H").dropFirst().map(Self.plain)
    try #require(pages.count >= 3)
    #expect(pages[0].contains("1.0.0"))
    #expect(pages[1].contains("retrying every second"))
    #expect(pages[2].contains("1.0.2"))
  }

  /// Returns a page without its escape sequences and the terminal's carriage returns.
  private static func plain(_ page: String) -> String {
    let text = page.unicodeScalars.filter { $0 != "\r" }
    return String(String.UnicodeScalarView(text)).replacing(/\u{1B}\[\??[0-9]*[A-Za-z]/, with: "")
  }
}
