import Failures
import GatewayOutput
import Ports

/// The thread that pairs Bluetooth adapters.
struct RunningPairing {
  let control: PairingControl
  let thread: Thread
}

extension Daemon {
  /// Pairs the configured Bluetooth adapters that still need it.
  ///
  /// - Parameter again: whether to retry those that failed for good.
  mutating func pairAdapters(again: Bool) throws(Failure) {
    try pair(pairingNeeds.wishes(adaptersWithPINs()), again: again)
  }

  private mutating func pair(_ wishes: [PairingWish], again: Bool) throws(Failure) {
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
      throw Failure(.unavailable, error.description)
    }
    let thread = try Thread("obdgated-pair") {
      var pairing = Pairing()
      pairing.run(under: control) { mailbox.post(.pairing($0)) }
    }
    pairing = RunningPairing(control: control, thread: thread)
  }

  /// Handles an adapter that has answered, or whose link was rejected, possibly for want of a key.
  mutating func take(_ address: PortAddress, wantsKey: Bool) throws(Failure) {
    guard pairingNeeds.note(address, wantsKey: wantsKey) else { return }
    let wishes = pairingNeeds.wishes(adaptersWithPINs())
    if wantsKey {
      // An adapter that was discovered is not configured, and is not paired.
      if wishes.contains(where: { $0.port == address }) { try pair(wishes, again: false) }
    } else {
      _ = pairing?.control.pair(wishes, again: false)
    }
  }

  /// Logs the result of a pairing. The link of an adapter that has a key now is retried at once.
  func take(_ news: PairingNews) {
    Log.write(news.description)
    guard case .paired(let address) = news else { return }
    for link in links.values where link.control.address == address { link.control.wakeUp.signal() }
  }
}
