import Ports
import Synchronization

/// Lets one thread request a value from another. The caller wakes the other thread and waits for the answer, but not
/// longer than a time limit.
///
/// Only one thread at a time may call it. A late answer is discarded.
package final class ThreadQuery<Answer: Sendable>: Sendable {
  private struct State: Sendable {
    var isAsked = false
    var answer: Answer?
    /// Whether ``close()`` was called. Nobody waits for answers any more.
    var isOver = false
  }

  private let state = Mutex(State())
  private let answered: WakeUp

  /// Creates a query.
  ///
  /// - Throws: ``Ports/PortError`` if the process has no file descriptors left.
  package init() throws(PortError) { answered = try WakeUp() }

  /// Requests an answer and waits for it.
  ///
  /// - Parameters:
  ///   - patience: maximum time to wait, ns.
  ///   - wake: wakes the other thread.
  /// - Returns: `nil` if there was no answer in time.
  package func answer(patience: Int64, _ wake: () -> Void) -> Answer? {
    state.withLock {
      $0.isAsked = true
      $0.answer = nil
    }
    wake()
    let deadline = BootClock.now + patience
    while true {
      answered.clear()
      let (answer, isOver) = state.withLock { ($0.answer, $0.isOver) }
      // The signal may belong to the late answer to an earlier request. Wait again.
      if answer == nil, !isOver, BootClock.now < deadline, answered.wait(until: deadline) { continue }
      return state.withLock { state in
        defer {
          state.isAsked = false
          state.answer = nil
        }
        return state.answer
      }
    }
  }

  /// Ends the wait of a caller, and all later ones.
  package func close() {
    state.withLock { $0.isOver = true }
    answered.signal()
  }

  /// Answers a request, if there is one. Called in the other thread.
  package func answer(_ make: () -> Answer) {
    guard state.withLock({ $0.isAsked }) else { return }
    let answer = make()
    let isWaitedFor = state.withLock { state in
      guard state.isAsked else { return false }
      state.isAsked = false
      state.answer = answer
      return true
    }
    if isWaitedFor { answered.signal() }
  }
}
