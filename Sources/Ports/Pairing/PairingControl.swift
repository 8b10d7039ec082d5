import Synchronization

/// What the thread that pairs is told from outside: whom to pair from now on, and to end.
public final class PairingControl: Sendable {
  private struct State: Sendable {
    var wishes: [PairingWish]
    /// Not yet taken by the thread.
    var isNew = true
    var triesAgain = false
    var isStopping = false
    var isOver = false
  }

  /// Rings once it is to end: nothing is waited for any more.
  let ending: WakeUp
  /// Rings where there is something else to do than to rest.
  let bell: WakeUp
  private let state: Mutex<State>

  /// - Throws: where the process has no descriptors left.
  public init(_ wishes: [PairingWish]) throws(PortError) {
    ending = try WakeUp()
    bell = try WakeUp()
    state = Mutex(State(wishes: wishes))
  }

  /// Changes who is to be paired. A try that is under way goes on, and an adapter that stays among them as it is does
  /// not lose its place.
  ///
  /// - Parameter again: whether those that are paired or were given up are looked at anew.
  /// - Returns: false where the thread is over, and another must begin.
  public func pair(_ wishes: [PairingWish], again: Bool) -> Bool {
    let isHeard = state.withLock { state in
      guard !state.isOver else { return false }
      state.wishes = wishes
      state.isNew = true
      if again { state.triesAgain = true }
      return true
    }
    if isHeard { bell.signal() }
    return isHeard
  }

  /// Ends the thread soon.
  public func stop() {
    state.withLock { $0.isStopping = true }
    ending.signal()
    bell.signal()
  }

  // MARK: In the thread

  var isStopping: Bool { state.withLock { $0.isStopping } }
  var hasNews: Bool { state.withLock { $0.isNew } }

  /// Who is to be paired, where that is news.
  func takeNews() -> (wishes: [PairingWish], triesAgain: Bool)? {
    state.withLock { state in
      guard state.isNew else { return nil }
      defer { (state.isNew, state.triesAgain) = (false, false) }
      return (state.wishes, state.triesAgain)
    }
  }

  /// Nothing is left to do.
  ///
  /// - Returns: false where there is news after all.
  func end() -> Bool {
    state.withLock { state in
      state.isOver = state.isStopping || !state.isNew
      return state.isOver
    }
  }
}
