import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// The daemon's status, on its socket and over TCP for Prometheus.
@Suite struct DaemonStatusTests {
  private static func record(_ text: String) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:]
  }

  /// Returns the number of lost prompts, from a file of records.
  private static func lostPrompts(in file: String) -> Int {
    let lines = ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n")
    return lines.filter { $0.contains("\"reason\":\"promptLost\"") }.reduce(0) { sum, line in
      sum + (record(String(line))["count"] as? Int ?? 0)
    }
  }

  @Test func the_status_shows_adapter_spool_sinks_and_threads() async throws {
    try await runBlocking {
      let watched = try Watched(Watched.kept)
      let follower = try watched.follow()
      defer { follower.kill() }
      for _ in 0..<20 { try follower.line(within: .seconds(60)) { $0.contains("\"rpm\"") } }
      // If a thread gets no processor time for a second, it counts as stuck, and its part of the answer is missing.
      let status = try Watched.status(at: watched.socket) { status in
        let (threads, sinks) = (status["threads"] as? [[String: Any]] ?? [], status["sinks"] as? [[String: Any]] ?? [])
        return !threads.contains { $0["isStuck"] as? Bool != false } && sinks.first?["delivered"] as? Int ?? 0 >= 20
      }
      #expect(status["gatewayId"] as? String == "gw-test")
      #expect(status["vehicleId"] as? String == "1D4GP00R55B123456")
      #expect(["ntp", "system"].contains(status["timeQuality"] as? String))
      let adapter = try #require((status["adapters"] as? [[String: Any]])?.first)
      #expect(adapter["state"] as? String == "connected")
      #expect(adapter["vin"] as? String == "1D4GP00R55B123456")
      #expect((adapter["identity"] as? String)?.hasPrefix("ELM327") == true)
      let commands = try #require(adapter["commands"] as? Int)
      let replies = try #require(adapter["replies"] as? Int)
      // A lost prompt costs the reply of a command, and perhaps of the next three. It is reported: the first in a
      // minute at once, others at the end of the minute.
      let limit = ContinuousClock.now + .seconds(60)
      while commands - replies > 1 + 4 * Self.lostPrompts(in: watched.scratch.file("r.jsonl")), .now < limit {
        poll(nil, 0, 50)
      }
      let unanswered = 0...(1 + 4 * Self.lostPrompts(in: watched.scratch.file("r.jsonl")))
      #expect(commands > 20 && unanswered.contains(commands - replies), "\(commands) and \(replies)")
      #expect(adapter["readings"] as? Int ?? 0 >= 20)
      let (busy, open) = (adapter["busySeconds"] as? Double ?? -1, adapter["openSeconds"] as? Double ?? -1)
      #expect(busy > 0 && busy <= open && open <= status["uptime"] as? Double ?? 0)
      #expect((status["spool"] as? [String: Any])?["state"] as? String == "durable")
      let sink = try #require((status["sinks"] as? [[String: Any]])?.first)
      #expect(sink["name"] as? String == "file")
      #expect(["waiting", "delivering"].contains(sink["state"] as? String))
      #expect(sink["delivered"] as? Int ?? 0 >= 20)
      let threads = try #require(status["threads"] as? [[String: Any]])
      #expect(threads.compactMap { $0["name"] as? String } == ["fusion", "spool"])
      #expect(threads.allSatisfy { $0["isStuck"] as? Bool == false })
      #expect(try Watched.curl(["--unix-socket", watched.socket, "http://d/elsewhere"]).text.contains("/status"))
    }
  }

  @Test func followers_are_shown_every_committed_record_as_the_file_has_it() async throws {
    try await runBlocking {
      let watched = try Watched(Watched.kept)
      let (first, second) = (try watched.follow(), try watched.follow())
      defer { for follower in [first, second] { follower.kill() } }
      for follower in [first, second] {
        for _ in 0..<30 { try follower.line(within: .seconds(60)) { $0.contains("\"rpm\"") } }
      }
      let file = watched.scratch.file("r.jsonl")
      for adapter in watched.run.adapters { adapter.stop() }
      for follower in [first, second] { try follower.line(within: .seconds(60)) { $0.contains(EndedDrive.last) } }
      try EndedDrive.wait(for: [file], of: watched.run.daemon)
      watched.run.daemon.send(SIGTERM)
      #expect(try watched.run.daemon.end(within: .seconds(60)) == 0)
      let stored = Set(
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map { String($0) })
      for follower in [first, second] {
        let lines = follower.output.map(\.text)
        #expect(lines.allSatisfy { stored.contains($0) })
        let numbers = lines.compactMap { Self.record($0)["seq"] as? Int }
        #expect(numbers == Array((numbers.first ?? 0)...(numbers.last ?? 0)), "\(numbers)")
      }
      // The daemon removes the files that it created.
      #expect(!FileManager.default.fileExists(atPath: watched.socket))
    }
  }

  @Test func without_a_spool_followers_see_what_stdout_does() async throws {
    try await runBlocking {
      let watched = try Watched()
      let follower = try watched.follow()
      defer { follower.kill() }
      for _ in 0..<20 { try follower.line(within: .seconds(60)) { $0.contains("\"rpm\"") } }
      watched.run.daemon.send(SIGTERM)
      #expect(try watched.run.daemon.end(within: .seconds(60)) == 0)
      let printed = watched.run.daemon.output.map(\.text)
      let seen = follower.output.map(\.text)
      let start = try #require(printed.firstIndex(of: seen[0]))
      #expect(Array(printed[start...].prefix(seen.count)) == seen)
    }
  }

  @Test func a_stopped_follower_delays_nothing_and_learns_what_it_missed() async throws {
    try await runBlocking {
      // There are some 200 records a second. With an ordinary car, it would take minutes to make as many as the daemon
      // keeps.
      let watched = try Watched(car: Scenarios.car(baud: 1_000_000, latency: 1))
      let quick = try watched.follow()
      defer { quick.kill() }
      for _ in 0..<40 { try quick.line(within: .seconds(60)) { $0.contains("\"rpm\"") } }
      // Reads the head of the response, and no more until it is requested.
      let script = """
        import socket, sys
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
        s.sendall(b"GET /records HTTP/1.1\\r\\n\\r\\n")
        head = b""
        while not head.endswith(b"\\r\\n\\r\\n"): head += s.recv(1)
        print("follows", flush=True)
        sys.stdin.readline()
        for line in s.makefile(): print(line, end="", flush=True)
        """
      let slow = try RunningProgram(
        try Tool.required("python3"), ["-c", script, watched.socket], isFed: true)
      defer { slow.kill() }
      try slow.line(within: .seconds(60)) { $0 == "follows" }
      try watched.run.reload(settings: #""poll": {"defaultPeriod": 0}, "record": {"on": "cycle"}"#)
      // The daemon buffers 1 MiB of records for slow followers, and the socket buffers as much as the system permits.
      let system = try String(contentsOfFile: "/proc/sys/net/core/wmem_default", encoding: .utf8)
      let held = try #require(Int(system.prefix { $0.isNumber }))
      var bytes = (1 << 20) + held + 200_000
      while bytes > 0 { bytes -= try quick.line(within: .seconds(60)) { _ in true }.text.utf8.count + 1 }
      slow.writeLine("go on")
      let told = try slow.line(within: .seconds(60)) { $0.contains("\"sink\":\"tail\"") }.text
      let gap = Self.record(told)
      let (from, to) = (try #require(gap["fromSeq"] as? Int), try #require(gap["toSeq"] as? Int))
      #expect(gap["count"] as? Int == to - from + 1)
      try slow.line(within: .seconds(60)) { Self.record($0)["seq"] as? Int ?? 0 > to }
      watched.run.daemon.send(SIGTERM)
      #expect(try watched.run.daemon.end(within: .seconds(20)) == 0)
      #expect(try slow.end(within: .seconds(60)) == 0)
      // The numbers of the received records and those that are reported as skipped are all numbers.
      var numbers: Set<Int> = []
      for line in slow.output.map(\.text) {
        let record = Self.record(line)
        if record["sink"] as? String == "tail" {
          numbers.formUnion((record["fromSeq"] as? Int ?? 0)...(record["toSeq"] as? Int ?? 0))
        } else if let number = record["seq"] as? Int {
          #expect(numbers.insert(number).inserted, "\(number) twice")
        }
      }
      let (first, last) = (try #require(numbers.min()), try #require(numbers.max()))
      #expect(numbers.count == last - first + 1)
      #expect(quick.output.allSatisfy { !$0.text.contains("\"tail\"") })
      #expect(try watched.run.sequences == Array(1...watched.run.daemon.output.count))
    }
  }

  @Test func prometheus_reads_figures_by_tcp_and_nothing_else() async throws {
    try await runBlocking {
      let port = try ReservedPort()
      let run = try DaemonRun(
        settings: DaemonRun.quick + #", "status": {"socket": false, "metrics": "127.0.0.1:\#(port.number)"}"#)
      try run.awaitReadings(10)
      let address = "http://127.0.0.1:\(port.number)"
      // The values of a thread are missing while it gets no processor time.
      let deadline = ContinuousClock.now + .seconds(60)
      var text = try Watched.curl([address + "/metrics"]).text
      while !text.contains("obdgate_adapter_connected{"), .now < deadline {
        text = try Watched.curl([address + "/metrics"]).text
      }
      var samples: [String: Double] = [:]
      var families: Set<Substring> = []
      for line in text.split(separator: "\n") {
        if line.hasPrefix("# TYPE ") {
          families.insert(line.split(separator: " ")[2])
        } else if !line.hasPrefix("#") {
          let words = line.split(separator: " ")
          let name = words[0].prefix { $0 != "{" }
          #expect(words.count == 2 && families.contains(name), "\(line)")
          samples[String(words[0])] = Double(words[1])
        }
      }
      let device = try #require(try run.adapters.first?.name)
      #expect(samples["obdgate_adapter_connected{device=\"tcp:\(device)\"}"] == 1, "\(text)")
      let good = samples["obdgate_replies_total{device=\"tcp:\(device)\",outcome=\"ok\"}"]
      #expect(good ?? 0 > 10, "\(text)")
      #expect(samples["obdgate_records_total{type=\"telemetry\"}"] ?? 0 >= 10)
      #expect(samples["process_resident_memory_bytes"] ?? 0 > 1_000_000)
      for path in ["/status", "/records"] {
        #expect(try Watched.curl([address + path, "-o", "/dev/null", "-w", "%{http_code}"]).text == "403")
      }
      #expect(try Watched.curl([address + "/metrics", "-d", "x", "-w", "%{http_code}"]).text.contains("405"))
    }
  }

  @Test func endless_or_invalid_status_clients_are_disconnected() async throws {
    try await runBlocking {
      let watched = try Watched()
      try watched.run.awaitReadings(5)
      let script = """
        import socket, sys
        held = []
        for kind in range(60):
          s = socket.socket(socket.AF_UNIX); s.settimeout(30)
          try:
            s.connect(sys.argv[1])
            s.sendall([b"", b"GET /status HTTP/1.1\\r\\n", b"\\x00\\xff" * 3000, b"A" * 70000, b"GET / HTTP/9\\r\\n\\r\\n",
                       b"\\r\\n\\r\\n"][kind % 6])
          except OSError: pass
          held.append(s)
        print("held", flush=True)
        sys.stdin.readline()
        """
      let crowd = try RunningProgram(
        try Tool.required("python3"), ["-c", script, watched.socket])
      defer { crowd.kill() }
      try crowd.line(within: .seconds(60)) { $0 == "held" }
      // All places for clients are taken until the time limit of five seconds of the first ones has passed.
      let status = try Watched.status(at: watched.socket) { $0["adapters"] != nil }
      #expect((status["adapters"] as? [[String: Any]])?.first?["state"] as? String == "connected")
      try watched.run.awaitReadings(20)
    }
  }

  @Test func an_endless_follower_delays_neither_others_nor_the_end() async throws {
    try await runBlocking {
      let watched = try Watched()
      try watched.run.awaitReadings(3)
      let script = """
        import socket, sys
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
        s.sendall(b"GET /records HTTP/1.1\\r\\n\\r\\n")
        print("follows", flush=True)
        try:
          while True: s.sendall(b"x" * 65536)
        except OSError: print("cut off", flush=True)
        """
      let talker = try RunningProgram(
        try Tool.required("python3"), ["-c", script, watched.socket])
      defer { talker.kill() }
      try talker.line(within: .seconds(60)) { $0 == "cut off" }
      #expect(try watched.status()["pid"] as? Int == Int(watched.run.daemon.pid))
      let attributes = try FileManager.default.attributesOfItem(atPath: watched.socket)
      #expect((attributes[.posixPermissions] as? Int) == 0o660)
      watched.run.daemon.send(SIGTERM)
      #expect(try watched.run.daemon.end(within: .seconds(20)) == 0)
    }
  }

  @Test func a_status_client_that_half_closes_its_connection_is_answered() async throws {
    try await runBlocking {
      let watched = try Watched()
      let script = """
        import socket, sys
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
        s.sendall(b"GET /records HTTP/1.1\\r\\n\\r\\n"); s.shutdown(socket.SHUT_WR)
        for line in s.makefile(): print(line, end="", flush=True)
        """
      let listener = try RunningProgram(
        try Tool.required("python3"), ["-c", script, watched.socket])
      defer { listener.kill() }
      for _ in 0..<5 { try listener.line(within: .seconds(60)) { $0.contains("\"rpm\"") } }
    }
  }

  @Test func a_stale_status_socket_is_replaced_and_a_used_one_kept() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let environment = ["XDG_RUNTIME_DIR": scratch.path]
      let first = try DaemonRun(environment: environment)
      try first.awaitReadings(1)
      let socket = scratch.file("obdgated.sock")
      #expect(FileManager.default.fileExists(atPath: socket))
      let other = try DaemonRun(environment: environment)
      try other.daemon.errorLine(within: .seconds(60)) { $0.contains("another process listens there") }
      try other.awaitReadings(1)
      other.daemon.send(SIGTERM)
      #expect(try other.daemon.end(within: .seconds(60)) == 0)
      #expect(FileManager.default.fileExists(atPath: socket), "the one that listens still does")
      try first.daemon.killNow()
      let third = try DaemonRun(environment: environment)
      try third.awaitReadings(1)
      let answer = try Watched.curl(["--unix-socket", socket, "http://d/status"]).text
      #expect(answer.contains("\"pid\":\(third.daemon.pid)"))
    }
  }
}
