import FleetBroker
import Glibc
import TestKit
import Testing

/// Workers with a shared subscription of mosquitto.
@Suite struct MQTTWorkerTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test func two_workers_share_what_gateways_publish() async throws {
    let broker = try Mosquitto(in: scratch)
    let one = try BrokerBench(mqtt: broker.port, clientId: "worker-1")
    let two = try BrokerBench(mqtt: broker.port, clientId: "worker-2")
    try await Store.with { store in
      try await one.running(store) { first in
        try await runBlocking { try broker.says("Sending SUBACK to worker-1") }
        try await two.running(store) { second in
          try await runBlocking { try broker.says("Sending SUBACK to worker-2") }
          try await one.publish(vehicle: "VAN-001", 1...2_000, records: 10)
          try await one.until(first, second) { $0.map(\.committed).reduce(0, +) == 200 }
          #expect(first.counts.committed > 0 && second.counts.committed > 0)
          #expect(try await store.numbers("VAN-001") == Array(1...2_000))
        }
      }
    }
  }

  @Test func tls_is_held_to_the_configured_authority_and_the_name() async throws {
    let certificates = try Certificates()
    let server = try certificates.make("broker", for: "DNS:localhost")
    #expect(unsafe chmod(server.key, 0o644) == 0 && chmod(certificates.scratch.path, 0o755) == 0)
    let plain = try ReservedPort()
    let broker = try Mosquitto(
      "allow_anonymous true\nlistener \(plain.number) 127.0.0.1",
      tls: "certfile \(server.certificate)\nkeyfile \(server.key)", in: scratch)
    var bench = try BrokerBench(mqtt: Int(plain.number), clientId: "worker")
    bench.options.addresses = try [bench.secure("mqtts", "localhost", broker.port)]
    bench.options.tls.authorities = certificates.authority
    try await Store.with { store in
      try await bench.running(store) { worker in
        try await runBlocking { try broker.says("Sending SUBACK to worker") }
        try await bench.publish(vehicle: "VAN-001", 1...10)
        try await bench.until(worker) { $0.committed == 1 }
        #expect(try await store.numbers("VAN-001") == Array(1...10))
      }
      for (host, authority) in [("127.0.0.1", certificates.authority), ("localhost", nil)] {
        bench.options.addresses = try [bench.secure("mqtts", host, broker.port)]
        bench.options.tls.authorities = authority
        try await bench.refused(store)
      }
    }
  }

  @Test func a_missing_tls_file_is_named() async throws {
    var bench = try BrokerBench(mqtt: 1, clientId: "worker")
    bench.options.addresses = try [bench.secure("mqtts", "localhost", 1)]
    bench.options.tls.authorities = scratch.file("gone.pem")
    try await Store.with { store in
      try await bench.refused(store)
      #expect(bench.lines.all.contains { $0.contains("gone.pem") }, "\(bench.lines.all)")
    }
  }

  @Test func uncommitted_messages_are_not_acknowledged_and_are_redelivered() async throws {
    let broker = try Mosquitto(in: scratch)
    let bench = try BrokerBench(mqtt: broker.port, clientId: "worker")
    try await Store.with { store in
      // Another connection has locked the file: no commit is possible.
      let lock = try await store.locked()
      try await bench.running(store) { worker in
        try await runBlocking { try broker.says("Sending SUBACK to worker") }
        for number in 1...5 {
          try await bench.publish("fleet/VAN-001/telemetry", PublishedBatches.line(number, vehicle: "VAN-001"))
        }
        try await bench.until(worker) { $0.consumed > 0 }
        #expect(worker.counts.committed == 0)
      }
      // The worker was stopped meanwhile. A DISCONNECT would have sent the acknowledgements too.
      #expect(!broker.said.contains { $0.contains("Received PUBACK from worker") })
      lock.kill()
      try await bench.running(store) { worker in
        try await bench.until(worker) { $0.committed >= 5 }
        #expect(try await store.numbers("VAN-001") == Array(1...5))
      }
      try await runBlocking { try broker.says("Received PUBACK from worker") }
    }
  }

  @Test func every_rejected_message_is_in_the_log_without_a_further_one() async throws {
    let broker = try Mosquitto(in: scratch)
    let bench = try BrokerBench(mqtt: broker.port, clientId: "worker")
    /// Returns the number of messages that log lines report: each line names one message and counts others.
    func logged() -> Int {
      bench.lines.all.filter { $0.contains("records refused") }.reduce(0) { sum, line in
        sum + 1 + (line.firstMatch(of: /([0-9]+) more message/).flatMap { Int($0.1) } ?? 0)
      }
    }
    try await Store.with { store in
      try await bench.running(store) { worker in
        try await runBlocking { try broker.says("Sending SUBACK to worker") }
        // All messages come over one connection, within one second of the first line.
        let lines = (1...20).map { String(decoding: PublishedBatches.line($0, vehicle: "VAN-002"), as: UTF8.self) }
        try await bench.publish("fleet/VAN-001/telemetry", eachOf: Array(lines.joined().utf8))
        try await bench.until(worker) { $0.refused == 20 && logged() == 20 }
      }
    }
  }

  @Test func the_broker_keeps_records_published_while_the_worker_is_away() async throws {
    let broker = try Mosquitto(in: scratch)
    let bench = try BrokerBench(mqtt: broker.port, clientId: "worker")
    try await Store.with { store in
      try await bench.running(store) { _ in try await runBlocking { try broker.says("Sending SUBACK to worker") } }
      try await bench.publish(vehicle: "VAN-001", 1...30, records: 1)
      try await bench.running(store) { worker in
        try await bench.until(worker) { $0.committed == 30 }
        #expect(try await store.numbers("VAN-001") == Array(1...30))
      }
    }
  }

  @Test func a_rejected_message_is_logged_and_not_redelivered() async throws {
    let broker = try Mosquitto(in: scratch)
    let bench = try BrokerBench(mqtt: broker.port, clientId: "worker")
    try await Store.with { store in
      try await bench.running(store) { worker in
        try await runBlocking { try broker.says("Sending SUBACK to worker") }
        try await bench.publish("fleet/VAN-001/telemetry", PublishedBatches.line(1, vehicle: "VAN-002"))
        try await bench.until(worker) { $0.refused == 1 }
        #expect(
          bench.lines.all.contains { $0.contains("\"fleet/VAN-001/telemetry\": 1 of 1 records refused: vehicleId") })
      }
      try await bench.running(store) { worker in
        try await bench.publish(vehicle: "VAN-001", 1...1)
        try await bench.until(worker) { $0.committed == 1 }
        #expect(worker.counts.refused == 0)
      }
    }
  }

  @Test func a_message_that_is_too_long_is_refused_and_those_behind_it_are_stored() async throws {
    let broker = try Mosquitto(in: scratch)
    var settings = try BrokerBench(mqtt: broker.port, clientId: "worker")
    settings.options.messageBytes = 4_000
    // The limit is less than a message, so messages are read one at a time.
    settings.options.prefetchBytes = 1
    let bench = settings
    try await Store.with { store in
      try await bench.running(store) { worker in
        try await runBlocking { try broker.says("Sending SUBACK to worker") }
        try await bench.publish("fleet/VAN-001/telemetry", [UInt8](repeating: 0x20, count: 200_000))
        try await bench.publish(vehicle: "VAN-001", 1...20, records: 1)
        try await bench.until(worker) { $0.refused == 1 && $0.committed == 20 }
        #expect(try await store.numbers("VAN-001") == Array(1...20))
        #expect(bench.lines.all.contains { $0.contains("200000 bytes are too many") })
      }
    }
  }

  @Test func a_broker_without_redelivery_is_not_used() async throws {
    let broker = try Mosquitto("allow_anonymous true\nmax_qos 0", in: scratch)
    let bench = try BrokerBench(mqtt: broker.port, clientId: "worker")
    try await Store.with { store in
      let worker = try bench.worker(store)
      let task = Task { try await worker.run() }
      while !bench.lines.all.contains(where: { $0.contains("QoS 0") }) { try await Task.sleep(for: .milliseconds(10)) }
      task.cancel()
      try await task.value
    }
  }
}
