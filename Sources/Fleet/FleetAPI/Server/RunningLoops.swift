import NIOCore
import Synchronization

/// The event loops of a server while it runs, and the only way in which other threads give them work.
///
/// A loop that has shut down takes no work; NIO prints an error for what comes all the same. Tasks of Swift end when they
/// like, so whatever they bring back goes through here: work that comes after ``end()`` is dropped.
final class RunningLoops: Sendable {
  private struct State {
    var loops: [any EventLoop] = []
    var hasEnded = false
  }

  private let state = Mutex(State())

  func begin(_ new: [any EventLoop]) { state.withLock { $0.loops = new } }

  /// From now on nothing is given to the loops, which may be shut down.
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
    // Inside the lock: between a look and the call the loops could end.
    state.withLock { state in
      if !state.hasEnded { loop.execute(work) }
      return !state.hasEnded
    }
  }

  /// Awaits work on a task of its own and brings its result to a loop, unless the loops have ended.
  ///
  /// Called on the loop; `then` runs there.
  func await<Value: Sendable>(
    on loop: any EventLoop, _ work: @escaping @Sendable () async throws -> Value,
    then: @escaping (Result<Value, any Error>) -> Void
  ) {
    let then = NIOLoopBound(then, eventLoop: loop)
    Task {
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      self.execute(on: loop) { then.value(result) }
    }
  }

  /// Returns once each of the loops has made a turn.
  func turn() async {
    let turns = state.withLock { $0.loops.map { $0.submit {} } }
    for turn in turns {
      do {
        try await turn.get()
      } catch {
        // It has ended, and so holds nobody up.
      }
    }
  }
}
