/// What is done for adapters that are to be paired, as long as one bluetoothd is there.
struct PairingVisit {
  private static let listening = Duration.seconds(10)
  /// How long the adapter and BlueZ may take; a person is not asked.
  private static let pairing = Duration.seconds(60)

  let bluez: BlueZ
  let agent: PairingAgent
  let wakeUp: WakeUp

  init(_ bluez: BlueZ, _ agent: PairingAgent, _ wakeUp: WakeUp) {
    self.bluez = bluez
    self.agent = agent
    self.wakeUp = wakeUp
  }

  /// Takes in who is paired or given up now.
  ///
  /// - Returns: the adapter that is to be tried next; nil: nothing is left to do.
  func settle(_ tell: (Pairing.News) -> Void) throws(BusError) -> Int? {
    for (address, path) in agent.takeNews() {
      guard let index = agent.plans.firstIndex(where: { $0.wish.address == address && $0.state != .paired }) else {
        continue
      }
      try succeed(index, path, tell)
    }
    for index in agent.plans.indices where agent.plans[index].takesNoPIN() {
      let wish = agent.plans[index].wish
      tell(.refused(wish.name, isConfigured: wish.pin != nil))
    }
    let open = agent.plans.indices.filter { agent.plans[$0].state == .open }
    return open.filter { !agent.plans[$0].waitsToBeAsked }.min { agent.plans[$0].due < agent.plans[$1].due }
      ?? open.first
  }

  /// Hears what comes, or waits for it.
  ///
  /// - Parameter moment: of ``BootClock``: when there is something else to do.
  func rest(until moment: Int64) throws(BusError) {
    if wakeUp.wait(until: 0) { throw .interrupted }
    if let message = try bluez.bus.next() { return agent.heard(message) }
    do throws(BusError) { try bluez.bus.wait(until: moment, unless: wakeUp) } catch {
      guard error == .timedOut else { throw error }
    }
  }

  func pair(_ index: Int, _ tell: (Pairing.News) -> Void) throws(BusError) {
    let objects = try bluez.objects(until: BootClock.after(Pairing.patience), unless: wakeUp, telling: agent)
    let wish = agent.plans[index].wish
    let known = objects.device(wish.address)
    if !wish.isLowEnergy, known?.device.isConnected == true {
      return agent.plans[index].connected(at: BootClock.now)
    }
    var place = known?.path
    if place == nil { place = try discover(index, objects) }
    guard let path = place else { return miss(index, tell) }
    do throws(BusError) {
      try bluez.call(
        path, Pairing.deviceInterface, "Pair", until: BootClock.after(Self.pairing), unless: wakeUp, telling: agent)
      try succeed(index, path, tell)
    } catch {
      switch error {
      case .timedOut, .interrupted:
        try? bluez.bus.post(bluez.asking(path, Pairing.deviceInterface, "CancelPairing"))
        if error == .interrupted { throw error }
        miss(index, tell)
      case .refused("org.bluez.Error.AlreadyExists", _): try succeed(index, path, tell)
      // AuthenticationCanceled and AuthenticationTimeout say nothing of the PIN: out of reach, or BlueZ gave up.
      case .refused("org.bluez.Error.AuthenticationFailed", _), .refused("org.bluez.Error.AuthenticationRejected", _):
        agent.plans[index].refused(at: BootClock.now)
      case .refused: miss(index, tell)
      case .noLibrary, .noBus, .lost, .malformed: throw error
      }
    }
  }

  private func miss(_ index: Int, _ tell: (Pairing.News) -> Void) {
    if agent.plans[index].missed(at: BootClock.now) { tell(.missed(agent.plans[index].wish.name)) }
  }

  private func succeed(_ index: Int, _ path: String, _ tell: (Pairing.News) -> Void) throws(BusError) {
    guard agent.plans[index].state != .paired else { return }
    agent.plans[index].succeeded()
    tell(.paired(agent.plans[index].wish.name))
    let call = bluez.asking(path, "org.freedesktop.DBus.Properties", "Set")
      .text(Pairing.deviceInterface).text("Trusted").variant("b") { $0.bool(true) }
    _ = try bluez.bus.call(call, until: BootClock.after(Pairing.patience), unless: wakeUp, telling: agent)
  }

  /// Listens for an adapter that BlueZ does not know; nil where nobody hears it. One that connects unpaired is not worth
  /// an inquiry, which disturbs all connections that run.
  private func discover(_ index: Int, _ objects: ManagedObjects) throws(BusError) -> String? {
    let wish = agent.plans[index].wish
    let controllers = objects.controllers.filter(\.isPowered).map(\.path)
    guard !controllers.isEmpty, !agent.plans[index].hasConnected else { return nil }
    return try bluez.discover(
      wish.address, by: controllers, wish.isLowEnergy ? "le" : "bredr", until: BootClock.after(Self.listening),
      unless: wakeUp, telling: agent)
  }
}
