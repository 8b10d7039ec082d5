/// Pairs Bluetooth adapters, where that is still to be done: by PIN, through BlueZ.
///
///     var pairing = Pairing()
///     pairing.run(under: PairingControl(wishes)) { news in … }      // in a thread of its own
///
/// The configured PIN is tried twice; without one 1234 and 0000 are, in turns, and each again. An adapter of classic
/// Bluetooth without a configured PIN is left to its line at first, and as long as it connects without. One that cannot
/// be reached is tried again after 30 s, then more and more seldom, up to every five minutes. What was paired is marked
/// as trusted, so that it may connect by itself.
///
/// BlueZ asks the agent of whoever called Pair; about a pairing that an adapter began it asks the machine's default
/// agent, which this is not. So an adapter is always asked to pair, never waited for.
public struct Pairing: ~Copyable {
  static let deviceInterface = "org.bluez.Device1"

  private let bus: String?
  private let pause: Duration
  private let head: Duration
  private let patience: Duration
  private var plans: [PairingPlan] = []
  private var lastReason = ""

  public init() { self.init(bus: nil) }

  /// - Parameters:
  ///   - bus: the address of another bus than the system's.
  ///   - pause: after BlueZ could not be asked.
  ///   - head: so long an adapter of classic Bluetooth without a configured PIN is left to its line: a try of RFCOMM
  ///     takes 15 s.
  ///   - patience: so long BlueZ may take for an answer that it knows by itself.
  init(
    bus: String?, pause: Duration = .seconds(30), head: Duration = .seconds(20), patience: Duration = .seconds(5)
  ) {
    self.bus = bus
    self.pause = pause
    self.head = head
    self.patience = patience
  }

  /// Runs until every adapter is paired or given up, or it is told to end.
  public mutating func run(under control: PairingControl, _ tell: (PairingNews) -> Void) {
    while true {
      takeWishes(control)
      do throws(BusError) {
        if plans.contains(where: { $0.state == .open }) { try serve(control, tell) }
        if control.end() { return }
        continue
      } catch {
        if error != .interrupted, error.sentence != lastReason {
          lastReason = error.sentence
          tell(.unavailable(lastReason))
        }
      }
      if !control.isStopping, control.bell.wait(until: BootClock.after(pause)) { control.bell.silence() }
      if control.isStopping, control.end() { return }
    }
  }

  /// Takes in whom to pair; a plan that is under way goes on as it is.
  private mutating func takeWishes(_ control: PairingControl) {
    guard let (wishes, triesAgain) = control.takeNews() else { return }
    let former = plans
    let moment = BootClock.after(head)
    plans = wishes.map { wish in
      let known = former.first { $0.wish == wish && ($0.state == .open || !triesAgain) }
      return known ?? PairingPlan(wish, notBefore: moment)
    }
  }

  /// One connection to the bus, as long as it and bluetoothd last, until nothing is open or there are other wishes.
  private mutating func serve(_ control: PairingControl, _ tell: (PairingNews) -> Void) throws(BusError) {
    let soon = BootClock.after(patience)
    let bluez = try BlueZ(SystemBus(address: bus), until: soon, unless: control.ending)
    let agent = PairingAgent(bluez, plans)
    defer { plans = agent.plans }
    try bluez.watch(
      "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',arg0='\(Self.deviceInterface)'",
      until: soon, unless: control.ending)
    let objects = try bluez.objects(until: soon, unless: control.ending, telling: agent)
    for index in agent.plans.indices where objects.device(agent.plans[index].wish.address)?.device.isPaired == true {
      agent.plans[index].succeeded()
    }
    guard agent.plans.contains(where: { $0.state == .open }) else { return }
    // Also where nobody waits for the answer any more: BlueZ may have taken it.
    defer { agent.unregister() }
    try agent.register(until: soon, unless: control.ending)
    lastReason = ""
    let visit = PairingVisit(bluez, agent, control, patience: patience)
    while let next = visit.settle(tell), !control.hasNews {
      if agent.hasEnded { throw .refused(name: "org.freedesktop.DBus.Error.ServiceUnknown", text: "") }
      if agent.plans[next].due <= BootClock.now {
        try visit.pair(next, tell)
      } else {
        try visit.rest(until: agent.plans[next].due)
      }
    }
  }
}
