import Ports
import Synchronization

/// Lets one thread request a value from another thread. The requesting thread wakes the other thread, and waits for the
/// answer until a time limit has passed.
///
/// Only one thread at a time may request a value. An answer that is too late is discarded.
package final class ThreadQuery<Answer: Sendable>: Sendable {
  private struct State: Sendable {
    var isAsked = false
    var answer: Answer?
    /// Whether ``close()`` was called. From then on, no thread waits for answers.
    var isOver = false
  }

  private let state = Mutex(State())
  private let answered: WakeUp

  /// Creates a query.
  ///
  /// - Throws: ``Ports/PortError`` if the process cannot open another file descriptor.
  package init() throws(PortError) { answered = try WakeUp() }

  /// Requests an answer from the other thread, and waits for it.
  ///
  /// - Parameters:
  ///   - patience: maximum time to wait, ns.
  ///   - wake: wakes the other thread.
  /// - Returns: the answer; `nil` if none was received in time.
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
      // The signal may belong to a late answer to an earlier request. Wait again.
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

  /// Ends the current wait for an answer. Later requests do not wait.
  package func close() {
    state.withLock { $0.isOver = true }
    answered.signal()
  }

  /// Answers the request, if there is one. The thread from which the value is requested calls this.
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
