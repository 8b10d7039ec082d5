import Ports

/// Which of the configured Bluetooth adapters are to be paired, by what their links have found out.
///
/// An adapter of classic Bluetooth without a PIN that has answered is not paired, however long it is away: pairing could only
/// part it from the line that is about to open again. One whose line is refused may want a key, or another one than there is.
struct PairingNeeds {
  /// Whether the adapter may want a key, by what became of its line last.
  private var wantsKey: [PortAddress: Bool] = [:]

  /// Takes in what a line has found out.
  ///
  /// - Returns: whether it changes who is to be paired.
  mutating func note(_ address: PortAddress, wantsKey isWanted: Bool) -> Bool {
    // With Bluetooth LE one that wants a key may open, and answer, until it is written to.
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

  /// Without a PIN. As long as its line has found out nothing: most adapters with Bluetooth LE want no pairing.
  private func isToBePaired(_ address: PortAddress) -> Bool {
    if case .rfcomm = address { wantsKey[address] ?? true } else { wantsKey[address] ?? false }
  }
}

extension PairingWish {
  /// nil: no Bluetooth adapter.
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
