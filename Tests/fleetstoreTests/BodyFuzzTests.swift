import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The program answers each of a million bodies, continues to run, and does not exceed its memory limit.
///
///     OBDGATE_FUZZ_BODIES=1000000 FLEETSTORE_PROGRAM=.build/release/fleetstore swift test --filter BodyFuzzTests
@Suite struct BodyFuzzTests {
  private static var count: Int {
    ProcessInfo.processInfo.environment["OBDGATE_FUZZ_BODIES"].flatMap { Int($0) } ?? 5_000
  }
  private static let connections = 4

  @Test func malformed_bodies_are_answered_and_memory_stays() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let settings = try scratch.write(
        "c.json",
        #"{"database":"sqlite:a.db","rate":{"perSecond":1e6,"burst":1e6},"limits":{"unpackedBytes":1048576}}"#)
      let store = try ServedStore(["--config", settings])
      defer { store.program.kill() }
      let token = try #require(store.token)
      let before = try store.memoryKiB()
      let start = ContinuousClock.now
      // After every kind of body was sent, the memory no longer grows.
      var statuses = try Self.send(Self.count / 10, seed: 1, port: store.port, token)
      let settled = try store.memoryKiB()
      statuses.merge(try Self.send(Self.count - Self.count / 10, seed: 2, port: store.port, token)) { $0 + $1 }
      let after = try store.memoryKiB()
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      print(
        "\(Self.count) bodies in \(seconds) s: \(statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }); "
          + "KiB resident: \(before) before, \(settled) after a tenth, \(after) after all, "
          + "\(try store.memoryKiB("VmHWM")) at most")
      #expect(statuses.values.reduce(0, +) == Self.count)
      #expect(Set(statuses.keys).isSubset(of: [200, 400, 413]), "\(statuses)")
      #expect(statuses[200, default: 0] > Self.count / 10 && statuses[400, default: 0] > Self.count / 10)
      #expect(statuses[413, default: 0] > Self.count / 50)
      // Nine tenths of the bodies store nothing.
      #expect(after - settled <= 32 << 10)
      #expect(!store.program.errorLines.contains { $0.hasPrefix("fleetstore: error: ") })
      let answer = try LoadSocket(port: store.port).post(
        Array(LoadClient.record(99_999, 0).utf8), key: token, coding: nil)
      #expect(answer.contains("\"stored\":1"))
    }
  }

  /// Sends bodies.
  ///
  /// - Returns: for each status, the number of answers with it.
  private static func send(
    _ count: Int, seed: UInt64, port: Int, _ token: String
  ) throws -> [Int: Int] {
    let (next, failures) = (Counter(), Counter())
    let statuses = (0..<600).map { _ in Counter() }
    let group = DispatchGroup()
    for connection in 0..<connections {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        var bodies = FuzzedBodies(seed: seed &* 1_000 &+ UInt64(connection))
        do {
          let socket = try LoadSocket(port: port)
          while next.add(1) <= count {
            let (body, coding) = bodies.next()
            let answer = try socket.post(body, key: token, coding: coding)
            _ = statuses[(Int(answer.dropFirst(9).prefix(3)) ?? 0) % 600].add(1)
          }
        } catch {
          _ = failures.add(1)
        }
      }
    }
    group.wait()
    guard failures.value == 0 else { throw LoadSocket.Failure(what: "\(failures.value) connections ended") }
    return Dictionary(uniqueKeysWithValues: statuses.enumerated().filter { $1.value > 0 }.map { ($0, $1.value) })
  }
}
