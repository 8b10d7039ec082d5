import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// One tenant must never stop another. For every route, channel and limit, a tenant with valid keys attacks the server,
/// while another tenant's gateway sends, its operator reads, signs in and changes a vehicle, and its WebSocket receives
/// updates. None of the other tenant's requests is rejected, and 99 of 100 waits are at most three times as long as
/// without an attack. The waits without an attack are measured before and after each attack.
///
///     FAIRNESS_SECONDS=60 FLEETSTORE_PROGRAM=.build/release/fleetstore swift test --filter FairnessTests
///
/// `FAIRNESS_ATTACKS=messages,subscriptions` selects some of ``AttackKind``.
@Suite(.serialized) struct FairnessTests {
  /// The duration of each attack.
  private static var seconds: Double {
    ProcessInfo.processInfo.environment["FAIRNESS_SECONDS"].flatMap { Double($0) } ?? 3
  }
  private static var isSelected: (AttackKind) -> Bool {
    guard let names = ProcessInfo.processInfo.environment["FAIRNESS_ATTACKS"] else { return { _ in true } }
    return { names.split(separator: ",").contains(Substring($0.rawValue)) }
  }
  private static var program: String { ProcessInfo.processInfo.environment["FLEETSTORE_PROGRAM"] ?? "" }
  /// The shortest wait that counts as too long, ms. Without an attack, most waits take 2 to 10 ms. Three times that is
  /// less than what two busy threads on two cores cost a third thread: some ms of the scheduler at each of a dozen
  /// steps, and a commit of the attacker that is in progress. In a debug build, each step takes several times as long.
  private static var floor: Double { program.contains("/release/") ? 60 : 250 }

  @Test func sqlite_isolates_the_latency_of_tenants() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      try Self.attack("sqlite:\(scratch.file("fleet.db"))", scratch)
    }
  }

  @Test func postgresql_isolates_the_latency_of_tenants() async throws {
    let server = try PostgreSQLServer.shared
    try await runBlocking { try Self.attack(try server.database(), try ScratchFolder()) }
  }

  private static func attack(_ database: String, _ scratch: borrowing ScratchFolder) throws {
    try scratch.writeSecret("secret.keys", String(repeating: "7", count: 64) + "\n")
    let settings = try scratch.write(
      "c.json",
      #"{"database":"\#(database)","accounts":{"secretKeysFile":"\#(scratch.file("secret.keys"))"},"#
        + #""files":{"folder":"\#(scratch.file("files"))"},"connectors":{"allowPrivate":true},"#
        + #""limits":{"connections":600,"memoryBytes":268435456,"unpackedBytes":8388608}}"#)
    let store = try ServedStore(["--config", settings])
    defer { store.program.kill() }
    let keys = try AttackKeys(store, settings)
    let victim = Victim(port: store.port, keys)
    try victim.begin()
    defer { victim.end() }
    // Do everything once before the measurement, so that database connections, files and memory are ready.
    let first = victim.measure(seconds: 3)
    #expect(first.refusals.isEmpty && first.waits.count == Victim.Probe.allCases.count, "\(first)")
    let pause = max(seconds / 2, 1.5)
    var previous = victim.measure(seconds: pause)
    for kind in AttackKind.allCases where isSelected(kind) {
      let name = kind.rawValue
      let attack = Attack(port: store.port)
      try kind.begin(attack, keys)
      let attacked = victim.measure(seconds: seconds)
      attack.end()
      let next = victim.measure(seconds: pause)
      let alone = previous + next
      previous = next
      var words: [String] = []
      for probe in Victim.Probe.allCases {
        let (before, during) = (alone.p99(probe), attacked.p99(probe))
        words.append(
          "\(probe.rawValue) \(before.rounded()) → \(during.rounded()) ms (\(attacked.waits[probe]?.count ?? 0))")
        #expect(during <= max(3 * before, floor), "\(name): \(probe.rawValue): p99 \(before) ms alone, \(during) ms")
      }
      print("\(database.prefix(6)) \(name): p99 \(words.joined(separator: ", "))")
      let refusals = (attacked + next).refusals
      #expect(refusals.isEmpty, "\(name): \(refusals.prefix(3))")
    }
    print("\(database.prefix(6)): \(try store.memoryKiB("VmHWM")) KiB resident at most")
  }
}
