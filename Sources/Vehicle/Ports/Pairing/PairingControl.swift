import Synchronization

/// Controls a thread that runs ``Pairing``: sets the list of adapters to pair, and stops the thread.
public final class PairingControl: Sendable {
  private struct State: Sendable {
    var requests: [PairingRequest]
    /// Whether the thread has not read the current requests yet.
    var isNew = true
    var triesAgain = false
    var isStopping = false
    var isOver = false
  }

  /// Signalled when the thread must end. It interrupts all waits of the thread.
  let ending: WakeUp
  /// Signalled when the list of adapters has changed or the thread must end. It interrupts waits between attempts.
  let wakeUp: WakeUp
  private let state: Mutex<State>

  /// Creates a control for one thread.
  ///
  /// - Parameter requests: the adapters to pair.
  /// - Throws: ``PortError`` if the process has no free descriptors.
  public init(_ requests: [PairingRequest]) throws(PortError) {
    ending = try WakeUp()
    wakeUp = try WakeUp()
    state = Mutex(State(requests: requests))
  }

  /// Replaces the list of adapters to pair. An attempt that is in progress continues. Adapters that are also in the
  /// former list keep their state.
  ///
  /// - Parameters:
  ///   - requests: the adapters to pair.
  ///   - again: whether to start again with those adapters that are already paired or for which all attempts have
  ///     failed.
  /// - Returns: `false` if the thread has ended and must be started again.
  public func pair(_ requests: [PairingRequest], again: Bool) -> Bool {
    let isHeard = state.withLock { state in
      guard !state.isOver else { return false }
      state.requests = requests
      state.isNew = true
      if again { state.triesAgain = true }
      return true
    }
    if isHeard { wakeUp.signal() }
    return isHeard
  }

  /// Asks the thread to end. The thread ends a short time later.
  public func stop() {
    state.withLock { $0.isStopping = true }
    ending.signal()
    wakeUp.signal()
  }

  // MARK: For the thread

  var isStopping: Bool { state.withLock { $0.isStopping } }
  var hasNewRequests: Bool { state.withLock { $0.isNew } }

  /// Returns the list of adapters to pair if it was replaced since the last call; otherwise `nil`.
  func popRequests() -> (requests: [PairingRequest], triesAgain: Bool)? {
    state.withLock { state in
      guard state.isNew else { return nil }
      defer { (state.isNew, state.triesAgain) = (false, false) }
      return (state.requests, state.triesAgain)
    }
  }

  /// Marks the thread as ended if it may end: it must stop, or the list of adapters was not replaced.
  ///
  /// - Returns: whether the thread may end. If `false`, the thread must continue with the new list.
  func end() -> Bool {
    state.withLock { state in
      state.isOver = state.isStopping || !state.isNew
      return state.isOver
    }
  }
}
