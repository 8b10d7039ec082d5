import Synchronization

/// Lets tasks check that a thread that may block still makes progress.
final class ThreadRounds: Sendable {
  private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

  /// Waits until the thread has completed another round of its work.
  ///
  /// - Parameter asking: gives the thread something to do; called after the wait has begun.
  func wait(_ asking: () -> Void) async {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0.append(continuation) }
      asking()
    }
  }

  /// Called by the thread when it has completed a round.
  func made() {
    let waiting = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for waiter in waiting { waiter.resume() }
  }
}
