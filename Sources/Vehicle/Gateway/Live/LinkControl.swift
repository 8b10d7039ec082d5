import Ports
import Synchronization

/// What the thread of a line, an adapter's or a receiver's, is told from outside: to end, and where its device is.
public final class LinkControl: Sendable {
  private struct State: Sendable {
    var isStopping = false
    var address: PortAddress?
    /// The device was away since the line was opened: what is open leads nowhere.
    var wasAway = false
  }

  /// Ends the thread's waiting.
  public let wakeUp: WakeUp
  private let state: Mutex<State>
  private let reportKey: @Sendable (Bool, PortAddress) -> Void
  private let reportError: @Sendable (PortError, PortAddress) -> Void

  /// - Parameters:
  ///   - reportKey: called in the line's thread once for each time that the device answers, with false, or refuses the line
  ///     and may want a key for it, with true; whoever gets one rings the line.
  ///   - reportError: called there where the line cannot be opened, before it is told of: once for each reason.
  /// - Throws: where the process has no descriptors left.
  public init(
    address: PortAddress?, reportKey: @escaping @Sendable (Bool, PortAddress) -> Void = { _, _ in },
    reportError: @escaping @Sendable (PortError, PortAddress) -> Void = { _, _ in }
  ) throws(PortError) {
    wakeUp = try WakeUp()
    self.reportKey = reportKey
    self.reportError = reportError
    state = Mutex(State(address: address))
  }

  /// Ends the line's thread soon.
  public func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
  }

  public var isStopping: Bool { state.withLock { $0.isStopping } }

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

  /// In the line's thread: the device answers, with the key that there is, or without.
  func answers() { if let address { reportKey(false, address) } }

  /// In the line's thread: the device may want a key.
  func mayWantKey(_ address: PortAddress) { reportKey(true, address) }

  /// In the line's thread: why it could not be opened.
  func wasNotOpened(_ address: PortAddress, _ error: PortError) { reportError(error, address) }

  /// In the line's thread: false where the line is to be closed, for good or because its device was away.
  var mayStayOpen: Bool { state.withLock { !($0.isStopping || $0.wasAway) } }
}
