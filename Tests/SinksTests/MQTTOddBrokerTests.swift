import Foundation
import Peers
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit
@testable import Spool

/// The sink with brokers that behave in ways that mosquitto cannot be made to.
@Suite struct MQTTOddBrokerTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private final class Broker {
    let program: RunningProgram
    let port: Int

    init(_ arguments: [String]) throws {
      let python = try Tool.required("python3")
      program = try RunningProgram(python, [TestData.projectRoot + "/Tests/Support/broker.py"] + arguments)
      port = Int(try program.line(within: .seconds(60)) { $0.hasPrefix("port ") }.text.dropFirst(5)) ?? 0
    }

    deinit { program.kill() }
  }

  private func sink(_ port: Int, _ change: (inout MQTTConfiguration) -> Void = { _ in }) throws -> MQTTSink {
    var configuration = MQTTConfiguration(
      url: try #require(ServiceURL("mqtt://127.0.0.1:\(port)", schemes: MQTTConfiguration.schemes)))
    change(&configuration)
    return MQTTSink(
      configuration, MQTTSink.GatewayFacts(gatewayId: "gw-17", statusId: "VAN-001", stateDirectory: scratch.path))
  }

  private func failure(_ delivery: Delivery) -> SinkError? {
    for case .failing(let error) in delivery.events { return error }
    return nil
  }

  @Test func a_broker_that_refuses_version_5_gets_3_1_1_at_once() throws {
    let broker = try Broker(["--refuse-5"])
    var sink = try sink(broker.port)
    let delivery = sink.deliver(Batches.telemetry(1...3), try SinkWakeUp())
    #expect(delivery.acknowledged == [0..<3])
    #expect(delivery.events.map { "\($0)".hasSuffix("connected, MQTT 3.1.1") } == [true])
  }

  @Test func a_broker_that_hangs_up_on_version_5_gets_3_1_1_at_the_next_attempt() throws {
    let broker = try Broker(["--hang-up-on-5"])
    var sink = try sink(broker.port)
    let wakeUp = try SinkWakeUp()
    let first = sink.deliver(Batches.telemetry(1...3), wakeUp)
    #expect(failure(first)?.kind == .unreachable)
    let said = try #require(first.events.first).description
    #expect(said.hasSuffix("; its records wait") && !said.contains(".;"), "\(said)")
    #expect(sink.deliver(Batches.telemetry(1...3), wakeUp).acknowledged == [0..<3])
  }

  @Test func an_unacknowledged_message_is_not_delivered() throws {
    // One message for the status, and two for records.
    let broker = try Broker(["--silent-after", "3"])
    var sink = try sink(broker.port) {
      $0.batchPolicy.records = 1
      // The limit also applies to answers that do arrive.
      $0.answerLimit = 10_000_000_000
    }
    let delivery = sink.deliver(Batches.telemetry(1...5), try SinkWakeUp())
    #expect(delivery.acknowledged == [0..<2])
    #expect(failure(delivery)?.kind == .timedOut)
    #expect(!delivery.sentNothing)
  }

  @Test func a_record_that_the_broker_refuses_for_good_is_kept_with_its_reason() throws {
    let broker = try Broker(["--refuse-payload", "\"rpm\":7}", "153"])
    var sink = try sink(broker.port)
    let delivery = sink.deliver(Batches.telemetry(1...10), try SinkWakeUp())
    #expect(delivery.acknowledged == [0..<10])
    let kept = try String(contentsOfFile: scratch.file("refused-mqtt.jsonl"), encoding: .utf8)
    #expect(kept.split(separator: "\n").count == 1)
    #expect(kept.contains(#""rpm":7}"#))
  }

  @Test func records_rejected_for_now_are_sent_later() throws {
    let broker = try Broker(["--refuse-payload", "\"rpm\":7}", "151"])
    var sink = try sink(broker.port)
    let delivery = sink.deliver(Batches.telemetry(7...7), try SinkWakeUp())
    #expect(delivery.acknowledged.isEmpty)
    #expect(failure(delivery)?.kind == .busy)
    #expect(!delivery.sentNothing)
  }
}
