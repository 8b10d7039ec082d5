import Ports

/// Handles the events of a link, in addition to those of its port.
protocol LinkDriver: PortHandler, ~Copyable {
  /// Called when the link is open, before its poll loop runs.
  mutating func prepare()
  /// Called if the link could not be opened, but only once for each reason.
  mutating func unreachable(_ kind: PortError.Kind, at now: Int64)
  /// Called when the link is closed, either by the driver or because the device is gone.
  mutating func closed(at now: Int64)
  /// If the driver closed the link to open it again: the earliest time for that. Otherwise `nil`.
  var reopenNotBefore: Int64? { get }
}

/// The work of a link's thread: it opens the link, runs the driver, and opens the link again when the device is back.
struct LinkThread<Driver: LinkDriver & ~Copyable>: ~Copyable {
  private let control: LinkControl
  private let progress: Progress?
  private var driver: Driver
  private var loop: PortLoop
  private var reconnecting = ReconnectPlan()

  /// Creates the thread's state.
  ///
  /// - Parameter progress: reports the thread's progress; `nil` without a watchdog.
  init(_ control: LinkControl, _ driver: consuming Driver, progress: Progress? = nil) throws(PortError) {
    self.control = control
    self.progress = progress
    loop = try PortLoop(wakeUp: control.wakeUp, progress: progress)
    self.driver = driver
  }

  /// Runs until ``LinkControl/stop()`` is called.
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
        // Some devices cause this error when the link is opened, others at the first command.
        switch (error.kind, address) {
        case (.notPaired, _):
          reconnecting.wasNotPaired(address)
          control.mayWantKey(address)
        // L2CAP's rejection "security block" (Core Specification, volume 3, part A, 4.3), which the kernel reports as
        // "refused".
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

  /// Waits until `moment`, or until the control is signalled.
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
