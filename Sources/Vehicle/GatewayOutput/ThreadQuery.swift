import Ports
import Synchronization

/// A question to another thread: the caller asks, wakes the thread, and waits a moment for the answer.
///
/// One caller at a time. If a thread does not answer in time, its answer is discarded.
package final class ThreadQuery<Answer: Sendable>: Sendable {
  private struct State: Sendable {
    var isAsked = false
    var answer: Answer?
    /// Whether nobody waits for answers any more.
    var isOver = false
  }

  private let state = Mutex(State())
  private let answered: WakeUp

  /// Creates it.
  ///
  /// - Throws: ``Ports/PortError`` if the process has no file descriptors left.
  package init() throws(PortError) { answered = try WakeUp() }

  /// Asks.
  ///
  /// - Parameters:
  ///   - patience: how long to wait, ns.
  ///   - ring: wakes the thread.
  /// - Returns: `nil` if there is no answer in time.
  package func ask(patience: Int64, _ ring: () -> Void) -> Answer? {
    state.withLock {
      $0.isAsked = true
      $0.answer = nil
    }
    ring()
    let deadline = BootClock.now + patience
    while true {
      answered.clear()
      let (answer, isOver) = state.withLock { ($0.answer, $0.isOver) }
      // The signal may belong to an answer that came too late for its question.
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

  /// Ends all waiting for answers.
  package func close() {
    state.withLock { $0.isOver = true }
    answered.signal()
  }

  /// Answers if somebody waits; called in the thread that was asked.
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
