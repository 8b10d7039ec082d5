import Synchronization

/// Lets tasks observe that a thread that may block makes progress.
final class ThreadRounds: Sendable {
  private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

  /// Waits for the next turn of the thread.
  ///
  /// - Parameter asking: gives the thread work; called when the wait has begun.
  func wait(_ asking: () -> Void) async {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0.append(continuation) }
      asking()
    }
  }

  /// Ends a turn of the thread.
  func made() {
    let waiting = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for waiter in waiting { waiter.resume() }
  }
}
