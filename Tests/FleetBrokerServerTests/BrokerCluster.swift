import Foundation
import Synchronization
import TestKit

/// Brokers, a database, and workers that are processes of the real program.
final class BrokerCluster: Sendable {
  let workers = 3
  let database: String
  private let rabbit: RabbitMQ
  private let server: PostgreSQLServer
  private let folder: ScratchFolder
  private let program: String
  private let running: Mutex<[RunningProgram]>

  /// If a program is not installed, the current test is skipped.
  init(nodes: Int) throws {
    let program = try Tool.fleetstore
    let server = try PostgreSQLServer(isSynchronous: true)
    let rabbit = try RabbitMQ(nodes: nodes)
    self.program = program
    self.server = server
    self.rabbit = rabbit
    database = try server.database()
    folder = try ScratchFolder()
    running = Mutex([])
    try folder.write("password", "guest\n")
    _ = unsafe chmod(folder.file("password"), 0o600)
    for worker in 0..<workers {
      let urls = (0..<nodes).map { rabbit.nodes[(worker + $0) % nodes].port }
        .map { "\"amqp://guest@127.0.0.1:\($0)\"" }.joined(separator: ",")
      try folder.write(
        "worker\(worker).json",
        #"{"database":"\#(database)","broker":{"urls":[\#(urls)],"passwordFile":"password","retrySeconds":2}}"#)
      let started = try start(worker)
      running.withLock { $0.append(started) }
    }
  }

  deinit { for worker in running.withLock({ $0 }) { worker.kill() } }

  private func start(_ worker: Int) throws -> RunningProgram {
    let started = try RunningProgram(
      program, ["serve", "--listen", "127.0.0.1:0", "--config", folder.file("worker\(worker).json")])
    try started.errorLine(within: .seconds(120)) { $0.contains("records are taken from it") }
    return started
  }

  func leftInQueues() throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      // The first node may have been killed; the first line is a heading.
      let lines = try rabbit.control(["list_queues", "name", "messages"], node: rabbit.nodes.count - 1)
      let left = lines.filter { $0.hasPrefix("fleet.") }.map(String.init).sorted()
      // RabbitMQ updates its counts only from time to time.
      if left.allSatisfy({ $0.hasSuffix("\t0") }) || ContinuousClock.now > deadline { return left }
    }
  }

  /// Publishes this number of records of each vehicle, in messages of 100. Each vehicle has its own thread.
  ///
  /// - Returns: the measured values as text.
  func run(vehicles: Int, records: Int, kills: Bool) throws -> String {
    let (group, failures) = (DispatchGroup(), LogLines())
    let start = ContinuousClock.now
    for vehicle in 1...vehicles {
      group.enter()
      Thread.detachNewThread { [rabbit] in
        do {
          var gateway = PublishingGateway(
            vehicle: "VAN-\(vehicle)", ports: rabbit.nodes.map(\.mqttPort), first: vehicle)
          try gateway.publish(records, by: 100)
        } catch {
          failures.add("\(error)")
        }
        group.leave()
      }
    }
    let events = try watch(total: vehicles * records, kills: kills)
    group.wait()
    let failed = failures.all
    guard failed.isEmpty else { throw BrokerBench.NotTaken(news: failed.joined(separator: "; ")) }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let rate = Int(Double(vehicles * records) / seconds)
    return "\(vehicles * records) records in \(String(format: "%.1f", seconds)) s, \(rate)/s; \(events)"
  }

  /// Kills a worker after a third of the records and a node after half of them, and waits until all records are stored.
  ///
  /// - Returns: after each kill, the time in which nothing was stored.
  private func watch(total: Int, kills: Bool) throws -> String {
    var plan: [(at: Int, name: String, work: () throws -> Void)] =
      kills
      ? [
        (total / 3, "worker killed", { self.running.withLock { $0[0].kill() } }),
        (total / 2, "node killed", { try self.rabbit.nodes[0].killNow() }),
      ] : []
    var (said, longest, last, progressAt) = ([String](), 0.0, 0, ContinuousClock.now)
    var name: String?
    func finish() {
      if let name { said.append("\(name): longest time without progress " + String(format: "%.2f s", longest)) }
      longest = 0
    }
    let deadline = ContinuousClock.now + .seconds(1_200)
    while last < total {
      let stored = try server.sql(
        "SELECT (SELECT count(*) FROM record) + (SELECT coalesce(sum(count), 0) FROM telemetry_run)", in: databaseName)
      let count = Int(stored.first ?? "0") ?? 0
      let now = ContinuousClock.now
      if count > last { (last, progressAt) = (count, now) }
      longest = max(longest, (now - progressAt) / .seconds(1))
      if let next = plan.first, count >= next.at {
        plan.removeFirst()
        finish()
        name = next.name
        try next.work()
      }
      guard now < deadline else { throw BrokerBench.NotTaken(news: "\(count) of \(total) records after 20 minutes") }
      poll(nil, 0, 20)
    }
    finish()
    return said.isEmpty ? "nobody killed" : said.joined(separator: ", ")
  }

  private var databaseName: String { String(database[database.index(after: database.lastIndex(of: "/")!)...]) }
}
