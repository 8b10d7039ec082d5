import FleetDomain
import Synchronization

/// Looks up keys in the storage, many with one call.
///
/// There are two lanes: one for keys that were known recently, one for all others. In the second lane, each address has
/// a queue, and a call takes keys from the queues in rotation. Therefore, a key from another address is in the next
/// call, no matter how many keys an address tries. A valid key from the same address waits for the keys before it, and
/// is never rejected.
final class KeyLookups: Sendable {
  /// The maximum number of keys in one call.
  private static let most = 32

  private struct Lookup {
    let hash: SecretHash
    let answer: CheckedContinuation<Principal?, any Error>
  }

  /// A lane makes one call at a time. Look-ups that arrive meanwhile are part of the next call.
  private final class Lane: Sendable {
    let lookups = Mutex(Waiting())
  }

  private struct Waiting {
    var isBusy = false
    /// The look-ups that wait, by address.
    var lines: [String: [Lookup]] = [:]
    /// Addresses with a queue, in the order of rotation.
    var turns: [String] = []

    /// - Returns: whether a call must begin, because none is in progress.
    mutating func add(_ lookup: Lookup, _ address: String) -> Bool {
      if lines[address] == nil { turns.append(address) }
      lines[address, default: []].append(lookup)
      defer { isBusy = true }
      return !isBusy
    }

    /// Takes look-ups from the queues in rotation until a call is full. Returns an empty array if there are none.
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

  /// Looks up a key.
  ///
  /// - Parameter stranger: the client's address if the key is unknown so far; `nil` if the key was known recently.
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
