import Ports
import Synchronization

/// Controls the thread of an adapter's or receiver's link from outside: ends it, and gives the location of its device.
public final class LinkControl: Sendable {
  private struct State: Sendable {
    var isStopping = false
    var address: PortAddress?
    /// Whether the device was away since the link was opened; the open connection is then dead.
    var wasAway = false
  }

  /// Ends a wait of the thread.
  public let wakeUp: WakeUp
  private let state: Mutex<State>
  private let reportKey: @Sendable (Bool, PortAddress) -> Void
  private let reportError: @Sendable (PortError, PortAddress) -> Void

  /// Creates the control of one link.
  ///
  /// - Parameters:
  ///   - address: where the device is; `nil` if it is away.
  ///   - reportKey: called in the link's thread once for each time that the device answers (`false`), or rejects the
  ///     link and may need a key (`true`). Whoever gets a key for it signals ``wakeUp``.
  ///   - reportError: called there if the link cannot be opened, once for each reason.
  /// - Throws: ``Ports/PortError`` if the process has no file descriptors left.
  public init(
    address: PortAddress?, reportKey: @escaping @Sendable (Bool, PortAddress) -> Void = { _, _ in },
    reportError: @escaping @Sendable (PortError, PortAddress) -> Void = { _, _ in }
  ) throws(PortError) {
    wakeUp = try WakeUp()
    self.reportKey = reportKey
    self.reportError = reportError
    state = Mutex(State(address: address))
  }

  /// Ends the link's thread soon.
  public func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
  }

  public var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Where the device is now; `nil` if it is away. The address changes if a plug is moved to another socket.
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

  /// Returns where to open the link; `nil` if the device is away. Called in the link's thread.
  func addressToOpen() -> PortAddress? {
    state.withLock { state in
      state.wasAway = false
      return state.address
    }
  }

  /// Called in the link's thread when the device answers.
  func answers() { if let address { reportKey(false, address) } }

  /// Called in the link's thread when the device may need a key.
  func mayWantKey(_ address: PortAddress) { reportKey(true, address) }

  /// Called in the link's thread when the link could not be opened.
  func wasNotOpened(_ address: PortAddress, _ error: PortError) { reportError(error, address) }

  /// `false` if the link must be closed, for good or because its device was away. Called in the link's thread.
  var mayStayOpen: Bool { state.withLock { !($0.isStopping || $0.wasAway) } }
}
