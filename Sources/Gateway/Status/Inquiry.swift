import Ports
import Synchronization

/// A question to a thread that has the answer to itself: it is put, the thread is rung, and whoever asked waits a moment.
///
/// One asks at a time. A thread that does not answer in time is stuck, and its answer is not waited for any more.
final class Inquiry<Answer: Sendable>: Sendable {
  private struct State: Sendable {
    var isAsked = false
    var answer: Answer?
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
    answered.silence()
    state.withLock { $0 = State(isAsked: true) }
    ring()
    _ = answered.wait(until: BootClock.now + patience)
    return state.withLock { state in
      defer { state = State() }
      return state.answer
    }
  }

  /// In the thread that is asked: answers where somebody waits.
  func answer(_ make: () -> Answer) {
    guard state.withLock({ $0.isAsked }) else { return }
    let answer = make()
    let isWaitedFor = state.withLock { state in
      guard state.isAsked else { return false }
      state = State(answer: answer)
      return true
    }
    if isWaitedFor { answered.signal() }
  }
}
