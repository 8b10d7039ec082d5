import FleetBroker
import TestKit
import Testing

/// A worker with one RabbitMQ node, whose MQTT plugin receives messages of obdgated's sink.
@Suite struct AMQPWorkerTests {
  private func bench() async throws -> (RabbitMQ, BrokerBench) {
    let rabbit = try await runBlocking({ try RabbitMQ.shared })
    return (rabbit, try BrokerBench(amqp: rabbit))
  }

  /// Waits until a queue has this number of messages. RabbitMQ updates its counts only from time to time.
  private func has(_ count: Int, in queue: String, _ rabbit: RabbitMQ) async throws -> Bool {
    try await runBlocking {
      let deadline = ContinuousClock.now + .seconds(180)
      while ContinuousClock.now < deadline {
        let lines = try rabbit.control(["list_queues", "name", "messages"])
        if lines.contains("\(queue)\t\(count)") { return true }
      }
      return false
    }
  }

  @Test func published_records_are_stored_and_removed_from_the_queue() async throws {
    let (rabbit, bench) = try await bench()
    try await Store.with { store in
      try await bench.running(store) { worker in
        try await bench.publish(vehicle: "VAN-001", 1...250)
        try await bench.publish(vehicle: "VAN-002", 1...50)
        try await bench.until(worker) { $0.committed >= 4 }
        #expect(try await store.numbers("VAN-001") == Array(1...250))
        #expect(try await store.numbers("VAN-002") == Array(1...50))
        // "online" and "offline" are messages without records.
        try await bench.until(worker) { $0.ignored == 4 }
        #expect(worker.counts.refused == 0 && worker.counts.waiting == 0)
      }
      #expect(try await has(0, in: bench.options.queue, rabbit))
      #expect(try await has(0, in: bench.options.queue + ".refused", rabbit))
    }
  }

  @Test func tls_is_held_to_the_configured_authority_and_the_name() async throws {
    let (rabbit, found) = try await bench()
    var bench = found
    bench.options.addresses = try [bench.secure("amqps", "localhost", rabbit.nodes[0].tlsPort)]
    bench.options.tls.authorities = rabbit.certificates.authority
    let own = try rabbit.certificates.make("worker", for: "DNS:worker")
    (bench.options.tls.certificate, bench.options.tls.key) = own
    try await Store.with { store in
      try await bench.running(store) { worker in
        try await bench.publish(vehicle: "VAN-001", 1...10)
        try await bench.until(worker) { $0.committed == 1 }
        #expect(try await store.numbers("VAN-001") == Array(1...10))
      }
      // The certificate is for another name, and no authority was configured for it.
      for (host, authority) in [("127.0.0.1", rabbit.certificates.authority), ("localhost", nil)] {
        bench.options.addresses = try [bench.secure("amqps", host, rabbit.nodes[0].tlsPort)]
        bench.options.tls.authorities = authority
        try await bench.refused(store)
      }
    }
  }

  @Test func a_local_rabbitmq_is_used_as_guest_without_a_configured_user() async throws {
    let (rabbit, found) = try await bench()
    var bench = found
    bench.options.addresses = [try #require(BrokerAddress("amqp://127.0.0.1:\(rabbit.nodes[0].port)"))]
    bench.options.password = nil
    try await Store.with { store in
      try await bench.running(store) { worker in
        try await bench.publish(vehicle: "VAN-001", 1...10)
        try await bench.until(worker) { $0.committed >= 1 }
      }
    }
  }

  @Test func records_published_without_a_worker_wait_in_the_queue() async throws {
    let (_, bench) = try await bench()
    try await Store.with { store in
      try await bench.running(store) { _ in }
      try await bench.publish(vehicle: "VAN-001", 1...120, records: 10)
      try await bench.running(store) { worker in
        try await bench.until(worker) { $0.committed == 12 }
        #expect(try await store.numbers("VAN-001") == Array(1...120))
      }
    }
  }

  @Test func rejected_records_go_to_a_separate_queue_and_all_others_are_stored() async throws {
    let (rabbit, bench) = try await bench()
    var settings = bench
    settings.options.messageBytes = 4_000
    let small = settings
    try await Store.with { store in
      try await small.running(store) { worker in
        let topic = small.options.topic
        try await small.publish("\(topic)/VAN-001/telemetry", Array("not JSON at all".utf8))
        try await small.publish("\(topic)/VAN-001/telemetry", [])
        try await small.publish("\(topic)/VAN-001/telemetry", [UInt8](repeating: 0x20, count: 200_000))
        try await small.publish("\(topic)", PublishedBatches.line(1, vehicle: "VAN-001"))
        // Half of the records name another vehicle than the topic.
        try await small.publish(
          "\(topic)/VAN-001/telemetry",
          PublishedBatches.line(2, vehicle: "VAN-001") + PublishedBatches.line(3, vehicle: "VAN-002"))
        try await small.publish(vehicle: "VAN-001", 4...9)
        try await small.until(worker) { $0.refused == 5 && $0.committed == 1 }
        #expect(worker.counts.redelivered == 0)
        #expect(try await store.numbers("VAN-001") == [2, 4, 5, 6, 7, 8, 9])
        #expect(try await store.numbers("VAN-002").isEmpty)
      }
      #expect(try await has(0, in: small.options.queue, rabbit))
      #expect(try await has(5, in: small.options.queue + ".refused", rabbit))
      #expect(small.lines.all.contains { $0.contains("warning") && $0.contains("\(small.options.queue).refused") })
    }
  }

  @Test func messages_stay_with_the_worker_while_the_storage_fails() async throws {
    let (rabbit, bench) = try await bench()
    try await Store.with { store in
      try await bench.running(store) { worker in
        try await store.refuse("true")
        try await bench.publish(vehicle: "VAN-001", 1...40, records: 10)
        try await bench.until(worker) { $0.consumed >= 4 && $0.waiting == 4 }
        while !bench.lines.all.contains(where: { $0.contains("trying again") }) {
          try await Task.sleep(for: .milliseconds(10))
        }
        #expect(worker.counts.isConnected)
        try await store.refuse(nil)
        try await bench.until(worker) { $0.committed == 4 }
        #expect(worker.counts.redelivered == 0 && worker.counts.refused == 0)
        #expect(try await store.numbers("VAN-001") == Array(1...40))
      }
      #expect(try await has(0, in: bench.options.queue, rabbit))
    }
  }

  @Test func a_message_that_alone_fails_holds_up_no_other_and_is_kept_in_the_queue_of_refused_ones() async throws {
    let (rabbit, bench) = try await bench()
    try await Store.with { store in
      try await bench.running(store) { worker in
        try await store.refuse("CAST(NEW.body AS TEXT) LIKE '%\"rpm\":13}%'")
        try await bench.publish(vehicle: "VAN-001", 13...13)
        var number = 100
        while worker.counts.refused == 0 {
          try await bench.publish(
            "\(bench.options.topic)/VAN-001/telemetry", PublishedBatches.line(number, vehicle: "VAN-001"))
          number += 1
        }
        try await bench.until(worker) { $0.committed == number - 100 }
        #expect(try await store.numbers("VAN-001") == Array(100..<number))
        #expect(worker.counts.redelivered == 0)
      }
      #expect(try await has(0, in: bench.options.queue, rabbit))
      #expect(try await has(1, in: bench.options.queue + ".refused", rabbit))
    }
  }

  @Test func a_vehicle_id_with_a_dot_is_not_split() async throws {
    let (_, bench) = try await bench()
    try await Store.with { store in
      try await bench.running(store) { worker in
        try await bench.publish(vehicle: "VAN.1", 1...3)
        try await bench.until(worker) { $0.committed == 1 }
        #expect(try await store.numbers("VAN.1") == [1, 2, 3])
        try await bench.publish("\(bench.options.topic)/VAN.1/telemetry", PublishedBatches.line(4, vehicle: "VAN"))
        try await bench.until(worker) { $0.refused == 1 }
      }
    }
  }

  @Test func two_workers_share_one_queue() async throws {
    let (_, bench) = try await bench()
    try await Store.with { store in
      try await bench.running(store) { first in
        try await bench.running(store) { second in
          try await bench.publish(vehicle: "VAN-001", 1...2_000, records: 5)
          try await bench.until(first, second) { $0.map(\.committed).reduce(0, +) == 400 }
          #expect(first.counts.committed > 0 && second.counts.committed > 0)
          #expect(try await store.numbers("VAN-001") == Array(1...2_000))
        }
      }
    }
  }

  @Test func a_wrong_password_is_reported_and_retried() async throws {
    let (_, bench) = try await bench()
    var settings = bench
    settings.options.password = "wrong"
    let wrong = settings
    try await Store.with { store in
      let worker = try wrong.worker(store)
      let task = Task { try await worker.run() }
      while wrong.lines.all.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
      task.cancel()
      try await task.value
      #expect(wrong.lines.all.count == 1 && wrong.lines.all[0].contains("ACCESS_REFUSED"), "\(wrong.lines.all)")
      #expect(!wrong.lines.all[0].contains("wrong"))
    }
  }
}
