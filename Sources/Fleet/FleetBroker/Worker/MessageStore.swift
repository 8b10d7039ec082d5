import FleetDomain
import Synchronization
import Telemetry

/// Stores messages. All messages of a call are stored in one transaction. If the database rejects it, each message is
/// stored in a transaction of its own.
final class MessageStore: Sendable {
  /// The result of one message.
  struct Outcome: Equatable, Sendable {
    /// The number of refused records.
    var refused = 0
    /// The number of all records, including refused ones.
    var records = 0
    /// The reason of the first refusal; `nil` if no record was refused.
    var reason: String?
  }

  /// The results of one call of ``store(_:)``.
  struct Pass: Sendable {
    /// The outcome of each message; `nil` if the message is not stored yet and may be stored in a later attempt.
    var outcomes: [Outcome?]
    /// The reason why some messages are not stored; `nil` if all are stored.
    var failure: StorageError?
  }

  /// The number of failed attempts after which a message counts as faulty. An attempt counts only if other messages
  /// were stored in it.
  static let attempts = 5

  private let storage: any FleetStorage
  private let tenant: TenantID
  private let mayRefuse: Bool
  private let now: @Sendable () -> Timestamp
  private let onOutcomes: @Sendable (IngestCounts) -> Void
  /// For each message that the database rejected although it stored other messages: the number of failed attempts to
  /// store the message. The key is the ID of the message's first record.
  private let suspects = Mutex<[String: Int]>([:])

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - mayRefuse: whether a faulty message may be rejected, because the broker keeps it as a dead letter.
  ///   - onOutcomes: called with the results of the records of all messages that have an outcome.
  init(
    _ storage: any FleetStorage, tenant: TenantID, mayRefuse: Bool,
    onOutcomes: @escaping @Sendable (IngestCounts) -> Void, now: @escaping @Sendable () -> Timestamp
  ) {
    self.storage = storage
    self.tenant = tenant
    self.mayRefuse = mayRefuse
    self.onOutcomes = onOutcomes
    self.now = now
  }

  /// Stores as many messages as possible, and returns when they are durable.
  func store(_ group: [MessageReader.Read]) async -> Pass {
    do throws(StorageError) {
      return Pass(outcomes: outcomes(group, try await ingest(group)), failure: nil)
    } catch {
      guard error.kind == .system else { return Pass(outcomes: group.map { _ in nil }, failure: error) }
      return await storeEach(group)
    }
  }

  /// Checks that the storage works.
  func check() async throws(StorageError) { _ = try await storage.health() }

  private func ingest(_ group: [MessageReader.Read]) async throws(StorageError) -> [IngestOutcome] {
    let records = group.flatMap(\.records)
    guard !records.isEmpty else { return [] }
    return try await storage.ingest(records, from: .broker, tenant: tenant, at: now())
  }

  /// Returns the outcomes of committed messages, and counts their records.
  private func outcomes(_ group: [MessageReader.Read], _ stored: [IngestOutcome]) -> [Outcome] {
    var counts = IngestCounts(stored)
    counts.refused += group.reduce(0) { $0 + $1.refused }
    onOutcomes(counts)
    var rest = stored[...]
    return group.map { message in
      var outcome = Outcome(
        refused: message.refused, records: message.refused + message.records.count, reason: message.reason)
      for case .refused(let refusal) in rest.prefix(message.records.count) {
        outcome.refused += 1
        outcome.reason = outcome.reason ?? "\(refusal)"
      }
      rest = rest.dropFirst(message.records.count)
      return outcome
    }
  }

  /// Stores each message in its own transaction, so that a faulty message does not affect other messages. A failed
  /// attempt counts as the message's fault only if the database stores another message in the same pass.
  private func storeEach(_ group: [MessageReader.Read]) async -> Pass {
    var pass = Pass(outcomes: group.map { _ in nil }, failure: nil)
    var refused: [(index: Int, error: StorageError)] = []
    var takesOthers = false
    for (index, message) in group.enumerated() {
      do throws(StorageError) {
        let stored = try await ingest([message])
        // Duplicates do not show that the database stores records: they are accepted even if the disk is full.
        if stored.contains(.stored) { takesOthers = true }
        pass.outcomes[index] = outcomes([message], stored).first
      } catch {
        pass.failure = error
        guard error.kind == .system else { return pass }
        refused.append((index, error))
      }
    }
    guard takesOthers, mayRefuse else { return pass }
    for (index, error) in refused where isAtFault(group[index]) {
      let count = group[index].records.count + group[index].refused
      var counts = IngestCounts()
      counts.refused = count
      onOutcomes(counts)
      pass.outcomes[index] = Outcome(refused: count, records: count, reason: "the database refuses it: \(error)")
    }
    if !pass.outcomes.contains(nil) { pass.failure = nil }
    return pass
  }

  private func isAtFault(_ message: MessageReader.Read) -> Bool {
    guard let first = message.records.first else { return false }
    let id = "\(first.id.high)-\(first.id.low)"
    return suspects.withLock { suspects in
      if suspects.count > 1_000 { suspects.removeAll() }
      suspects[id, default: 0] += 1
      guard suspects[id, default: 0] >= Self.attempts else { return false }
      suspects[id] = nil
      return true
    }
  }
}
