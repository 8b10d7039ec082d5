import AdapterSession
import OBDWire
import Ports

/// One adapter's thread: opens the line, runs the dialogue, and begins again when the device is gone.
struct AdapterLine: ~Copyable {
  private let control: AdapterControl
  private var driver: AdapterDriver<DeliveryOutlet>
  private var loop: PortLoop
  private var reconnecting = Reconnecting()

  init(
    _ control: AdapterControl, _ session: consuming AdapterSession, _ outlet: consuming DeliveryOutlet,
    definitions: [SignalDefinition]
  ) throws(PortError) {
    self.control = control
    loop = try PortLoop(wakeUp: control.wakeUp)
    driver = AdapterDriver(session, outlet, definitions: definitions)
  }

  /// Runs until ``AdapterControl/stop()``.
  mutating func run() {
    while !control.isStopping {
      guard let address = control.addressToOpen() else {
        rest(until: .max)
        continue
      }
      var port = AddressedPort(address)
      do throws(PortError) {
        try port.open(within: Reconnecting.limit(of: address), unless: control.wakeUp)
        reconnecting.opened(at: BootClock.now)
        // What was asked for while the line was closed: its bell may have been heard already.
        _ = control.carryOut(on: &driver.session)
        try loop.run(&port, &driver)
      } catch {
        let now = BootClock.now
        if !port.isOpen, reconnecting.failed(error.kind) { driver.listener.unreachable(error.kind, at: now) }
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
    guard !control.isStopping else { return }
    if control.wakeUp.wait(until: moment) { control.wakeUp.silence() }
  }
}
