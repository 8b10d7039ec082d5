import Failures
import GatewayOutput
import Ports

/// The thread that pairs Bluetooth adapters, and the object that controls it.
struct RunningPairing {
  let control: PairingControl
  let thread: Thread
}

extension Daemon {
  /// Pairs those configured Bluetooth adapters that are not paired yet.
  ///
  /// - Parameter again: whether to retry adapters for which all attempts have failed.
  mutating func pairAdapters(again: Bool) throws(Failure) {
    try pair(pairingNeeds.requests(adaptersWithPINs()), again: again)
  }

  private mutating func pair(_ requests: [PairingRequest], again: Bool) throws(Failure) {
    if let running = pairing {
      if running.control.pair(requests, again: again) { return }
      running.thread.join()
      pairing = nil
    }
    guard !requests.isEmpty else { return }
    let mailbox = self.mailbox
    let control: PairingControl
    do throws(PortError) {
      control = try PairingControl(requests)
    } catch {
      throw Failure(.unavailable, error.description)
    }
    let thread = try Thread("obdgated-pair") {
      var pairing = Pairing()
      pairing.run(under: control) { mailbox.post(.pairing($0)) }
    }
    pairing = RunningPairing(control: control, thread: thread)
  }

  /// Handles a report of a link: the adapter has answered, or it has rejected the connection and may need a key.
  mutating func handle(_ address: PortAddress, wantsKey: Bool) throws(Failure) {
    guard pairingNeeds.update(address, wantsKey: wantsKey) else { return }
    let requests = pairingNeeds.requests(adaptersWithPINs())
    if wantsKey {
      // Only configured adapters are paired. This adapter may have been discovered instead.
      if requests.contains(where: { $0.port == address }) { try pair(requests, again: false) }
    } else {
      _ = pairing?.control.pair(requests, again: false)
    }
  }

  /// Logs the result of a pairing. If the pairing succeeded, the adapter's link is opened immediately.
  func handle(_ event: PairingEvent) {
    Log.write(event.description)
    guard case .paired(let address) = event else { return }
    for link in links.values where link.control.address == address { link.control.wakeUp.signal() }
  }
}
