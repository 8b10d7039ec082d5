import Ports

/// The thread that pairs Bluetooth adapters.
struct RunningPairing {
  let wakeUp: WakeUp
  let thread: Thread
}

extension Daemon {
  /// Pairs the Bluetooth adapters that the configuration names, where that is still to be done; with a new configuration
  /// anew, those that were given up among them.
  mutating func pairAdapters() throws(StartError) {
    let wishes = settings.configuration.adapters.compactMap { PairingWish($0) }
    if let former = pairing {
      former.wakeUp.signal()
      former.thread.join()
      pairing = nil
    }
    guard !wishes.isEmpty else { return }
    let mailbox = self.mailbox
    let wakeUp: WakeUp
    do throws(PortError) {
      wakeUp = try WakeUp()
    } catch {
      throw StartError(.unavailable, error.description)
    }
    let thread = try Thread("obdgated-pair") {
      var pairing = Pairing(wishes)
      pairing.run(unless: wakeUp) { mailbox.post(.pairing($0.description)) }
    }
    pairing = RunningPairing(wakeUp: wakeUp, thread: thread)
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
