import Ports

/// Decides which of the configured Bluetooth adapters are paired, from the reports of their links.
///
/// An adapter of classic Bluetooth without a PIN is not paired once it has answered, even if it is away for a long
/// time: pairing could only interrupt the next link. An adapter that rejects its link may need a key, or another key.
struct PairingNeeds {
  /// Whether each adapter may need a key, according to the last report of its link.
  private var wantsKey: [PortAddress: Bool] = [:]

  /// Applies a report of a link.
  ///
  /// - Returns: whether other adapters must now be paired.
  mutating func update(_ address: PortAddress, wantsKey isWanted: Bool) -> Bool {
    // A Bluetooth LE adapter that needs a key may open and answer until data are written to it.
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

  /// Whether an adapter without a PIN is paired. Before the first report of its link: not with Bluetooth LE, because
  /// most such adapters need no pairing.
  private func isToBePaired(_ address: PortAddress) -> Bool {
    if case .rfcomm = address { wantsKey[address] ?? true } else { wantsKey[address] ?? false }
  }
}

extension PairingRequest {
  /// Creates a request; `nil` if the adapter is not a Bluetooth adapter.
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
