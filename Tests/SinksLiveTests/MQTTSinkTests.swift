import Foundation
import Peers
import Ports
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit
@testable import Spool

/// The sink against mosquitto.
@Suite struct MQTTSinkTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func configuration(_ port: Int, _ scheme: String = "mqtt", _ host: String = "127.0.0.1") throws
    -> MQTTConfiguration
  {
    MQTTConfiguration(url: try #require(ServiceURL("\(scheme)://\(host):\(port)", schemes: MQTTConfiguration.schemes)))
  }

  private func sink(_ configuration: MQTTConfiguration) -> MQTTSink {
    MQTTSink(
      configuration, MQTTSink.GatewayFacts(gatewayId: "gw-17", statusId: "VAN-001", stateDirectory: scratch.path))
  }

  private func failure(_ delivery: Delivery) -> SinkError? {
    for case .failing(let error) in delivery.events { return error }
    return nil
  }

  /// Returns `seq` of the records that a subscriber has printed.
  private func sequences(_ lines: [RunningProgram.Line]) -> [UInt64] {
    lines.compactMap { line in
      guard let start = line.text.firstIndex(of: "{") else { return nil }
      return RecordLine.number(Array(line.text[start...].utf8)[...])?.sequence
    }
  }

  @Test func records_arrive_by_vehicle_and_type_and_the_status_is_retained() throws {
    let broker = try Mosquitto(in: scratch)
    let subscriber = try broker.subscriber()
    defer { subscriber.kill() }
    var sink = sink(try configuration(broker.port))
    let batch = Batches.batch([
      (.telemetry, Batches.line(1)), (.trip, Batches.line(2, .trip)), (.telemetry, Batches.line(3)),
      (.telemetry, Batches.line(4, vehicle: "VAN-002")),
    ])
    let wakeUp = try SinkWakeUp()
    let delivery = sink.deliver(batch, wakeUp)
    #expect(delivery.acknowledged == [0..<4])
    #expect(delivery.events.map { "\($0)".hasSuffix("connected, MQTT 5") } == [true])
    for text in [
      "0 fleet/VAN-001/status online", "0 fleet/VAN-001/telemetry {", "0 fleet/VAN-001/trip {",
      "0 fleet/VAN-002/telemetry {",
    ] {
      try subscriber.line(within: .seconds(60)) { $0.hasPrefix(text) }
    }
    #expect(sequences(subscriber.output).sorted() == [1, 2, 3, 4])
    sink.finish(wakeUp)
    try subscriber.line(within: .seconds(60)) { $0 == "0 fleet/VAN-001/status offline" }
    // Subscribers that connect later also receive the message.
    let late = try broker.subscriber("fleet/+/status")
    defer { late.kill() }
    try late.line(within: .seconds(60)) { $0 == "1 fleet/VAN-001/status offline" }
  }

  @Test func records_wait_for_a_subscriber_where_one_is_needed() throws {
    let broker = try Mosquitto(in: scratch)
    var configuration = try configuration(broker.port)
    configuration.needsSubscriber = true
    var sink = sink(configuration)
    let wakeUp = try SinkWakeUp()
    let early = sink.deliver(Batches.telemetry(1...3), wakeUp)
    #expect(early.acknowledged.isEmpty)
    #expect(failure(early)?.description.contains("nobody subscribes to fleet") == true)
    let subscriber = try broker.subscriber()
    defer { subscriber.kill() }
    #expect(sink.deliver(Batches.telemetry(1...3), wakeUp).acknowledged == [0..<3])
    try subscriber.line(within: .seconds(60)) { $0.contains(#""seq":3,"#) }
    #expect(sequences(subscriber.output).sorted() == [1, 2, 3])
    sink.finish(wakeUp)
  }

  @Test func the_will_reports_a_vanished_gateway() throws {
    let broker = try Mosquitto(in: scratch)
    let subscriber = try broker.subscriber()
    defer { subscriber.kill() }
    do {
      var sink = sink(try configuration(broker.port))
      #expect(sink.deliver(Batches.telemetry(1...1), try SinkWakeUp()).acknowledged == [0..<1])
    }
    try subscriber.line(within: .seconds(60)) { $0 == "0 fleet/VAN-001/status offline" }
  }

  @Test func a_small_receive_maximum_is_respected() throws {
    let broker = try Mosquitto("allow_anonymous true\nmax_inflight_messages 2", in: scratch)
    let subscriber = try broker.subscriber()
    defer { subscriber.kill() }
    var configuration = try configuration(broker.port)
    configuration.batchPolicy.records = 5
    var sink = sink(configuration)
    #expect(sink.deliver(Batches.telemetry(1...200), try SinkWakeUp()).acknowledged == [0..<200])
    #expect(sink.window == 2)
    try subscriber.line(within: .seconds(60)) { $0.contains(#""seq":200,"#) }
    #expect(Set(sequences(subscriber.output)).count >= 40)
  }

  /// The broker keeps acknowledged messages: a subscriber that it knows receives them, even if both are slow.
  @Test func a_broker_killed_in_the_middle_loses_nothing() async throws {
    let limits = "allow_anonymous true\nmax_queued_messages 0"
    let python = try Tool.required("python3")
    let broker = try Mosquitto(limits, isPersistent: true, in: scratch)
    let script = TestData.projectRoot + "/Tests/Support/relay.py"
    let relay = try RunningProgram(python, [script, "\(broker.port)", "200000"], isFed: true)
    defer { relay.kill() }
    let port = try relay.line(within: .seconds(60)) { $0.hasPrefix("port ") }.text.dropFirst(5)
    var configuration = try configuration(try #require(Int(port)))
    configuration.batchPolicy.records = 1
    let (settings, folder) = (configuration, scratch.path)
    try await runBlocking {
      let first = try broker.subscriber("fleet/#", ["-q", "1", "-c"])
      defer { first.kill() }
      let wakeUp = try WakeUp()
      let slot = try SinkSlot(reportsTo: wakeUp)
      Thread.detachNewThread {
        slot.run(
          MQTTSink(settings, MQTTSink.GatewayFacts(gatewayId: "gw-17", statusId: "VAN-001", stateDirectory: folder)))
      }
      let all = Batches.telemetry(1...20_000)
      var batch = all
      slot.offer(&batch)
      // From here on, the sink receives no acknowledgement. Acknowledgements that it received earlier are for messages
      // that the broker stores now.
      try relay.line(within: .seconds(60)) { $0 == "held" }
      try broker.save()
      try broker.kill()
      relay.writeLine("release")
      let report = try Self.report(slot, wakeUp)
      let acknowledged = report.delivery.acknowledged.reduce(0) { $0 + $1.count }
      #expect((1..<20_000).contains(acknowledged))
      try broker.startAgain()
      // The new sink knows nothing about earlier messages.
      let second = try broker.subscriber("fleet/#", ["-q", "1"])
      defer { second.kill() }
      // The batch may not be due yet; offer it anyway.
      var rest = Batches.rest(of: all, without: report.delivery.acknowledged)
      let (sequences, restCount) = (rest.records.map(\.number.sequence), rest.records.count)
      var attempts = 0
      var done = 0
      while done < restCount, attempts < 50 {
        attempts += 1
        var offered = rest
        slot.offer(&offered)
        let delivery = try Self.report(slot, wakeUp).delivery
        done += delivery.acknowledged.reduce(0) { $0 + $1.count }
        rest = Batches.rest(of: rest, without: delivery.acknowledged)
      }
      #expect(done == restCount)
      // The last one arrives after all others.
      var last = Batches.telemetry(20_001...20_001)
      slot.offer(&last)
      #expect(try Self.report(slot, wakeUp).delivery.acknowledged == [0..<1])
      for subscriber in [first, second] {
        try subscriber.line(within: .seconds(120)) { $0.contains(#""seq":20001,"#) }
      }
      #expect(Set(Self.sequences(first.output)) == Set(1...20_001))
      #expect(Set(sequences).isSubset(of: Set(Self.sequences(second.output))))
      slot.stop()
    }
  }

  private static func sequences(_ lines: [RunningProgram.Line]) -> [UInt64] {
    lines.compactMap { line in
      guard let start = line.text.firstIndex(of: "{") else { return nil }
      return RecordLine.number(Array(line.text[start...].utf8)[...])?.sequence
    }
  }

  private struct Late: Error {}

  private static func report(_ slot: SinkSlot, _ wakeUp: WakeUp) throws -> SinkSlot.Report {
    let deadline = BootClock.now + 120_000_000_000
    while BootClock.now < deadline {
      while let report = slot.popReport() { if report.batch != nil { return report } }
      if wakeUp.wait(until: deadline) { wakeUp.clear() }
    }
    throw Late()
  }

  @Test func an_idle_broken_connection_is_reestablished() async throws {
    let broker = try Mosquitto(in: scratch)
    let (configuration, folder) = (try configuration(broker.port), scratch.path)
    try await runBlocking {
      let wakeUp = try WakeUp()
      let slot = try SinkSlot(reportsTo: wakeUp)
      Thread.detachNewThread {
        slot.run(
          MQTTSink(
            configuration, MQTTSink.GatewayFacts(gatewayId: "gw-17", statusId: "VAN-001", stateDirectory: folder)))
      }
      try broker.says("fleet/VAN-001/status")
      try broker.kill()
      try broker.startAgain()
      try broker.says("fleet/VAN-001/status")
      slot.stop()
    }
  }

  @Test func user_and_password_come_from_files() throws {
    try Tool.required("mosquitto_passwd")
    let passwords = scratch.file("passwords")
    #expect(try Tool.run("mosquitto_passwd", ["-c", "-b", passwords, "van", "right"]).status == 0)
    #expect(unsafe chmod(passwords, 0o644) == 0 && chmod(scratch.path, 0o755) == 0)
    let broker = try Mosquitto("allow_anonymous false\npassword_file \(passwords)", in: scratch)
    var configuration = try configuration(broker.port)
    configuration.userFile = try scratch.write("user", "van")
    configuration.passwordFile = try scratch.write("password", "wrong")
    for file in ["user", "password"] { #expect(unsafe chmod(scratch.file(file), 0o600) == 0) }
    var sink = sink(configuration)
    let wakeUp = try SinkWakeUp()
    let refused = sink.deliver(Batches.telemetry(1...3), wakeUp)
    #expect(refused.acknowledged.isEmpty)
    #expect(failure(refused)?.kind == .unauthorized)
    try scratch.write("password", "right")
    #expect(unsafe chmod(scratch.file("password"), 0o600) == 0)
    #expect(sink.deliver(Batches.telemetry(1...3), wakeUp).acknowledged == [0..<3])
  }

  @Test func tls_is_held_to_the_configured_authority_and_the_name() throws {
    let certificates = try Certificates()
    for (name, isRight) in [("localhost", true), ("other.example", false)] {
      let server = try certificates.make("broker", for: "DNS:\(name)")
      #expect(unsafe chmod(server.key, 0o644) == 0 && chmod(certificates.scratch.path, 0o755) == 0)
      let broker = try Mosquitto(
        tls: "certfile \(server.certificate)\nkeyfile \(server.key)", in: scratch)
      var configuration = try configuration(broker.port, "mqtts", "localhost")
      configuration.tls.authorities = certificates.authority
      var sink = sink(configuration)
      let delivery = sink.deliver(Batches.telemetry(1...3), try SinkWakeUp())
      #expect(delivery.acknowledged == (isRight ? [0..<3] : []))
      if isRight {
        configuration.tls.authorities = nil
        var trusting = self.sink(configuration)
        #expect(trusting.deliver(Batches.telemetry(1...3), try SinkWakeUp()).acknowledged.isEmpty)
      }
    }
  }

  @Test func an_unreachable_broker_is_reported_once() throws {
    let unused = try UnusedPort()
    var sink = sink(try configuration(unused.number))
    let wakeUp = try SinkWakeUp()
    let deliveries = (0..<3).map { _ in sink.deliver(Batches.telemetry(1...3), wakeUp) }
    #expect(deliveries.map { failure($0)?.kind } == [.unreachable, nil, nil])
    #expect(deliveries.allSatisfy { $0.sentNothing })
    #expect(deliveries.allSatisfy { $0.acknowledged.isEmpty && $0.notBefore > .min })
  }
}
