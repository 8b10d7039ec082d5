/// Pairs the Bluetooth adapters that a configuration names, where that is still to be done: by PIN, through BlueZ.
///
///     var pairing = Pairing(wishes)
///     pairing.run(unless: wakeUp) { news in … }      // in a thread of its own
///
/// An adapter of classic Bluetooth is asked to pair; one of Bluetooth LE is where a PIN is configured, and else answered
/// when it asks. One that connects without is left alone. The configured PIN is tried twice; without one 1234 and 0000
/// are, in turns, and each again. One that cannot be reached is tried again after 30 s, then more and more seldom, up to
/// every five minutes. What was paired is marked as trusted, so that it may connect by itself.
public struct Pairing: ~Copyable {
  /// What happened, for people.
  public enum News: Hashable, Sendable, CustomStringConvertible {
    case paired(String)
    /// The adapter takes none of the PINs.
    case refused(String, isConfigured: Bool)
    /// Told once.
    case missed(String)
    /// BlueZ cannot be asked; told once for each reason.
    case unavailable(String)

    public var description: String {
      switch self {
      case .paired(let name): "\(name): paired"
      case .refused(let name, true): "\(name): not paired: it does not take its \"pin\"; see what is printed on it"
      case .refused(let name, false): "\(name): not paired: it takes neither 1234 nor 0000; give its \"pin\""
      case .missed(let name): "\(name): not paired: no answer; is it powered, near, and free of other phones?"
      case .unavailable(let reason): "Bluetooth adapters not paired: \(reason)"
      }
    }
  }

  static let patience = Duration.seconds(5)
  static let deviceInterface = "org.bluez.Device1"

  private let bus: String?
  private let pause: Duration
  private var plans: [PairingPlan]
  private var lastReason = ""

  public init(_ wishes: [PairingWish]) { self.init(wishes, bus: nil) }

  /// - Parameters:
  ///   - bus: the address of another bus than the system's.
  ///   - pause: after BlueZ could not be asked.
  ///   - head: so long an adapter without a configured PIN is left to its line: a try of RFCOMM takes 15 s.
  init(
    _ wishes: [PairingWish], bus: String?, pause: Duration = .seconds(30), head: Duration = .seconds(20)
  ) {
    let moment = BootClock.after(head)
    plans = wishes.map { PairingPlan($0, notBefore: moment) }
    self.bus = bus
    self.pause = pause
  }

  /// Runs until every adapter is paired or given up.
  ///
  /// - Parameter wakeUp: when this is signalled, it ends. The signal stays.
  public mutating func run(unless wakeUp: WakeUp, _ tell: (News) -> Void) {
    while true {
      do throws(BusError) { return try serve(wakeUp, tell) } catch {
        if error == .interrupted { return }
        if error.sentence != lastReason { tell(.unavailable(error.sentence)) }
        lastReason = error.sentence
      }
      if wakeUp.wait(until: BootClock.after(pause)) { return }
    }
  }

  /// One connection to the bus, as long as it and bluetoothd last.
  private mutating func serve(_ wakeUp: WakeUp, _ tell: (News) -> Void) throws(BusError) {
    let soon = BootClock.after(Self.patience)
    let bluez = try BlueZ(SystemBus(address: bus), until: soon, unless: wakeUp)
    let agent = PairingAgent(bluez, plans)
    try bluez.watch(
      "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',arg0='\(Self.deviceInterface)'",
      until: soon, unless: wakeUp)
    let objects = try bluez.objects(until: soon, unless: wakeUp, telling: agent)
    for index in agent.plans.indices where objects.device(agent.plans[index].wish.address)?.device.isPaired == true {
      agent.plans[index].succeeded()
    }
    guard agent.plans.contains(where: { $0.state == .open }) else { return }
    // Also where nobody waits for the answer any more: BlueZ may have taken it.
    defer {
      agent.unregister()
      plans = agent.plans
    }
    try agent.register(until: soon, unless: wakeUp)
    lastReason = ""
    let visit = PairingVisit(bluez, agent, wakeUp)
    while let next = try visit.settle(tell) {
      if agent.hasEnded { throw .refused(name: "org.freedesktop.DBus.Error.ServiceUnknown", text: "") }
      if agent.plans[next].due <= BootClock.now, !agent.plans[next].waitsToBeAsked {
        try visit.pair(next, tell)
      } else {
        try visit.rest(until: agent.plans[next].waitsToBeAsked ? .max : agent.plans[next].due)
      }
    }
  }
}
