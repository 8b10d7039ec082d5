import AdapterSession
import OBDWire
import Ports

/// One adapter's thread: opens the line, runs the dialogue, and begins again when the device is gone.
struct AdapterLine: ~Copyable {
  private let control: AdapterControl
  private var driver: AdapterDriver<DeliveryOutlet>
  private var loop: PortLoop
  /// Tries that failed since the line was open.
  private var failures = 0
  private var lastFailure: PortError.Kind?

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
      guard let address = control.address else {
        rest(until: .max)
        continue
      }
      var port = AddressedPort(address)
      do throws(PortError) {
        try port.open(within: Self.limit(of: address), unless: control.wakeUp)
        failures = 0
        lastFailure = nil
        try loop.run(&port, &driver)
      } catch {
        if !port.isOpen { openingFailed(error.kind) }
      }
      let wasOpen = port.isOpen
      port.close()
      let now = BootClock.now
      if control.isStopping { return }
      if wasOpen { driver.closed(at: now) }
      let pause = now + Self.pause(of: address, failures: failures)
      rest(until: max(driver.reopenNotBefore ?? 0, wasOpen ? now + Self.shortest : pause))
    }
  }

  private mutating func openingFailed(_ kind: PortError.Kind) {
    guard kind != .interrupted else { return }
    failures += 1
    guard kind != lastFailure else { return }
    lastFailure = kind
    driver.listener.unreachable(kind, at: BootClock.now)
  }

  /// Waits, unless somebody has news: a device that is back, the end.
  private func rest(until moment: Int64) {
    guard !control.isStopping else { return }
    if control.wakeUp.wait(until: moment) { control.wakeUp.silence() }
  }

  /// How long opening may take: a Bluetooth device is paged for 5 s, and asked for its channel.
  private static func limit(of address: PortAddress) -> Duration {
    switch address {
    case .serial: .seconds(2)
    case .tcp: .seconds(5)
    case .rfcomm: .seconds(15)
    }
  }

  private static let shortest: Int64 = 100_000_000

  /// Looking for a device file costs nothing; calling a radio costs its battery, and the air of others.
  private static func pause(of address: PortAddress, failures: Int) -> Int64 {
    switch address {
    case .serial: 300_000_000
    case .tcp: Int64(min(max(failures, 1), 5)) * 1_000_000_000
    case .rfcomm: Int64(min(max(failures, 1), 10)) * 1_000_000_000
    }
  }
}
