import Ports

/// Decides which of the configured Bluetooth adapters are paired, from what their links report.
///
/// An adapter of classic Bluetooth without a PIN that has answered is not paired, however long it is away: pairing
/// could only disconnect it from the link that is about to open. An adapter whose link is rejected may need a key, or
/// another key.
struct PairingNeeds {
  /// Whether the adapter may need a key, from the last result of its link.
  private var wantsKey: [PortAddress: Bool] = [:]

  /// Applies a result of a link.
  ///
  /// - Returns: whether it changes which adapters are paired.
  mutating func note(_ address: PortAddress, wantsKey isWanted: Bool) -> Bool {
    // With Bluetooth LE, an adapter that needs a key may open and answer until it is written to.
    if case .ble = address, !isWanted { return false }
    defer { wantsKey[address] = isWanted }
    return isToBePaired(address) != isWanted
  }

  func wishes(_ adapters: [GatewayConfiguration.Adapter]) -> [PairingWish] {
    adapters.compactMap { adapter in
      guard let wish = PairingWish(adapter) else { return nil }
      return wish.pin != nil || isToBePaired(wish.port) ? wish : nil
    }
  }

  /// For an adapter without a PIN. Until its link has a result: most adapters with Bluetooth LE need no pairing.
  private func isToBePaired(_ address: PortAddress) -> Bool {
    if case .rfcomm = address { wantsKey[address] ?? true } else { wantsKey[address] ?? false }
  }
}

extension PairingWish {
  /// `nil` if it is not a Bluetooth adapter.
  fileprivate init?(_ adapter: GatewayConfiguration.Adapter) {
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
