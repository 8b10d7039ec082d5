import Ports
import Synchronization

/// Lets other threads control the thread of an adapter's or receiver's link. They can end the link, and set the address
/// of its device.
public final class LinkControl: Sendable {
  private struct State: Sendable {
    var isStopping = false
    var address: PortAddress?
    /// Whether the device was absent since the link was opened. If so, the open connection no longer works.
    var wasAway = false
  }

  /// The wake-up of the link's thread. It interrupts a wait of the thread.
  public let wakeUp: WakeUp
  private let state: Mutex<State>
  private let reportKey: @Sendable (Bool, PortAddress) -> Void
  private let reportError: @Sendable (PortError, PortAddress) -> Void

  /// Creates the control of one link.
  ///
  /// - Parameters:
  ///   - address: the current address of the device; `nil` if the device is absent.
  ///   - reportKey: called in the link's thread, with `false` when the device answers, and with `true` when the device
  ///     rejects the connection and may need a key. After the device was paired, signal ``wakeUp``.
  ///   - reportError: called in the link's thread if the link cannot be opened. The same kind of error is not reported
  ///     twice in succession.
  /// - Throws: ``Ports/PortError`` if the process cannot open another file descriptor.
  public init(
    address: PortAddress?, reportKey: @escaping @Sendable (Bool, PortAddress) -> Void = { _, _ in },
    reportError: @escaping @Sendable (PortError, PortAddress) -> Void = { _, _ in }
  ) throws(PortError) {
    wakeUp = try WakeUp()
    self.reportKey = reportKey
    self.reportError = reportError
    state = Mutex(State(address: address))
  }

  /// Asks the link's thread to end. The thread ends soon afterwards.
  public func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
  }

  public var isStopping: Bool { state.withLock { $0.isStopping } }

  /// The current address of the device; `nil` if the device is absent. The address changes if the device is plugged
  /// into another socket.
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

  /// Returns the address at which to open the link; `nil` if the device is absent. Only the link's thread calls this.
  func addressToOpen() -> PortAddress? {
    state.withLock { state in
      state.wasAway = false
      return state.address
    }
  }

  /// Reports that the device answers. Only the link's thread calls this.
  func answers() { if let address { reportKey(false, address) } }

  /// Reports that the device may need a key. Only the link's thread calls this.
  func mayWantKey(_ address: PortAddress) { reportKey(true, address) }

  /// Reports that the link could not be opened. Only the link's thread calls this.
  func wasNotOpened(_ address: PortAddress, _ error: PortError) { reportError(error, address) }

  /// Whether the link may stay open. It must be closed if it was stopped, or if its device was absent. Only the link's
  /// thread calls this.
  var mayStayOpen: Bool { state.withLock { !($0.isStopping || $0.wasAway) } }
}
