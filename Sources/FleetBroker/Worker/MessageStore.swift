import FleetDomain
import Synchronization
import Telemetry

/// Puts messages into the store: those of one call in one transaction.
final class MessageStore: Sendable {
  /// What became of one message.
  struct Outcome: Equatable, Sendable {
    /// Records that are refused, of how many, and the first reason.
    var refused = 0
    var records = 0
    var reason: String?
  }

  /// So often a message may fail by itself, while others do not, before it is thought to be at fault.
  static let attempts = 5

  private let storage: any FleetStorage
  private let tenant: TenantID
  private let now: @Sendable () -> Timestamp
  /// Messages that the database refused by themselves, by their first record: how often.
  private let suspects = Mutex<[String: Int]>([:])

  init(_ storage: any FleetStorage, tenant: TenantID, now: @escaping @Sendable () -> Timestamp) {
    self.storage = storage
    self.tenant = tenant
    self.now = now
  }

  /// Stores what can be of all messages, and is done when that is durable.
  ///
  /// - Throws: what the storage says where nothing can be stored now: the same again later may do it.
  func store(_ group: [MessageReader.Read]) async throws(StorageError) -> [Outcome] {
    do throws(StorageError) {
      return Self.outcomes(group, try await ingest(group))
    } catch {
      guard error.kind == .system else { throw error }
      return try await storeEach(group)
    }
  }

  /// Whether the storage works.
  func check() async throws(StorageError) { _ = try await storage.health() }

  private func ingest(_ group: [MessageReader.Read]) async throws(StorageError) -> [IngestOutcome] {
    let records = group.flatMap(\.records)
    guard !records.isEmpty else { return [] }
    // The broker has checked its clients itself.
    return try await storage.ingest(records, from: .trusted, tenant: tenant, at: now())
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

  /// What one message has against it must not cost the others. Who is at fault, the message or the database, shows with
  /// time alone.
  private func storeEach(_ group: [MessageReader.Read]) async throws(StorageError) -> [Outcome] {
    var outcomes: [Outcome] = []
    for message in group {
      do throws(StorageError) {
        outcomes += Self.outcomes([message], try await ingest([message]))
      } catch {
        guard error.kind == .system, let id = message.records.first?.id, isAtFault("\(id.high)-\(id.low)") else {
          throw error
        }
        let count = message.records.count + message.refused
        outcomes.append(Outcome(refused: count, records: count, reason: "the database refuses it: \(error)"))
      }
    }
    return outcomes
  }

  private func isAtFault(_ id: String) -> Bool {
    suspects.withLock { suspects in
      if suspects.count > 1_000 { suspects.removeAll() }
      suspects[id, default: 0] += 1
      guard suspects[id, default: 0] >= Self.attempts else { return false }
      suspects[id] = nil
      return true
    }
  }
}
