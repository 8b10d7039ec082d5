import AdapterSession
import Ports
import Synchronization

/// What one line's thread is told from outside, and what it lets others know.
public final class AdapterControl: Sendable {
  private struct State: Sendable {
    var isStopping = false
    /// Not yet taken by the thread.
    var wishes: PollWishes?
    var address: PortAddress?
    /// The device was away since the line was opened: what is open leads nowhere.
    var wasAway = false
    var memory: SessionMemory
    /// The memory has changed since it was taken.
    var hasLearned = false
  }

  /// Ends the thread's waiting.
  public let wakeUp: WakeUp
  private let state: Mutex<State>
  /// Rung when something was learned.
  private let learned: WakeUp?

  /// - Throws: where the process has no descriptors left.
  ///
  /// - Parameter learned: rung when ``takeLearned()`` has something.
  public init(
    address: PortAddress?, memory: SessionMemory = SessionMemory(), learned: WakeUp? = nil
  ) throws(PortError) {
    self.learned = learned
    wakeUp = try WakeUp()
    state = Mutex(State(address: address, memory: memory))
  }

  /// Ends the line's thread soon.
  public func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
  }

  public var isStopping: Bool { state.withLock { $0.isStopping } }

  /// What is polled from now on.
  public func poll(_ wishes: PollWishes) {
    state.withLock { $0.wishes = wishes }
    wakeUp.signal()
  }

  /// Where the device is now: a plug moved to another socket changes its name. nil: it is away.
  public var address: PortAddress? {
    get { state.withLock { $0.address } }
    set {
      state.withLock { state in
        state.address = newValue
        if newValue == nil { state.wasAway = true }
      }
      wakeUp.signal()
    }
  }

  /// In the line's thread: where the line is to be opened now; nil: nowhere.
  func addressToOpen() -> PortAddress? {
    state.withLock { state in
      state.wasAway = false
      return state.address
    }
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
  func carryOut(on session: inout AdapterSession) -> Bool {
    let (isOver, wishes) = state.withLock { state in
      defer { state.wishes = nil }
      return (state.isStopping || state.wasAway, state.wishes)
    }
    if let wishes { session.wishes = wishes }
    return !isOver
  }
}
