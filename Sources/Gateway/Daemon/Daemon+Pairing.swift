import Ports

/// The thread that pairs Bluetooth adapters.
struct RunningPairing {
  let control: PairingControl
  let thread: Thread
}

extension Daemon {
  /// Pairs the Bluetooth adapters that the configuration names, where that is still to be done.
  ///
  /// - Parameter again: those that were given up are tried anew.
  mutating func pairAdapters(again: Bool) throws(StartError) {
    let wishes = adaptersWithPINs().compactMap { adapter -> PairingWish? in
      guard let wish = PairingWish(adapter) else { return nil }
      // Most adapters with Bluetooth LE want no pairing.
      let isLeft = wish.isLowEnergy && wish.pin == nil && !notPaired.contains(wish.port)
      return isLeft ? nil : wish
    }
    if let running = pairing {
      if running.control.pair(wishes, again: again) { return }
      running.thread.join()
      pairing = nil
    }
    guard !wishes.isEmpty else { return }
    let mailbox = self.mailbox
    let control: PairingControl
    do throws(PortError) {
      control = try PairingControl(wishes)
    } catch {
      throw StartError(.unavailable, error.description)
    }
    let thread = try Thread("obdgated-pair") {
      var pairing = Pairing()
      pairing.run(under: control) { mailbox.post(.pairing($0)) }
    }
    pairing = RunningPairing(control: control, thread: thread)
  }

  /// The line to an adapter was refused for want of a key: it is among those that are paired from now on.
  mutating func pair(_ address: PortAddress) throws(StartError) {
    guard notPaired.insert(address).inserted else { return }
    try pairAdapters(again: false)
  }

  /// Says what has come of it. A line whose adapter has a key now need not wait any longer.
  func take(_ news: PairingNews) {
    say(news.description)
    guard case .paired(let address) = news else { return }
    for line in lines.values where line.line.address == address { line.line.wakeUp.signal() }
  }
}

extension PairingWish {
  /// nil: no Bluetooth adapter.
  fileprivate init?(_ adapter: Configuration.Adapter) {
    switch adapter.link {
    case .serial, .tcp: return nil
    case .rfcomm(let text):
      guard let address = BluetoothAddress(text) else { return nil }
      self.init(address: address, isLowEnergy: false, pin: adapter.pin)
    case .ble(let text):
      guard let address = BluetoothAddress(text) else { return nil }
      self.init(address: address, isLowEnergy: true, pin: adapter.pin)
    }
  }
}
