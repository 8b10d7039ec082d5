import Foundation
import Peers
import Spool
import Telemetry
import TestKit

@testable import Sinks

/// A gateway that publishes with obdgated's sink. If a node fails, it uses another one, like a daemon with a load
/// balancer.
struct PublishingGateway: ~Copyable {
  let vehicle: String
  let ports: [Int]
  /// The index of the port that is used.
  var first: Int
  private var sink: MQTTSink?

  init(vehicle: String, ports: [Int], first: Int) {
    self.vehicle = vehicle
    self.ports = ports
    self.first = first
  }

  /// Publishes records from 1 on. Records that a broker has not acknowledged are published again.
  mutating func publish(_ count: Int, by size: Int) throws {
    let wakeUp = try SinkWakeUp()
    // Several messages at once, as the spool delivers them.
    let step = size * 10
    for start in stride(from: 1, through: count, by: step) {
      let lines = (start..<min(start + step, count + 1)).map {
        (RecordType.telemetry, PublishedBatches.line($0, vehicle: vehicle))
      }
      let batch = PublishedBatches.batch(lines, from: start)
      var isTaken = false
      let deadline = ContinuousClock.now + .seconds(600)
      while !isTaken {
        isTaken = try deliver(batch, by: size, wakeUp)
        guard isTaken || ContinuousClock.now < deadline else { throw BrokerBench.NotTaken(news: "\(vehicle) \(start)") }
      }
    }
  }

  private mutating func deliver(_ batch: RecordBatch, by size: Int, _ wakeUp: SinkWakeUp) throws -> Bool {
    // A noncopyable value must be removed from its property while it is used.
    var used = if let kept = sink.take() { kept } else { try make(by: size) }
    let delivery = used.deliver(batch, wakeUp)
    if delivery.acknowledged.reduce(0, { $0 + $1.count }) == batch.records.count {
      sink = consume used
      return true
    }
    failures += 1
    // After the first failure at a node, the sink tries it again without MQTT 5.
    if failures % 2 == 0 { first += 1 } else { sink = consume used }
    poll(nil, 0, 50)
    return false
  }

  private var failures = 0

  private func make(by size: Int) throws -> MQTTSink {
    let port = ports[first % ports.count]
    guard let url = ServiceURL("mqtt://127.0.0.1:\(port)", schemes: [("mqtt", 1_883)]) else {
      throw BrokerBench.NotTaken(news: "\(port)")
    }
    var configuration = MQTTConfiguration(url: url)
    configuration.batchPolicy.records = size
    configuration.clientId = "gw-\(vehicle)"
    configuration.answerLimit = 5_000_000_000
    return MQTTSink(configuration, MQTTSink.GatewayFacts(gatewayId: "gw-17", statusId: vehicle, stateDirectory: nil))
  }
}
