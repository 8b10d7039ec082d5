import FleetDomain
import Synchronization
import TestKit
import Testing

@testable import FleetBroker

/// Messages that the database does not store: a trigger rejects selected ones, as a damaged index or disk could.
@Suite struct MessageStoreTests {
  private func read(_ number: Int, _ vehicle: String, besides more: [UInt8] = []) -> MessageReader.Read {
    MessageReader(topic: "fleet", separator: "/", maximumRecords: 9).read(
      ConsumedMessage(
        tag: UInt64(number), topic: "fleet/\(vehicle)/telemetry",
        payload: PublishedBatches.line(number, vehicle: vehicle) + more, isRedelivered: false, oversize: nil))
  }

  private func messageStore(
    _ store: Store, mayRefuse: Bool = true, onOutcomes: @escaping @Sendable (IngestCounts) -> Void = { _ in }
  ) -> MessageStore {
    MessageStore(store.storage, tenant: .standard, mayRefuse: mayRefuse, onOutcomes: onOutcomes) { BrokerBench.now }
  }

  @Test func reports_the_number_of_records_that_are_stored_known_and_refused() async throws {
    try await Store.with { store in
      let sum = Mutex(IngestCounts())
      let messages = messageStore(store) { more in sum.withLock { $0 += more } }
      // The vehicle of the second record is not the topic's, and the third is not JSON.
      let foreign = PublishedBatches.line(2, vehicle: "VAN-002") + Array("x\n".utf8)
      _ = await messages.store([read(1, "VAN-001", besides: foreign), read(1, "VAN-001"), read(3, "VAN-001")])
      var expected = IngestCounts()
      (expected.stored, expected.duplicates, expected.refused) = (2, 1, 2)
      #expect(sum.withLock { $0 } == expected)
      // An attempt that fails counts no records. The last attempt counts the message as refused; the records of the
      // other messages are counted.
      try await store.refuse("CAST(NEW.body AS TEXT) LIKE '%\"rpm\":13}%'")
      for attempt in 1...MessageStore.attempts {
        _ = await messages.store([read(100 + attempt, "VAN-001"), read(13, "VAN-001")])
      }
      expected.stored += MessageStore.attempts
      expected.refused += 1
      #expect(sum.withLock { $0 } == expected)
    }
  }

  @Test func a_failure_of_the_database_is_not_blamed_on_a_message() async throws {
    try await Store.with { store in
      let messages = messageStore(store)
      let group = (1...3).map { read($0, "VAN-001") }
      try await store.refuse("true")
      for _ in 0...(2 * MessageStore.attempts) {
        let pass = await messages.store(group)
        #expect(pass.outcomes == [nil, nil, nil] && pass.failure?.kind == .system)
      }
      try await store.refuse(nil)
      let pass = await messages.store(group)
      #expect(pass.outcomes.allSatisfy { $0?.refused == 0 } && pass.failure == nil)
      #expect(try await store.numbers("VAN-001") == [1, 2, 3])
    }
  }

  @Test func a_repeatedly_failing_message_is_rejected_and_the_others_are_stored_at_once() async throws {
    try await Store.with { store in
      let messages = messageStore(store)
      try await store.refuse("CAST(NEW.body AS TEXT) LIKE '%\"rpm\":13}%'")
      for attempt in 1...MessageStore.attempts {
        // The message that fails is followed by others.
        let pass = await messages.store([
          read(100 + attempt, "VAN-001"), read(13, "VAN-001"), read(200 + attempt, "VAN-002"),
        ])
        #expect(pass.outcomes[0]?.refused == 0 && pass.outcomes[2]?.refused == 0)
        let isLast = attempt == MessageStore.attempts
        #expect(pass.outcomes[1]?.refused == (isLast ? 1 : nil) && (pass.failure == nil) == isLast)
      }
      #expect(try await store.numbers("VAN-002") == Array(201...200 + MessageStore.attempts))
    }
  }

  @Test func duplicate_messages_do_not_prove_that_the_database_works() async throws {
    try await Store.with { store in
      let messages = messageStore(store)
      _ = await messages.store([read(1, "VAN-001")])
      try await store.refuse("true")
      for _ in 0...(2 * MessageStore.attempts) {
        let pass = await messages.store([read(1, "VAN-001"), read(2, "VAN-001")])
        #expect(pass.outcomes[1] == nil)
      }
    }
  }

  @Test func a_message_is_not_rejected_if_the_broker_has_no_dead_letter_queue() async throws {
    try await Store.with { store in
      let messages = messageStore(store, mayRefuse: false)
      try await store.refuse("CAST(NEW.body AS TEXT) LIKE '%\"rpm\":13}%'")
      for attempt in 1...(2 * MessageStore.attempts) {
        let pass = await messages.store([read(13, "VAN-001"), read(100 + attempt, "VAN-001")])
        #expect(pass.outcomes[0] == nil && pass.outcomes[1]?.refused == 0)
      }
    }
  }
}
