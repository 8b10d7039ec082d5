import Foundation
import Glibc
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Measurements of accounts, which run under the same conditions as ``MeasureTests``.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["FLEETSTORE_MEASURE"] != nil, "a measurement: make bench-store runs it"))
struct AccountMeasureTests {
  private static let settings =
    #"{"rate":{"perSecond":1e6,"burst":1e6},"strangerRate":{"perSecond":1e6,"burst":1e6},"accounts":{"secretKeysFile":"secret.keys"},"database":"sqlite:a.db"}"#
  private static let password = "correct horse battery"

  /// A store with an administrator.
  private static func store(_ scratch: borrowing ScratchFolder) throws -> (ServedStore, session: String) {
    try scratch.writeSecret("secret.keys", String(repeating: "7", count: 64) + "\n")
    let settings = try scratch.write("c.json", settings)
    let store = try ServedStore(["--config", settings])
    let link = try FleetstoreProgram.run(["setup", "--config", settings], in: scratch.path).output
    let token = link.split(separator: "#").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
    let body =
      #"{"token":"\#(token)","password":"\#(password)","email":"ann@example.org","firstName":"A","lastName":"L"}"#
    let answer = try LoadSocket(port: store.port).send(
      "POST", "/api/auth/setup", key: nil, Array(body.utf8),
      "Content-Type: application/json\r\nOrigin: http://x\r\n")
    guard let range = answer.range(of: "fleet-session=") else { throw TestData.Missing("a session in: \(answer)") }
    return (store, String(answer[range.upperBound...].prefix { $0 != ";" }))
  }

  /// Both requests are refused, one before its session is checked and one after it: the path of the first does not
  /// exist, and the session of the second one may not read the figures of the server.
  @Test func the_time_to_check_a_session_is_measured() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let (store, session) = try Self.store(scratch)
      defer { store.program.kill() }
      let admin = try LoadSocket(port: store.port)
      let origin = "Origin: http://x\r\n"
      let cookie = "Cookie: fleet-session=\(session)\r\n"
      let made = try admin.send(
        "POST", "/api/people", key: nil,
        Array(#"{"email":"bob@example.org","firstName":"B","lastName":"R","roles":["driver"]}"#.utf8),
        "Content-Type: application/json\r\n" + origin + cookie)
      let id = try #require(Self.value("id", made), "\(made)")
      let invited = try admin.send("POST", "/api/people/\(id)/invite", key: nil, [], origin + cookie)
      let token = try #require(Self.value("token", invited), "\(invited)")
      let set = try admin.send(
        "POST", "/api/auth/setup", key: nil, Array(#"{"token":"\#(token)","password":"\#(Self.password)"}"#.utf8),
        "Content-Type: application/json\r\n" + origin)
      let range = try #require(set.range(of: "fleet-session="), "\(set)")
      let driver = "Cookie: fleet-session=\(set[range.upperBound...].prefix { $0 != ";" })\r\n"
      let requests = 20_000
      var figures: [(wall: Double, processor: Double)] = []
      // Alternately, so that other work on the machine disturbs both in the same way.
      for round in 0..<6 {
        let (path, fields) = round % 2 == 0 ? ("/api/nothing", "") : ("/api/metrics", driver)
        let before = try Self.processorSeconds(store.program.pid)
        let start = ContinuousClock.now
        for _ in 0..<requests {
          let answer = try admin.get(path, key: nil, fields)
          guard answer.contains(round % 2 == 0 ? " 404 " : " 403 ") else { throw TestData.Missing(answer) }
        }
        let wall = (ContinuousClock.now - start) / .seconds(1)
        figures.append((wall, try Self.processorSeconds(store.program.pid) - before))
      }
      for (name, path) in [("without a session", 0), ("with one", 1)] {
        let rounds = stride(from: path, to: 6, by: 2).map { figures[$0] }
        let best = (rounds.map(\.wall).min() ?? 0, rounds.map(\.processor).min() ?? 0)
        print(
          "\(name): \(Int(Double(requests) / best.0)) requests/s; "
            + "\(best.1 / Double(requests) * 1e6) µs of a core for each in the server")
      }
    }
  }

  @Test func reading_a_page_of_a_thousand_people_is_measured() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let (store, _) = try Self.store(scratch)
      defer { store.program.kill() }
      let token = try #require(store.token)
      let socket = try LoadSocket(port: store.port)
      for number in 0..<1_000 {
        let answer = try socket.send(
          "POST", "/api/people", key: token,
          json:
            #"{"email":"p\#(number)@example.org","firstName":"First \#(number)","lastName":"Last","roles":["driver"]}"#)
        guard answer.contains(" 201 ") else { throw TestData.Missing(answer) }
      }
      var seconds: [Double] = []
      for _ in 0..<50 {
        let before = try Self.processorSeconds(store.program.pid)
        let start = ContinuousClock.now
        let answer = try socket.get("/api/people?limit=1000", key: token)
        guard answer.contains(" 200 ") else { throw TestData.Missing(answer) }
        seconds.append((ContinuousClock.now - start) / .seconds(1))
        if seconds.count == 1 {
          print("the first page: \(try Self.processorSeconds(store.program.pid) - before) s of a core")
        }
      }
      seconds.sort()
      print("a page of 1,000 people: median \(seconds[25] * 1_000) ms, longest \(seconds[49] * 1_000) ms")
    }
  }

  @Test func ingest_beside_a_hundred_sign_ins_is_measured() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let (store, _) = try Self.store(scratch)
      defer { store.program.kill() }
      let (port, keys) = (store.port, try (0..<4).map { try MeasureTests.addGateway($0, store) })
      var sent = 0
      for signsIn in [false, true, false, true] {
        let isOver = Counter()
        let group = DispatchGroup()
        let done = Counter()
        for _ in 0..<(signsIn ? 100 : 0) {
          group.enter()
          Thread.detachNewThread {
            defer { group.leave() }
            while isOver.value == 0 {
              guard let socket = try? LoadSocket(port: port),
                let answer = try? socket.send(
                  "POST", "/api/auth/login", key: nil,
                  Array(#"{"email":"ann@example.org","password":"\#(Self.password)"}"#.utf8),
                  "Content-Type: application/json\r\nOrigin: http://x\r\n")
              else { continue }
              if answer.contains(" 200 ") { _ = done.add(1) }
            }
          }
        }
        let times = LoadTimes()
        let run = try LoadClient.send(for: 10) { _ in
          let batches = LoadClient.batches(400, gateways: keys.count, from: sent)
          sent += batches.count
          return try LoadClient.send(batches, port: store.port, connections: 4) { socket, index in
            let start = ContinuousClock.now
            let answer = try socket.post(batches[index], key: keys[index % keys.count])
            times.add((ContinuousClock.now - start) / .milliseconds(1))
            return answer.contains(" 200 ") ? 100 : nil
          }
        }
        _ = isOver.add(1)
        group.wait()
        let sorted = times.sorted()
        print(
          "\(signsIn ? "100 sign-ins at once" : "no sign-ins"): \(Int(Double(run.stored) / run.seconds)) records/s, "
            + "batch median \(sorted[sorted.count / 2]) ms, p99 \(sorted[sorted.count * 99 / 100]) ms; "
            + "\(done.value) sign-ins; \(try store.memoryKiB()) KiB resident")
      }
    }
  }

  private static func value(_ key: String, _ answer: String) -> String? {
    guard let range = answer.range(of: "\"\(key)\":\"") else { return nil }
    return String(answer[range.upperBound...].prefix { $0 != "\"" })
  }

  private static func processorSeconds(_ pid: pid_t) throws -> Double { try MeasureTests.processorSeconds(pid) }
}

/// Durations that several threads add.
private final class LoadTimes: @unchecked Sendable {
  private let lock = NSLock()
  private var times: [Double] = []

  func add(_ time: Double) { lock.withLock { times.append(time) } }
  func sorted() -> [Double] { lock.withLock { times.sorted() } }
}
