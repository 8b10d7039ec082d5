import FleetDomain
import Synchronization
import Telemetry

/// Puts messages into the store: those of one call in one transaction, or, where the database refuses that, each in one
/// of its own.
final class MessageStore: Sendable {
  /// What became of one message.
  struct Outcome: Equatable, Sendable {
    /// Records that are refused, of how many, and the first reason.
    var refused = 0
    var records = 0
    var reason: String?
  }

  /// What one call has brought.
  struct Pass: Sendable {
    /// Of each message; nil: it is not stored, and the same again later may do it.
    var outcomes: [Outcome?]
    /// Why some are not stored.
    var failure: StorageError?
  }

  /// So often a message may fail beside others that are stored, before it is thought to be at fault.
  static let attempts = 5

  private let storage: any FleetStorage
  private let tenant: TenantID
  private let mayRefuse: Bool
  private let now: @Sendable () -> Timestamp
  /// Messages that the database refused while it took others, by their first record: how often.
  private let suspects = Mutex<[String: Int]>([:])

  /// - Parameter mayRefuse: whether a message that the database refuses may be given up: it is kept somewhere then.
  init(
    _ storage: any FleetStorage, tenant: TenantID, mayRefuse: Bool, now: @escaping @Sendable () -> Timestamp
  ) {
    self.storage = storage
    self.tenant = tenant
    self.mayRefuse = mayRefuse
    self.now = now
  }

  /// Stores what can be of all messages, and is done when that is durable.
  func store(_ group: [MessageReader.Read]) async -> Pass {
    do throws(StorageError) {
      return Pass(outcomes: Self.outcomes(group, try await ingest(group)), failure: nil)
    } catch {
      guard error.kind == .system else { return Pass(outcomes: group.map { _ in nil }, failure: error) }
      return await storeEach(group)
    }
  }

  /// Whether the storage works.
  func check() async throws(StorageError) { _ = try await storage.health() }

  private func ingest(_ group: [MessageReader.Read]) async throws(StorageError) -> [IngestOutcome] {
    let records = group.flatMap(\.records)
    guard !records.isEmpty else { return [] }
    return try await storage.ingest(records, from: .broker, tenant: tenant, at: now())
  }

  private static func outcomes(_ group: [MessageReader.Read], _ stored: [IngestOutcome]) -> [Outcome] {
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

  /// What one message has against it must not cost the others. Who is at fault, the message or the database, shows where
  /// the database takes another one: where it takes none, no message is.
  private func storeEach(_ group: [MessageReader.Read]) async -> Pass {
    var pass = Pass(outcomes: group.map { _ in nil }, failure: nil)
    var refused: [(index: Int, error: StorageError)] = []
    var takesOthers = false
    for (index, message) in group.enumerated() {
      do throws(StorageError) {
        let stored = try await ingest([message])
        // What was there already needs no room on a disk.
        if stored.contains(.stored) { takesOthers = true }
        pass.outcomes[index] = Self.outcomes([message], stored).first
      } catch {
        pass.failure = error
        guard error.kind == .system else { return pass }
        refused.append((index, error))
      }
    }
    guard takesOthers, mayRefuse else { return pass }
    for (index, error) in refused where isAtFault(group[index]) {
      let count = group[index].records.count + group[index].refused
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
