import Synchronization

/// What waits for slow readers of live updates: at most half of the server's memory, for it is held as long as they are
/// slow, and requests find no room in it.
final class LiveMemory: Sendable {
  /// All of it.
  let server: Budget
  private let held = Mutex(0)

  init(_ server: Budget) { self.server = server }

  /// Takes an amount if it is there.
  func takeNow(_ amount: Int) -> Bool {
    held.withLock { held in
      guard held + amount <= server.capacity / 2, server.takeNow(amount) else { return false }
      held += amount
      return true
    }
  }

  func give(_ amount: Int) {
    held.withLock { $0 -= amount }
    server.give(amount)
  }
}
