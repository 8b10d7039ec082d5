import Synchronization

/// Shows that a thread which may block goes on, to those who wait for its next turn.
final class WriterTurns: Sendable {
  private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

  /// Waits for the next turn.
  ///
  /// - Parameter asking: gives the thread cause for one; called when the wait has begun.
  func wait(_ asking: () -> Void) async {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0.append(continuation) }
      asking()
    }
  }

  /// The thread makes a turn.
  func made() {
    let waiting = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for waiter in waiting { waiter.resume() }
  }
}
