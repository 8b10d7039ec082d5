import Ports
import Synchronization

/// Controls the thread of an adapter's or receiver's link from other threads. It can end the link, and contains the
/// address of the device.
public final class LinkControl: Sendable {
  private struct State: Sendable {
    var isStopping = false
    var address: PortAddress?
    /// Whether the device was away since the link was opened. The open connection is then dead.
    var wasAway = false
  }

  /// Signalled to end a wait of the thread.
  public let wakeUp: WakeUp
  private let state: Mutex<State>
  private let reportKey: @Sendable (Bool, PortAddress) -> Void
  private let reportError: @Sendable (PortError, PortAddress) -> Void

  /// Creates the control of one link.
  ///
  /// - Parameters:
  ///   - address: present address of the device; `nil` if it is away.
  ///   - reportKey: called in the link's thread, once when the device answers (`false`), and once when it rejects the
  /// link and may need a key (`true`). After the device is paired, signal ``wakeUp``.
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

  /// Ends the link's thread soon.
  public func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
  }

  public var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Present address of the device; `nil` if it is away. It changes if a plug is moved to another socket.
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

  /// `false` if the link must be closed, because it was stopped or its device was away. Called in the link's thread.
  var mayStayOpen: Bool { state.withLock { !($0.isStopping || $0.wasAway) } }
}
