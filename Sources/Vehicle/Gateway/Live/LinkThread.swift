import Ports

/// What is done on a line while it is open, and told when it is not.
protocol LinkDriver: PortHandler, ~Copyable {
  /// The line is open and about to run.
  mutating func prepare()
  /// The line could not be opened; told once for each reason.
  mutating func unreachable(_ kind: PortError.Kind, at now: Int64)
  /// The line was open and is closed: by the driver, or because the device is gone.
  mutating func closed(at now: Int64)
  /// Where the driver closed the line to open it again: not before this time.
  var reopenNotBefore: Int64? { get }
}

/// One device's thread: opens the line, lets the driver work, and begins again when the device is gone.
struct LinkThread<Driver: LinkDriver & ~Copyable>: ~Copyable {
  private let control: LinkControl
  private let progress: Progress?
  private var driver: Driver
  private var loop: PortLoop
  private var reconnecting = ReconnectPlan()

  /// - Parameter progress: of the line's thread, where somebody watches that it goes on.
  init(_ control: LinkControl, _ driver: consuming Driver, progress: Progress? = nil) throws(PortError) {
    self.control = control
    self.progress = progress
    loop = try PortLoop(wakeUp: control.wakeUp, progress: progress)
    self.driver = driver
  }

  /// Runs until ``LinkControl/stop()``.
  mutating func run() {
    while !control.isStopping {
      guard let address = control.addressToOpen() else {
        rest(until: .max)
        continue
      }
      var port = AddressedPort(address)
      do throws(PortError) {
        let limit = ReconnectPlan.limit(of: address)
        progress?.turn(taking: limit.components.seconds * 1_000_000_000)
        try port.open(within: limit, unless: control.wakeUp)
        reconnecting.opened(at: BootClock.now)
        driver.prepare()
        try loop.run(&port, &driver)
      } catch {
        let now = BootClock.now
        // Some tell when they are opened, others at the first command.
        switch (error.kind, address) {
        case (.notPaired, _):
          reconnecting.wasNotPaired(address)
          control.mayWantKey(address)
        // The kernel's word where L2CAP's is "security block" (Core Specification, volume 3, part A, 4.3).
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

  /// Waits, unless somebody has news: a device that is back, the end.
  private func rest(until moment: Int64) {
    while !control.isStopping {
      let end = progress?.turn(until: moment) ?? moment
      if control.wakeUp.wait(until: end) {
        control.wakeUp.clear()
        return
      }
      if end == moment { return }
    }
  }
}
