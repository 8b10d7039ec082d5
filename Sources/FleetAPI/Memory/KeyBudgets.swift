import FleetDomain
import Synchronization

/// What one key may hold of the server's memory: half of it, so that whoever has one cannot keep all others out. A
/// budget of its own for each key that holds something.
final class KeyBudgets: Sendable {
  private struct Entry {
    weak var budget: Budget?
  }

  private let bytes: Int
  private let entries = Mutex<[SecretHash: Entry]>([:])

  /// - Parameter bytes: of the whole server; above 0.
  init(_ bytes: Int) { self.bytes = max(bytes / 2, 1) }

  /// A share of nothing, which grows; the key's budget lives for as long as anybody has one.
  func share(of key: SecretHash) -> Budget.Share {
    entries.withLock { entries in
      if let budget = entries[key]?.budget { return budget.share() }
      // Most of the time few keys are in use: what is left of the others goes before they are many.
      if entries.count >= 1_024 { entries = entries.filter { $0.value.budget != nil } }
      let budget = Budget.memory(bytes)
      entries[key] = Entry(budget: budget)
      return budget.share()
    }
  }
}

/// What a request holds: a part of its key's memory, and as much of the server's.
final class RequestMemory: Sendable {
  private let server: Budget.Share
  private let key: Mutex<Budget.Share?>

  init(_ server: Budget.Share) {
    self.server = server
    key = Mutex(nil)
  }

  /// Whose memory it is from now on.
  func count(for share: Budget.Share) { key.withLock { $0 = share } }

  /// Has at least so much from now on; by one task at a time.
  ///
  /// - Throws: 503; what is held stays held.
  func grow(to amount: Int) async throws(APIError) {
    // First the key's: who waits for its own does not stand in the others' way.
    try await key.withLock { $0 }?.grow(to: amount)
    try await server.grow(to: amount)
  }

  /// Has at most so much from now on.
  func shrink(to amount: Int) {
    server.shrink(to: amount)
    key.withLock { $0 }?.shrink(to: amount)
  }
}
