/// The pairing of adapters during one run of bluetoothd, over one connection to the bus.
struct PairingRound {
  private static let listening = Duration.seconds(10)
  /// Maximum time for one pairing. No person needs to confirm it.
  private static let pairing = Duration.seconds(60)

  let bluez: BlueZ
  let agent: PairingAgent
  let control: PairingControl
  /// Maximum time to wait for an answer that BlueZ can give immediately.
  let patience: Duration

  init(_ bluez: BlueZ, _ agent: PairingAgent, _ control: PairingControl, patience: Duration) {
    self.bluez = bluez
    self.agent = agent
    self.control = control
    self.patience = patience
  }

  /// Handles the adapters that were paired, and reports those for which all attempts have failed.
  ///
  /// - Returns: the index of the adapter to pair next; `nil` if no adapter is left.
  func processResults(_ report: (PairingEvent) -> Void) -> Int? {
    for (address, path) in agent.popPairedDevices() {
      guard let index = agent.plans.firstIndex(where: { $0.request.address == address && $0.state != .paired }) else {
        continue
      }
      succeed(index, path, report)
    }
    for index in agent.plans.indices where agent.plans[index].takesNoPIN() {
      let request = agent.plans[index].request
      report(.refused(request.port, isConfigured: request.pin != nil))
    }
    return agent.plans.indices.filter { agent.plans[$0].state == .open }
      .min { agent.plans[$0].due < agent.plans[$1].due }
  }

  /// Handles one message that has arrived. If there is none, waits for a message or for a change of the list of
  /// adapters.
  ///
  /// - Parameter moment: time of ``BootClock`` at which the wait ends in any case.
  func rest(until moment: Int64) throws(BusError) {
    if control.isStopping { throw .interrupted }
    if let message = try bluez.bus.next() { return agent.receive(message) }
    do throws(BusError) { try bluez.bus.wait(until: moment, unless: control.wakeUp) } catch {
      switch error {
      case .timedOut: return
      case .interrupted: control.wakeUp.clear()
      default: throw error
      }
    }
  }

  func pair(_ index: Int, _ report: (PairingEvent) -> Void) throws(BusError) {
    let objects = try bluez.objects(until: BootClock.after(patience), unless: control.ending, telling: agent)
    let request = agent.plans[index].request
    let known = objects.device(request.address)
    let isConnected = known?.device.isConnected == true
    if !request.isLowEnergy, isConnected { return agent.plans[index].connected(at: BootClock.now) }
    var place = known?.path
    if place == nil {
      place = try discover(index, objects)
      // The list of adapters may have changed during the search.
      if control.hasNewRequests { return }
    }
    guard let path = place else { return miss(index, report) }
    let connection = OwnConnection(bluez.bus, device: path)
    // BlueZ is about to end the connection, which would cancel a pairing.
    if isConnected, let moment = connection.isOver { return agent.plans[index].postpone(until: moment) }
    do throws(BusError) {
      try bluez.call(
        path, Pairing.deviceInterface, "Pair", until: BootClock.after(Self.pairing), unless: control.ending,
        telling: agent)
    } catch {
      switch error {
      case .timedOut, .interrupted:
        try? bluez.bus.post(bluez.methodCall(path, Pairing.deviceInterface, "CancelPairing"))
        if error == .interrupted { throw error }
        return miss(index, report)
      case .refused("org.bluez.Error.AlreadyExists", _): return succeed(index, path, report)
      // AuthenticationCanceled and AuthenticationTimeout do not mean that the PIN is wrong: the adapter is out of
      // reach, or BlueZ waited too long.
      case .refused("org.bluez.Error.AuthenticationFailed", _), .refused("org.bluez.Error.AuthenticationRejected", _):
        return agent.plans[index].refused(at: BootClock.now)
      case .refused: return miss(index, report)
      case .noLibrary, .noBus, .lost, .malformed: throw error
      }
    }
    if request.isLowEnergy, !isConnected { connection.wasMade() }
    succeed(index, path, report)
  }

  private func miss(_ index: Int, _ report: (PairingEvent) -> Void) {
    if agent.plans[index].missed(at: BootClock.now) { report(.missed(agent.plans[index].request.port)) }
  }

  /// Marks an adapter as paired, and asks BlueZ to mark it as trusted. If BlueZ fails to do this, the failure is only
  /// reported.
  private func succeed(_ index: Int, _ path: String, _ report: (PairingEvent) -> Void) {
    guard agent.plans[index].state != .paired else { return }
    agent.plans[index].succeeded()
    let port = agent.plans[index].request.port
    report(.paired(port))
    let call = bluez.methodCall(path, "org.freedesktop.DBus.Properties", "Set")
      .text(Pairing.deviceInterface).text("Trusted").variant("b") { $0.bool(true) }
    do throws(BusError) {
      _ = try bluez.bus.call(call, until: BootClock.after(patience), unless: control.ending, telling: agent)
    } catch {
      // If ``PairingControl/stop()`` has interrupted this, do not report it.
      if error != .interrupted { report(.notTrusted(port, error.sentence)) }
    }
  }

  /// Searches for an adapter that BlueZ does not know; returns `nil` if it is not found. An adapter that has connected
  /// without pairing is not searched for, because a search disturbs active connections.
  private func discover(_ index: Int, _ objects: ManagedObjects) throws(BusError) -> String? {
    let request = agent.plans[index].request
    let controllers = objects.controllers.filter(\.isPowered).map(\.path)
    guard !controllers.isEmpty, !agent.plans[index].hasConnected else { return nil }
    return try bluez.discover(
      request.address, by: controllers, request.isLowEnergy ? "le" : "bredr", until: BootClock.after(Self.listening),
      unless: control.ending, telling: agent)
  }
}
