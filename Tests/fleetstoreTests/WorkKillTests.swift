import Foundation
import Glibc
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Two clients send random commands, and the server is killed at a random time. Each command was then executed as a whole
/// or not at all: the rules of the fleet's work hold, and the audit is intact.
@Suite struct WorkKillTests {
  private static let vehicles = ["VAN-1", "VAN-2", "VAN-3"]
  private static let rounds = 6

  /// A database, and the server that runs at present.
  private final class Site {
    let scratch: ScratchFolder
    private let settings: String
    private let token: String
    private(set) var store: ServedStore

    init(_ database: Database) throws {
      scratch = try ScratchFolder()
      try scratch.writeSecret("secret.keys", String(repeating: "7", count: 64) + "\n")
      let address = try database.address(in: scratch)
      settings = try scratch.write(
        "c.json", #"{"database":"\#(address)","accounts":{"secretKeysFile":"secret.keys"}}"#)
      store = try ServedStore(["--config", settings])
      token = try #require(store.token)
    }

    deinit { store.program.kill() }

    func killAndRestart() throws {
      try store.program.killNow()
      let checked = try FleetstoreProgram.run(["audit", "verify", "--config", settings], in: scratch.path)
      #expect(checked.status == 0, "\(checked.output) \(checked.errors)")
      store = try ServedStore(["--config", settings], isFirst: false)
    }

    /// The client of the server that runs now.
    var client: Client { Client(store: store, token: token) }
  }

  private struct Client: @unchecked Sendable {
    let store: ServedStore
    let token: String

    /// Returns the members of the answer's object; `nil` if there was no answer.
    @discardableResult
    func send(_ method: String, _ path: String, _ body: String = "{}") -> [String: Any]? {
      let arguments = ["-X", method] + (method == "GET" ? [] : ["--json", body])
      guard let text = try? store.request("/api/\(path)", token: token, arguments), !text.isEmpty else { return nil }
      return try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    }

    func list(_ path: String) throws -> [[String: Any]] {
      try #require(send("GET", path)?["data"] as? [[String: Any]])
    }

    /// Sends random commands until the server does not answer.
    func work(seed: UInt64, drivers: [String], schedules: [String], _ count: Counter) {
      var random = SplitMix(seed: seed)
      var (assignments, records) = ([String](), [String]())
      func any(_ ids: [String]) -> String { ids.randomElement(using: &random) ?? "none" }
      while true {
        let vehicle = any(WorkKillTests.vehicles)
        let answer: [String: Any]?
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
          answer = send("POST", "assignments", #"{"vehicleId":"\#(vehicle)","driverId":"\#(any(drivers))"}"#)
          if let id = answer?["id"] as? String { assignments.append(id) }
        case 2: answer = send("POST", "assignments/\(any(assignments))/end")
        case 3: answer = send("POST", "assignments/\(any(assignments))/cancel")
        case 4:
          let index = Int.random(in: 0..<schedules.count, using: &random)
          answer = send(
            "POST", "maintenance-records",
            #"{"vehicleId":"\#(WorkKillTests.vehicles[index])","serviceType":"oilChange","scheduleId":"\#(schedules[index])"}"#
          )
          if let id = answer?["id"] as? String { records.append(id) }
        case 5: answer = send("POST", "maintenance-records/\(any(records))/start")
        case 6: answer = send("POST", "maintenance-records/\(any(records))/complete")
        case 7: answer = send("POST", "maintenance-records/\(any(records))/cancel")
        default: answer = send("POST", "service-schedules/\(any(schedules))/complete")
        }
        guard answer != nil else { return }
        count.add()
      }
    }
  }

  /// The number of commands that were answered, and of clients that have ended.
  private final class Counter: @unchecked Sendable {
    private let condition = NSCondition()
    private var (count, ended) = (0, 0)

    private func change(_ work: () -> Void) {
      condition.lock()
      work()
      condition.broadcast()
      condition.unlock()
    }

    func add() { change { count += 1 } }
    func end() { change { ended += 1 } }

    /// Waits until so many commands were answered.
    func wait(for commands: Int) { wait { count >= commands } }

    func waitForEnd(of clients: Int) { wait { ended >= clients } }

    private func wait(until isOver: () -> Bool) {
      condition.lock()
      while !isOver() { condition.wait() }
      condition.unlock()
    }
  }

  private static func expectRules(_ client: Client) throws {
    let assignments = try client.list("assignments?limit=1000&status=active,completed")
    func text(_ thing: [String: Any], _ key: String) -> String? { thing[key] as? String }
    for key in ["vehicleId", "driverId"] {
      for (owner, own) in Dictionary(grouping: assignments, by: { text($0, key) ?? "" }) {
        // Texts of times of one zone and length sort as the times do.
        let spans = own.compactMap { item in text(item, "from").map { ($0, text(item, "to") ?? "9999") } }.sorted {
          $0 < $1
        }
        for (first, second) in zip(spans, spans.dropFirst()) {
          #expect(first.1 <= second.0, "\(key) \(owner): \(first) and \(second)")
        }
      }
    }
    let records = try client.list("maintenance-records?limit=1000&status=scheduled,inProgress")
    let cycles = Dictionary(grouping: records.compactMap { text($0, "scheduleId") }) { $0 }
    #expect(cycles.values.allSatisfy { $0.count == 1 })
    let active = Set(assignments.filter { text($0, "status") == "active" }.compactMap { text($0, "vehicleId") })
    let inWork = Set(records.filter { text($0, "status") == "inProgress" }.compactMap { text($0, "vehicleId") })
    for vehicle in vehicles {
      let status = client.send("GET", "vehicles/\(vehicle)").flatMap { text($0, "status") }
      let expected = inWork.contains(vehicle) ? "inService" : active.contains(vehicle) ? "assigned" : "available"
      #expect(status == expected, "\(vehicle)")
    }
  }

  @Test(arguments: Database.allCases)
  func the_rules_hold_after_a_kill_at_any_time(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      var (drivers, schedules) = ([String](), [String]())
      for vehicle in Self.vehicles {
        let client = site.client
        client.send("POST", "vehicles", #"{"id":"\#(vehicle)"}"#)
        drivers.append(
          try #require(client.send("POST", "drivers", #"{"name":"\#(vehicle)"}"#)?["id"] as? String))
        schedules.append(
          try #require(
            client.send(
              "POST", "service-schedules",
              #"{"vehicleId":"\#(vehicle)","serviceType":"oilChange","every":{"kilometers":10000}}"#)?["id"] as? String)
        )
      }
      var random = SplitMix(seed: UInt64.random(in: 0...UInt64.max))
      for _ in 0..<Self.rounds {
        let (client, known, plans, count) = (site.client, drivers, schedules, Counter())
        for seed in [random.next(), random.next()] {
          Thread {
            client.work(seed: seed, drivers: known, schedules: plans, count)
            count.end()
          }.start()
        }
        // The kill comes during one of the next commands.
        count.wait(for: Int.random(in: 8...25, using: &random))
        let end = ContinuousClock.now + .microseconds(Int.random(in: 0...20_000, using: &random))
        while .now < end { sched_yield() }
        try site.killAndRestart()
        count.waitForEnd(of: 2)
        try Self.expectRules(site.client)
      }
    }
  }
}
