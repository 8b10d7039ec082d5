import Synchronization

/// Work that continues even if no caller waits for its end any longer. Each caller may wait with a time limit.
final class PendingWork: Sendable {
  private struct State {
    var isDone = false
    var next = 0
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
  }

  private let state = Mutex(State())

  /// Starts the work.
  init(_ work: @escaping @Sendable () async -> Void) {
    Task {
      await work()
      self.finish()
    }
  }

  /// Waits until the work is done.
  func wait() async { _ = await wait(nil) }

  /// Waits until the work is finished, or until the limit has passed.
  ///
  /// - Returns: whether the work is finished.
  func wait(_ limit: Duration?) async -> Bool {
    await withCheckedContinuation { continuation in
      let number: Int? = state.withLock { state in
        if state.isDone { return nil }
        state.next += 1
        state.waiting[state.next] = continuation
        return state.next
      }
      guard let number else { return continuation.resume(returning: true) }
      guard let limit else { return }
      Task {
        do {
          try await Task.sleep(for: limit)
        } catch {
          // This task is never cancelled, so the sleep does not fail.
        }
        self.abandon(number)
      }
    }
  }

  private func abandon(_ number: Int) {
    state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
  }

  private func finish() {
    let waiting = state.withLock { state in
      state.isDone = true
      let waiting = Array(state.waiting.values)
      state.waiting = [:]
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: true) }
  }
}
