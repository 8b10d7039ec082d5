import FleetBroker
import FleetDomain
import Foundation
import Logging
import Peers
import Spool
import Telemetry
import TestKit
import Testing

@testable import Sinks

/// A separate queue or group on a shared broker, and gateways that publish to it.
struct BrokerBench: Sendable {
  /// The error that an expected event did not occur in time.
  struct Late: Error {
    let counts: [BrokerCounts]
  }

  static let now = Timestamp(nanoseconds: 1_795_219_200_000 * 1_000_000)

  var options: BrokerOptions
  let mqttPort: Int
  let lines = LogLines()

  init(amqp rabbit: RabbitMQ) throws {
    let port = rabbit.nodes[0].port
    options = BrokerOptions([BrokerAddress("amqp://guest@127.0.0.1:\(port)")].compactMap { $0 })
    options.password = "guest"
    mqttPort = rabbit.nodes[0].mqttPort
    let name = "fleet-\(UUID().uuidString.prefix(8))"
    options.topic = name
    options.queue = name
    options.retrySeconds = 1
    options.answerSeconds = 100
  }

  init(mqtt port: Int, clientId: String) throws {
    options = BrokerOptions([BrokerAddress("mqtt://127.0.0.1:\(port)")].compactMap { $0 })
    mqttPort = port
    options.clientId = clientId
    options.retrySeconds = 1
    options.answerSeconds = 100
  }

  /// Returns the address of a broker with TLS.
  func secure(_ scheme: String, _ host: String, _ port: Int) throws -> BrokerAddress {
    let user = scheme == "amqps" ? "guest@" : ""
    guard let address = BrokerAddress("\(scheme)://\(user)\(host):\(port)") else { throw NotTaken(news: host) }
    return address
  }

  /// Runs a worker that does not trust its broker. It must report this, and must never be connected.
  func refused(_ store: Store) async throws {
    let worker = try worker(store)
    let before = lines.all.count
    let task = Task { try await worker.run() }
    try await until(worker) { _ in lines.all.count > before }
    task.cancel()
    _ = try await task.value
    let said = lines.all.dropFirst(before)
    // The message of the libraries.
    #expect(said.contains { $0.contains("TLS") || $0.contains("SSL") }, "\(said)")
    #expect(!said.contains { $0.contains("records are taken from it") })
  }

  func worker(_ store: Store) throws -> BrokerWorker {
    try BrokerWorker(options, storage: store.storage, logger: lines.logger) { BrokerBench.now }
  }

  /// Runs a worker during a test, and then stops it gracefully.
  func running(_ store: Store, _ body: (BrokerWorker) async throws -> Void) async throws {
    let worker = try worker(store)
    let task = Task { try await worker.run() }
    do {
      try await until(worker) { $0.isConnected }
      try await body(worker)
    } catch {
      task.cancel()
      _ = try await task.value
      throw error
    }
    task.cancel()
    _ = try await task.value
  }

  /// Waits until the counts of one or several workers fulfil a condition.
  func until(_ workers: BrokerWorker..., isDone: ([BrokerCounts]) -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while !isDone(workers.map(\.counts)) {
      guard ContinuousClock.now < deadline else { throw Late(counts: workers.map(\.counts)) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  func until(_ worker: BrokerWorker, isDone: (BrokerCounts) -> Bool) async throws {
    try await until(worker) { (counts: [BrokerCounts]) in counts.allSatisfy(isDone) }
  }

  /// Publishes telemetry as obdgated's sink does, and returns when the broker has acknowledged it.
  func publish(vehicle: String, _ numbers: ClosedRange<Int>, records: Int = 100) async throws {
    let lines = numbers.map { (RecordType.telemetry, PublishedBatches.line($0, vehicle: vehicle)) }
    let batch = PublishedBatches.batch(lines, from: numbers.lowerBound)
    try await runBlocking {
      var configuration = MQTTConfiguration(url: try Self.url(mqttPort))
      configuration.topic = options.topic
      configuration.batchPolicy.records = records
      // If two clients have the same id, a broker disconnects the first one.
      configuration.clientId = "gw-\(UUID().uuidString.prefix(8))"
      let gatewayFacts = MQTTSink.GatewayFacts(gatewayId: "gw-17", statusId: vehicle, stateDirectory: nil)
      var sink = MQTTSink(configuration, gatewayFacts)
      let wakeUp = try SinkWakeUp()
      var delivery = sink.deliver(batch, wakeUp)
      // If a broker closes the connection because of MQTT 5, the sink uses 3.1.1 the next time.
      if delivery.acknowledged.isEmpty { delivery = sink.deliver(batch, wakeUp) }
      guard delivery.acknowledged == [0..<batch.records.count] else { throw NotTaken(news: "\(delivery.events)") }
      sink.finish(wakeUp)
    }
  }

  /// Publishes any bytes with QoS 1.
  func publish(_ topic: String, _ payload: [UInt8]) async throws {
    try await runBlocking { [mqttPort] in
      let sent = try Tool.run(
        "mosquitto_pub",
        ["-h", "127.0.0.1", "-p", "\(mqttPort)", "-q", "1", "-t", topic, payload.isEmpty ? "-n" : "-s"],
        stdin: payload)
      guard sent.status == 0 else { throw NotTaken(news: sent.errors) }
    }
  }

  /// Publishes each line as a separate message with QoS 1.
  func publish(_ topic: String, eachOf lines: [UInt8]) async throws {
    try await runBlocking { [mqttPort] in
      let sent = try Tool.run(
        "mosquitto_pub", ["-h", "127.0.0.1", "-p", "\(mqttPort)", "-q", "1", "-t", topic, "-l"], stdin: lines)
      guard sent.status == 0 else { throw NotTaken(news: sent.errors) }
    }
  }

  struct NotTaken: Error {
    let news: String
  }

  private static func url(_ port: Int) throws -> ServiceURL {
    guard let url = ServiceURL("mqtt://127.0.0.1:\(port)", schemes: [("mqtt", 1_883)]) else {
      throw NotTaken(news: "\(port)")
    }
    return url
  }
}

/// The log lines of a worker.
final class LogLines: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []

  var all: [String] { lock.withLock { lines } }
  func add(_ line: String) { lock.withLock { lines.append(line) } }

  var logger: Logger { Logger(label: "test") { [self] _ in ListLog(lines: self) } }
}

private struct ListLog: LogHandler {
  let lines: LogLines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.add("\(event.level) \(event.message)") }
}
