import Ports
import Synchronization

/// Lets other threads control the thread of an adapter's or receiver's link: they can end the link, and set the address
/// of its device.
public final class LinkControl: Sendable {
  private struct State: Sendable {
    var isStopping = false
    var address: PortAddress?
    /// Whether the device was away since the link was opened. If so, the open connection is dead.
    var wasAway = false
  }

  /// Signalled to interrupt a wait of the link's thread.
  public let wakeUp: WakeUp
  private let state: Mutex<State>
  private let reportKey: @Sendable (Bool, PortAddress) -> Void
  private let reportError: @Sendable (PortError, PortAddress) -> Void

  /// Creates the control of one link.
  ///
  /// - Parameters:
  ///   - address: the address at which the device is now; `nil` if it is away.
  ///   - reportKey: called in the link's thread with `false` when the device answers, and with `true` when it rejects
  ///     the connection and may need a key. After the device is paired, signal ``wakeUp``.
  ///   - reportError: called in the link's thread if the link cannot be opened, once for each reason.
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

  /// Asks the link's thread to end. It ends soon after.
  public func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
  }

  public var isStopping: Bool { state.withLock { $0.isStopping } }

  /// The address at which the device is now; `nil` if it is away. It changes if the device is plugged into another
  /// socket.
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

  /// Returns the address at which to open the link; `nil` if the device is away. Called in the link's thread.
  func addressToOpen() -> PortAddress? {
    state.withLock { state in
      state.wasAway = false
      return state.address
    }
  }

  /// Reports that the device answers. Called in the link's thread.
  func answers() { if let address { reportKey(false, address) } }

  /// Reports that the device may need a key. Called in the link's thread.
  func mayWantKey(_ address: PortAddress) { reportKey(true, address) }

  /// Reports that the link could not be opened. Called in the link's thread.
  func wasNotOpened(_ address: PortAddress, _ error: PortError) { reportError(error, address) }

  /// Whether the link may stay open. It must be closed if it was stopped or its device was away. Called in the link's
  /// thread.
  var mayStayOpen: Bool { state.withLock { !($0.isStopping || $0.wasAway) } }
}
