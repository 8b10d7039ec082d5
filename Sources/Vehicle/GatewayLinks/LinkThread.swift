import Ports

/// A port handler that also handles the opening and closing of its link.
protocol LinkDriver: PortHandler, ~Copyable {
  /// Prepares for a new connection. Called after the link was opened, before its poll loop runs.
  mutating func prepare()
  /// Handles a link that could not be opened. The same kind of error is not passed twice in succession.
  mutating func unreachable(_ kind: PortError.Kind, at now: Int64)
  /// Handles the closing of the link, by the driver or because the device has disappeared.
  mutating func closed(at now: Int64)
  /// If the driver has closed the link in order to open it again, the earliest time at which the link may be opened, ns
  /// since boot; otherwise `nil`.
  var reopenNotBefore: Int64? { get }
}

/// The work of a link's thread: it opens the link, runs the driver, and opens the link again after it was closed.
struct LinkThread<Driver: LinkDriver & ~Copyable>: ~Copyable {
  private let control: LinkControl
  private let progress: Progress?
  private var driver: Driver
  private var loop: PortLoop
  private var reconnecting = ReconnectPlan()

  /// Creates the thread's state.
  ///
  /// - Parameter progress: receives the thread's progress for the watchdog; `nil` without a watchdog.
  init(_ control: LinkControl, _ driver: consuming Driver, progress: Progress? = nil) throws(PortError) {
    self.control = control
    self.progress = progress
    loop = try PortLoop(wakeUp: control.wakeUp, progress: progress)
    self.driver = driver
  }

  /// Opens the link and runs its driver, repeatedly, until ``LinkControl/stop()`` is called.
  mutating func run() {
    while !control.isStopping {
      guard let address = control.addressToOpen() else {
        rest(until: .max)
        continue
      }
      var port = AddressedPort(address)
      do throws(PortError) {
        let limit = ReconnectPlan.limit(of: address)
        progress?.reportOperation(taking: limit.components.seconds * 1_000_000_000)
        try port.open(within: limit, unless: control.wakeUp)
        reconnecting.opened(at: BootClock.now)
        driver.prepare()
        try loop.run(&port, &driver)
      } catch {
        let now = BootClock.now
        // Some devices cause this error when the link is opened, others when the first command is sent.
        switch (error.kind, address) {
        case (.notPaired, _):
          reconnecting.wasNotPaired(address)
          control.mayWantKey(address)
        // The kernel reports L2CAP's rejection "security block" as "refused" (Core Specification, volume 3, part A,
        // 4.3).
        case (.refused, .rfcomm): control.mayWantKey(address)
        default: break
        }
        if !port.isOpen, reconnecting.failed(error.kind) {
          control.wasNotOpened(address, error)
          driver.unreachable(error.kind, at: now)
        }
      }
      let wasOpen = port.isOpen
      port.close()
      let now = BootClock.now
      if control.isStopping { return }
      if wasOpen { driver.closed(at: now) }
      rest(until: reconnecting.nextTry(address, wasOpen: wasOpen, notBefore: driver.reopenNotBefore, at: now))
    }
  }

  /// Waits until `moment` (ns since boot), or until the control's wake-up is signalled.
  private func rest(until moment: Int64) {
    while !control.isStopping {
      let end = progress?.report(until: moment) ?? moment
      if control.wakeUp.wait(until: end) {
        control.wakeUp.clear()
        return
      }
      if end == moment { return }
    }
  }
}
