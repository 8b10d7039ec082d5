import FleetDomain
import Synchronization

/// Looks up the owners of keys in the storage, several keys in each call.
///
/// There are two lanes: one for keys that were valid recently, and one for all other keys. In the second lane, each
/// client address has its own queue, and each call takes keys from these queues in rotation. So a key from one address
/// is part of the next call, even if another address tries many keys. A valid key waits only for keys that its own
/// address sent before it, and is never rejected.
final class KeyLookups: Sendable {
  /// The maximum number of keys in one call of the storage.
  private static let most = 32

  private struct Lookup {
    let hash: SecretHash
    let answer: CheckedContinuation<Principal?, any Error>
  }

  /// One of the two lanes. Each lane has at most one call of the storage in progress. Look-ups that arrive during this
  /// call wait for the lane's next call.
  private final class Lane: Sendable {
    let lookups = Mutex(Waiting())
  }

  private struct Waiting {
    var isBusy = false
    /// The waiting look-ups of each address.
    var lines: [String: [Lookup]] = [:]
    /// Addresses with waiting look-ups, in the order in which they are served.
    var turns: [String] = []

    /// Adds a look-up.
    ///
    /// - Returns: whether the caller must begin a call of the storage, because none is in progress.
    mutating func add(_ lookup: Lookup, _ address: String) -> Bool {
      if lines[address] == nil { turns.append(address) }
      lines[address, default: []].append(lookup)
      defer { isBusy = true }
      return !isBusy
    }

    /// Removes look-ups from the queues in rotation, as many as fit into one call of the storage, and returns them.
    /// Returns an empty array if no look-up is waiting.
    mutating func next() -> [Lookup] {
      var taken: [Lookup] = []
      while taken.count < KeyLookups.most, !turns.isEmpty {
        let address = turns.removeFirst()
        guard let first = lines[address]?.removeFirst() else { continue }
        taken.append(first)
        if lines[address]?.isEmpty ?? true {
          lines[address] = nil
        } else {
          turns.append(address)
        }
      }
      isBusy = !taken.isEmpty
      return taken
    }
  }

  private let storage: any FleetStorage
  private let known = Lane()
  private let strangers = Lane()

  init(storage: any FleetStorage) { self.storage = storage }

  /// Looks up the owner of a key.
  ///
  /// - Parameter stranger: the client's address, if it is unknown whether the key is valid; `nil` if the key was valid
  ///   recently.
  /// - Throws: errors of the storage.
  func principal(_ hash: SecretHash, stranger: String?) async throws -> Principal? {
    let lane = stranger == nil ? known : strangers
    return try await withCheckedThrowingContinuation { continuation in
      let lookup = Lookup(hash: hash, answer: continuation)
      if lane.lookups.withLock({ $0.add(lookup, stranger ?? "") }) { Task { await self.run(lane) } }
    }
  }

  private func run(_ lane: Lane) async {
    while true {
      let lookups = lane.lookups.withLock { $0.next() }
      guard !lookups.isEmpty else { return }
      do {
        let found = try await storage.principals(Array(Set(lookups.map(\.hash))))
        for lookup in lookups { lookup.answer.resume(returning: found[lookup.hash]) }
      } catch {
        for lookup in lookups { lookup.answer.resume(throwing: error) }
      }
    }
  }
}
