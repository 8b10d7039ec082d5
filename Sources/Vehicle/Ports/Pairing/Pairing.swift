/// Pairs those Bluetooth adapters that are not paired yet. It uses BlueZ and PINs.
///
///     let control = try PairingControl(requests)
///     var pairing = Pairing()
///     pairing.run(under: control) { event in print(event) }      // in its own thread
///
/// A configured PIN is tried twice. Without one, 1234 and 0000 are tried twice, alternately. An adapter of classic
/// Bluetooth without a configured PIN is first given some time to connect without pairing; if it does connect, it is
/// not paired. If an adapter cannot be reached, the next attempts follow after 30 s, and then at increasing intervals
/// of up to five minutes. Paired adapters are marked as trusted, so that they may connect by themselves.
///
/// BlueZ asks an agent for the PIN: that of the process that called Pair or, if the adapter starts the pairing, the
/// machine's default agent. This process registers an agent, but not as the default one, so that it answers only for
/// pairings that this process starts.
public struct Pairing: ~Copyable {
  static let deviceInterface = "org.bluez.Device1"

  private let bus: String?
  private let pause: Duration
  private let head: Duration
  private let patience: Duration
  private var plans: [PairingPlan] = []
  private var lastReason = ""

  /// Creates a pairing on the system bus.
  public init() { self.init(bus: nil) }

  /// Creates a pairing with other limits.
  ///
  /// - Parameters:
  ///   - bus: address of the bus; `nil` for the system bus.
  ///   - pause: time until the next attempt if BlueZ is not available.
  ///   - head: time that an adapter of classic Bluetooth without a configured PIN is given to connect without pairing.
  ///     One attempt over RFCOMM takes 15 s.
  ///   - patience: maximum time to wait for an answer that BlueZ can give immediately.
  init(
    bus: String?, pause: Duration = .seconds(30), head: Duration = .seconds(20), patience: Duration = .seconds(5)
  ) {
    self.bus = bus
    self.pause = pause
    self.head = head
    self.patience = patience
  }

  /// Runs until each adapter is paired or all its attempts have failed, or until ``PairingControl/stop()`` is called.
  ///
  /// - Parameters:
  ///   - control: the adapters to pair.
  ///   - report: receives messages that people should see.
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

  /// Reads which adapters to pair. The pairing of an adapter that is unchanged continues.
  private mutating func readRequests(_ control: PairingControl) {
    guard let (requests, triesAgain) = control.takeRequests() else { return }
    let former = plans
    let moment = BootClock.after(head)
    plans = requests.map { request in
      let known = former.first { $0.request == request && ($0.state == .open || !triesAgain) }
      return known ?? PairingPlan(request, notBefore: moment)
    }
  }

  /// Pairs adapters until each adapter is paired or all its attempts have failed. Ends earlier if the list of adapters
  /// changes, or if the connection to the bus or bluetoothd ends.
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
