import Synchronization

/// Lets tasks check whether a thread still makes progress, although its calls may block.
final class ThreadRounds: Sendable {
  private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

  /// Waits until the thread has completed another round of its work.
  ///
  /// - Parameter asking: gives the thread some work, so that it completes a round. It is called after the wait has
  ///   begun.
  func wait(_ asking: () -> Void) async {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0.append(continuation) }
      asking()
    }
  }

  /// Reports that the thread has completed a round. The thread itself calls this.
  func made() {
    let waiting = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for waiter in waiting { waiter.resume() }
  }
}
