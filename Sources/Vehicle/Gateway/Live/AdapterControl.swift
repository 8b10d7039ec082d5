import AdapterSession
import Ports
import Synchronization

/// What one adapter's thread is told from outside, and what it lets others know.
public final class AdapterControl: Sendable {
  private struct State: Sendable {
    /// Not yet taken by the thread.
    var wishes: PollWishes?
    var memory: SessionMemory
    /// The memory has changed since it was taken.
    var hasLearned = false
  }

  /// Ends the line, and says where its device is.
  public let link: LinkControl
  private let state: Mutex<State>
  /// Rung when something was learned.
  private let learned: WakeUp?

  /// - Parameters:
  ///   - learned: rung when ``takeLearned()`` has something.
  ///   - reportKey: as ``LinkControl`` has it; `reportError`, too.
  /// - Throws: where the process has no descriptors left.
  public init(
    address: PortAddress?, memory: SessionMemory = SessionMemory(), learned: WakeUp? = nil,
    reportKey: @escaping @Sendable (Bool, PortAddress) -> Void = { _, _ in },
    reportError: @escaping @Sendable (PortError, PortAddress) -> Void = { _, _ in }
  ) throws(PortError) {
    self.learned = learned
    link = try LinkControl(address: address, reportKey: reportKey, reportError: reportError)
    state = Mutex(State(memory: memory))
  }

  /// What is polled from now on.
  public func poll(_ wishes: PollWishes) {
    state.withLock { $0.wishes = wishes }
    link.wakeUp.signal()
  }

  /// What the session has learned since this was asked last, worth keeping for the next start; nil: nothing.
  public func takeLearned() -> SessionMemory? {
    state.withLock { state in
      defer { state.hasLearned = false }
      return state.hasLearned ? state.memory : nil
    }
  }

  func remember(_ memory: SessionMemory) {
    let isNews = state.withLock { state in
      guard !state.memory.isSame(as: memory) else { return false }
      state.memory = memory
      state.hasLearned = true
      return true
    }
    if isNews { learned?.signal() }
  }

  /// In the line's thread: does what was asked; false: the line is to be closed, for good or because its device was away.
  func perform(on session: inout AdapterSession) -> Bool {
    let wishes = state.withLock { state in
      defer { state.wishes = nil }
      return state.wishes
    }
    if let wishes { session.wishes = wishes }
    return link.mayStayOpen
  }
}
