import NIOCore
import Synchronization

/// The event loops of a running server. Other threads give work to them only through this type.
///
/// An event loop that has shut down must not receive work; NIO reports that as an error. Swift tasks may end at any
/// time. Therefore, work that arrives after ``end()`` is discarded.
final class RunningLoops: Sendable {
  private struct State {
    var loops: [any EventLoop] = []
    var hasEnded = false
  }

  private let state = Mutex(State())

  func begin(_ new: [any EventLoop]) { state.withLock { $0.loops = new } }

  /// Stops giving work to the loops, so that they may shut down.
  func end() {
    state.withLock { state in
      state.loops = []
      state.hasEnded = true
    }
  }

  /// Runs work on a loop, unless the loops have ended.
  ///
  /// - Returns: whether the loop was given the work.
  @discardableResult
  func execute(on loop: any EventLoop, _ work: @escaping @Sendable () -> Void) -> Bool {
    // Keep the lock during the call. Otherwise, the loops could end between the check and the call.
    state.withLock { state in
      if !state.hasEnded { loop.execute(work) }
      return !state.hasEnded
    }
  }

  /// Awaits work in a task and runs `then` with its result on a loop, unless the loops have ended.
  ///
  /// Called on the loop; `then` runs there.
  ///
  /// - Returns: the task.
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

  /// Returns when each loop has executed the jobs submitted so far.
  func turn() async {
    let jobs = state.withLock { $0.loops.map { $0.submit {} } }
    for job in jobs {
      do {
        try await job.get()
      } catch {
        // The loop has ended, so it cannot be blocked.
      }
    }
  }
}
