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
    var memory: SessionMemory
  }

  /// Ends the thread's waiting.
  public let wakeUp: WakeUp
  private let state: Mutex<State>

  /// - Throws: where the process has no descriptors left.
  public init(address: PortAddress?, memory: SessionMemory = SessionMemory()) throws(PortError) {
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
      state.withLock { $0.address = newValue }
      wakeUp.signal()
    }
  }

  /// What the session has learned, worth keeping for the next start.
  public var memory: SessionMemory { state.withLock { $0.memory } }

  func remember(_ memory: SessionMemory) { state.withLock { $0.memory = memory } }

  /// In the line's thread: does what was asked; false: it is to end.
  func carryOut(on session: inout AdapterSession) -> Bool {
    let (isStopping, wishes) = state.withLock { state in
      defer { state.wishes = nil }
      return (state.isStopping, state.wishes)
    }
    if let wishes { session.wishes = wishes }
    return !isStopping
  }
}
