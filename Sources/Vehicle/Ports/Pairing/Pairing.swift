/// Pairs Bluetooth adapters that are not paired yet, using BlueZ and PINs.
///
///     let control = try PairingControl(requests)
///     var pairing = Pairing()
///     pairing.run(under: control) { event in print(event) }      // in its own thread
///
/// A configured PIN is tried twice. Without a configured PIN, 1234 and 0000 are tried alternately, twice each. An
/// adapter of classic Bluetooth without a configured PIN is first given some time to connect without pairing; if it
/// does connect, it is not paired. If an adapter cannot be reached, the next attempts follow after 30 s, and then at
/// increasing intervals of up to five minutes. Paired adapters are marked as trusted, so that they may connect by
/// themselves.
///
/// BlueZ asks an agent for the PIN. If a process calls Pair, BlueZ asks the agent of this process. If the adapter
/// starts the pairing, BlueZ asks the machine's default agent. This process registers an agent, but not as the default
/// one, so that its agent answers only for pairings that this process starts.
public struct Pairing: ~Copyable {
  static let deviceInterface = "org.bluez.Device1"

  private let bus: String?
  private let pause: Duration
  private let head: Duration
  private let patience: Duration
  private var plans: [PairingPlan] = []
  private var lastReason = ""

  /// Creates a pairing that uses the system bus and the usual time limits.
  public init() { self.init(bus: nil) }

  /// Creates a pairing with another bus or other time limits, for tests.
  ///
  /// - Parameters:
  ///   - bus: address of the bus; `nil` for the system bus.
  ///   - pause: time from one attempt to the next if BlueZ is not available.
  ///   - head: time for which an adapter of classic Bluetooth without a configured PIN may try to connect without
  ///     pairing. One attempt over RFCOMM takes 15 s.
  ///   - patience: maximum time to wait for an answer that BlueZ can give immediately.
  init(
    bus: String?, pause: Duration = .seconds(30), head: Duration = .seconds(20), patience: Duration = .seconds(5)
  ) {
    self.bus = bus
    self.pause = pause
    self.head = head
    self.patience = patience
  }

  /// Pairs adapters until each adapter is paired or all attempts for it have failed, or until ``PairingControl/stop()``
  /// is called.
  ///
  /// - Parameters:
  ///   - control: contains the adapters to pair, and can stop this method.
  ///   - report: receives the results that people should see.
  public mutating func run(under control: PairingControl, _ report: (PairingEvent) -> Void) {
    while true {
      readRequests(control)
      do throws(BusError) {
        if plans.contains(where: { $0.state == .open }) { try serve(control, report) }
        if control.end() { return }
        continue
      } catch {
        if error != .interrupted, error.sentence != lastReason {
          lastReason = error.sentence
          report(.unavailable(lastReason))
        }
      }
      if !control.isStopping, control.wakeUp.wait(until: BootClock.after(pause)) { control.wakeUp.clear() }
      if control.isStopping, control.end() { return }
    }
  }

  /// Reads the list of adapters to pair. The pairing of an adapter that is also in the former list continues.
  private mutating func readRequests(_ control: PairingControl) {
    guard let (requests, triesAgain) = control.popRequests() else { return }
    let former = plans
    let moment = BootClock.after(head)
    plans = requests.map { request in
      let known = former.first { $0.request == request && ($0.state == .open || !triesAgain) }
      return known ?? PairingPlan(request, notBefore: moment)
    }
  }

  /// Pairs adapters over one connection to the bus, until each adapter is paired or all attempts for it have failed.
  /// Ends earlier if the list of adapters changes, or if bluetoothd or the connection to the bus ends.
  private mutating func serve(_ control: PairingControl, _ report: (PairingEvent) -> Void) throws(BusError) {
    let soon = BootClock.after(patience)
    let bluez = try BlueZ(SystemBus(address: bus), until: soon, unless: control.ending)
    let agent = PairingAgent(bluez, plans)
    defer { plans = agent.plans }
    try bluez.watch(
      "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',arg0='\(Self.deviceInterface)'",
      until: soon, unless: control.ending)
    let objects = try bluez.objects(until: soon, unless: control.ending, telling: agent)
    for index in agent.plans.indices where objects.device(agent.plans[index].request.address)?.device.isPaired == true {
      agent.plans[index].succeeded()
    }
    guard agent.plans.contains(where: { $0.state == .open }) else { return }
    // Unregister the agent even if its registration failed, because BlueZ may have accepted it.
    defer { agent.unregister() }
    try agent.register(until: soon, unless: control.ending)
    lastReason = ""
    let round = PairingRound(bluez, agent, control, patience: patience)
    while let next = round.processResults(report), !control.hasNewRequests {
      if agent.hasEnded { throw .refused(name: "org.freedesktop.DBus.Error.ServiceUnknown", text: "") }
      if agent.plans[next].due <= BootClock.now {
        try round.pair(next, report)
      } else {
        try round.rest(until: agent.plans[next].due)
      }
    }
  }
}
