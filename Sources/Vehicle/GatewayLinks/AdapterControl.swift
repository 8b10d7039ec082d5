import AdapterSession
import Ports
import Synchronization

/// Controls one adapter's thread from outside and receives what its session learned.
public final class AdapterControl: Sendable {
  private struct State: Sendable {
    /// Not yet taken by the thread; `nil` if there are none.
    var wishes: PollWishes?
    var memory: SessionMemory
    /// Whether the memory has changed since it was taken.
    var hasLearned = false
  }

  /// Ends the link and gives the location of its device.
  public let link: LinkControl
  private let state: Mutex<State>
  /// Signalled when something was learned.
  private let learned: WakeUp?

  /// Creates the control of one link.
  ///
  /// - Parameters:
  ///   - learned: signalled when ``takeLearned()`` has a result.
  ///   - reportKey: see ``LinkControl``.
  ///   - reportError: see ``LinkControl``.
  /// - Throws: ``Ports/PortError`` if the process has no file descriptors left.
  public init(
    address: PortAddress?, memory: SessionMemory = SessionMemory(), learned: WakeUp? = nil,
    reportKey: @escaping @Sendable (Bool, PortAddress) -> Void = { _, _ in },
    reportError: @escaping @Sendable (PortError, PortAddress) -> Void = { _, _ in }
  ) throws(PortError) {
    self.learned = learned
    link = try LinkControl(address: address, reportKey: reportKey, reportError: reportError)
    state = Mutex(State(memory: memory))
  }

  /// Sets what is polled from now on.
  public func poll(_ wishes: PollWishes) {
    state.withLock { $0.wishes = wishes }
    link.wakeUp.signal()
  }

  /// Removes and returns what the session has learned and the next start needs; `nil` if nothing is new.
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

  /// Applies the pending wishes; called in the link's thread. Returns `false` if the link must be closed, for good or
  /// because its device was away.
  func perform(on session: inout AdapterSession) -> Bool {
    let wishes = state.withLock { state in
      defer { state.wishes = nil }
      return state.wishes
    }
    if let wishes { session.wishes = wishes }
    return link.mayStayOpen
  }
}
