import Ports
import Synchronization

/// A question to a thread that has the answer to itself: it is put, the thread is rung, and whoever asked waits a moment.
///
/// One asks at a time. A thread that does not answer in time is stuck, and its answer is not waited for any more.
final class ThreadQuery<Answer: Sendable>: Sendable {
  private struct State: Sendable {
    var isAsked = false
    var answer: Answer?
    /// Nobody waits for answers any more.
    var isOver = false
  }

  private let state = Mutex(State())
  private let answered: WakeUp

  /// - Throws: where the process has no descriptors left.
  init() throws(PortError) { answered = try WakeUp() }

  /// Asks.
  ///
  /// - Parameters:
  ///   - patience: ns.
  ///   - ring: wakes the thread that is asked.
  /// - Returns: nil: there is no answer in that time.
  func ask(patience: Int64, _ ring: () -> Void) -> Answer? {
    state.withLock {
      $0.isAsked = true
      $0.answer = nil
    }
    ring()
    let deadline = BootClock.now + patience
    while true {
      answered.clear()
      let (answer, isOver) = state.withLock { ($0.answer, $0.isOver) }
      // A ring may be left from an answer that came too late for its question.
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

  /// Nobody is to wait for an answer any more: ends a waiting that is under way.
  func close() {
    state.withLock { $0.isOver = true }
    answered.signal()
  }

  /// In the thread that is asked: answers where somebody waits.
  func answer(_ make: () -> Answer) {
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
