import FleetDomain
import Synchronization

/// Looks keys up in the storage, many with one call.
///
/// Keys that are known wait for keys that are known alone. Of all others each address has a line, and a call takes from the
/// lines in turn: however many keys an address tries, a key from elsewhere is in the next call, and a valid key from the same
/// address waits for as long as the storage takes to look up those before it, and is never refused for them.
final class KeyLookups: Sendable {
  /// Keys of one call.
  private static let most = 32

  private struct Lookup {
    let hash: SecretHash
    let answer: CheckedContinuation<Principal?, any Error>
  }

  /// One call at a time, and the lookups that wait for the next.
  private final class Lane: Sendable {
    let lookups = Mutex(Waiting())
  }

  private struct Waiting {
    var isBusy = false
    /// By address.
    var lines: [String: [Lookup]] = [:]
    /// Addresses that have a line, the next first.
    var turns: [String] = []

    /// - Returns: whether no call is under way, so that one must begin.
    mutating func add(_ lookup: Lookup, _ address: String) -> Bool {
      if lines[address] == nil { turns.append(address) }
      lines[address, default: []].append(lookup)
      defer { isBusy = true }
      return !isBusy
    }

    /// Takes one lookup of each line, and again, until a call is full. Nothing: the calls end.
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

  /// - Parameter stranger: the address that an unknown key comes from; `nil`: the key was somebody's a while ago.
  /// - Throws: what the storage throws.
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
