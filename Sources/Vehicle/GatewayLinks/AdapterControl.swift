import AdapterSession
import Ports
import Synchronization

/// Lets other threads control the thread of an adapter's link, and receive the properties that its session has found.
public final class AdapterControl: Sendable {
  private struct State: Sendable {
    /// Poll preferences that the link's thread has not applied yet; `nil` if there are none.
    var preferences: PollPreferences?
    var memory: SessionMemory
    /// Whether the session has found something new since ``removeLearned()`` was last called.
    var hasLearned = false
  }

  /// The control of the link itself. It ends the link, and changes the address of the link's device.
  public let link: LinkControl
  private let state: Mutex<State>
  /// The wake-up that is signalled when the session has found something new; `nil` if nothing waits for it.
  private let learned: WakeUp?

  /// Creates the control of one link.
  ///
  /// - Parameters:
  ///   - learned: signalled when the session has found something new, so that ``removeLearned()`` returns it.
  ///   - reportKey: see ``LinkControl``.
  ///   - reportError: see ``LinkControl``.
  /// - Throws: ``Ports/PortError`` if the process cannot open another file descriptor.
  public init(
    address: PortAddress?, memory: SessionMemory = SessionMemory(), learned: WakeUp? = nil,
    reportKey: @escaping @Sendable (Bool, PortAddress) -> Void = { _, _ in },
    reportError: @escaping @Sendable (PortError, PortAddress) -> Void = { _, _ in }
  ) throws(PortError) {
    self.learned = learned
    link = try LinkControl(address: address, reportKey: reportKey, reportError: reportError)
    state = Mutex(State(memory: memory))
  }

  /// Sets the PIDs that the session polls, and their periods.
  public func poll(_ preferences: PollPreferences) {
    state.withLock { $0.preferences = preferences }
    link.wakeUp.signal()
  }

  /// Removes and returns the properties that the session has found, to be stored for the next start; `nil` if none are
  /// new.
  public func removeLearned() -> SessionMemory? {
    state.withLock { state in
      defer { state.hasLearned = false }
      return state.hasLearned ? state.memory : nil
    }
  }

  func remember(_ memory: SessionMemory) {
    let isNew = state.withLock { state in
      guard !state.memory.isSame(as: memory) else { return false }
      state.memory = memory
      state.hasLearned = true
      return true
    }
    if isNew { learned?.signal() }
  }

  /// Applies new preferences to the session. Only the link's thread calls this. Returns `false` if the link must be
  /// closed, because it was stopped or its device has disappeared.
  func perform(on session: inout AdapterSession) -> Bool {
    let preferences = state.withLock { state in
      defer { state.preferences = nil }
      return state.preferences
    }
    if let preferences { session.preferences = preferences }
    return link.mayStayOpen
  }
}
