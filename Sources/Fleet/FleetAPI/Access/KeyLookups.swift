import FleetDomain
import Synchronization

/// Looks up keys in the storage, many with one call.
///
/// Keys that were known recently wait only for other known keys. All other keys wait in one queue for each address,
/// and a call takes keys from the queues in turn. However many keys an address tries, a key from another address is
/// in the next call. A valid key from the same address waits until those before it are looked up, and is never
/// refused.
final class KeyLookups: Sendable {
  /// The maximum number of keys in one call.
  private static let most = 32

  private struct Lookup {
    let hash: SecretHash
    let answer: CheckedContinuation<Principal?, any Error>
  }

  /// A lane makes one call at a time; look-ups that wait belong to the next one.
  private final class Lane: Sendable {
    let lookups = Mutex(Waiting())
  }

  private struct Waiting {
    var isBusy = false
    /// The look-ups that wait, by address.
    var lines: [String: [Lookup]] = [:]
    /// Addresses with a queue, in the order of their turns.
    var turns: [String] = []

    /// - Returns: whether a call must begin, because none is in progress.
    mutating func add(_ lookup: Lookup, _ address: String) -> Bool {
      if lines[address] == nil { turns.append(address) }
      lines[address, default: []].append(lookup)
      defer { isBusy = true }
      return !isBusy
    }

    /// Takes one look-up from each queue in turn until a call is full. Empty if nothing waits.
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

  /// - Parameter stranger: the address that an unknown key comes from; `nil` if the key was known recently.
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
