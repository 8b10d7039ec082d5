import NIOCore
import Synchronization

/// Passes work from other threads to the event loops of a running server. No other type does this.
///
/// An event loop that has shut down must not receive work: NIO would report this as an error. Swift tasks may still
/// submit work at that time. Therefore work that arrives after ``end()`` is discarded.
final class RunningLoops: Sendable {
  private struct State {
    var loops: [any EventLoop] = []
    var hasEnded = false
  }

  private let state = Mutex(State())

  func begin(_ new: [any EventLoop]) { state.withLock { $0.loops = new } }

  /// From now on, discards all work, so that the event loops can shut down.
  func end() {
    state.withLock { state in
      state.loops = []
      state.hasEnded = true
    }
  }

  /// Runs work on an event loop, unless the event loops have ended.
  ///
  /// - Returns: whether the work was passed to the event loop.
  @discardableResult
  func execute(on loop: any EventLoop, _ work: @escaping @Sendable () -> Void) -> Bool {
    // Hold the lock during the call. Otherwise, the event loops could end between the check and the call.
    state.withLock { state in
      if !state.hasEnded { loop.execute(work) }
      return !state.hasEnded
    }
  }

  /// Runs asynchronous work in a task, and then calls `then` with its result on the event loop, unless the event loops
  /// have ended. Must be called on the event loop.
  ///
  /// - Returns: the task that runs the work.
  @discardableResult
  func await<Value: Sendable>(
    on loop: any EventLoop, _ work: @escaping @Sendable () async throws -> Value,
    then: @escaping (Result<Value, any Error>) -> Void
  ) -> Task<Void, Never> {
    let then = NIOLoopBound(then, eventLoop: loop)
    return Task {
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      self.execute(on: loop) { then.value(result) }
    }
  }

  /// Waits until each event loop has executed all work that was submitted before the call.
  func waitForRound() async {
    let jobs = state.withLock { $0.loops.map { $0.submit {} } }
    for job in jobs {
      do {
        try await job.get()
      } catch {
        // This event loop has ended, so it cannot be blocked.
      }
    }
  }
}
