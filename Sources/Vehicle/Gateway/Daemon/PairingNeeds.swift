import Ports

/// Determines which of the configured Bluetooth adapters must be paired, from the reports of their links.
///
/// If an adapter of classic Bluetooth has no configured PIN and has answered once, it is not paired later, even if it
/// is absent for a long time. Pairing could disturb its next connection. An adapter that rejects the connection may
/// need a key, or another key.
struct PairingNeeds {
  /// For each adapter, whether it may need a key, as the last report of its link states.
  private var wantsKey: [PortAddress: Bool] = [:]

  /// Handles a report of a link.
  ///
  /// - Returns: whether the set of adapters that must be paired has changed.
  mutating func update(_ address: PortAddress, wantsKey isWanted: Bool) -> Bool {
    // A Bluetooth LE adapter that needs a key may connect and answer until data are written to it. Therefore, its
    // answer does not show that it needs no key.
    if case .ble = address, !isWanted { return false }
    defer { wantsKey[address] = isWanted }
    return isToBePaired(address) != isWanted
  }

  func requests(_ adapters: [GatewayConfiguration.Adapter]) -> [PairingRequest] {
    adapters.compactMap { adapter in
      guard let request = PairingRequest(adapter) else { return nil }
      return request.pin != nil || isToBePaired(request.port) ? request : nil
    }
  }

  /// Whether an adapter without a configured PIN must be paired. Until its link has sent a report, this is true for
  /// classic Bluetooth only, because most Bluetooth LE adapters need no pairing.
  private func isToBePaired(_ address: PortAddress) -> Bool {
    if case .rfcomm = address { wantsKey[address] ?? true } else { wantsKey[address] ?? false }
  }
}

extension PairingRequest {
  /// Creates the pairing request for an adapter; `nil` if it is not a Bluetooth adapter.
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
