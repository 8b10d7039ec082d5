/// A Bluetooth adapter to pair.
public struct PairingRequest: Hashable, Sendable {
  /// Address of the adapter.
  public var address: BluetoothAddress
  /// Whether the adapter uses Bluetooth LE, with a PIN of at most six digits. Otherwise, it uses classic Bluetooth,
  /// with a PIN of 1 to 16 characters.
  public var isLowEnergy: Bool
  /// The PIN; `nil` to try the usual ones.
  public var pin: String?

  /// Creates a request.
  public init(address: BluetoothAddress, isLowEnergy: Bool, pin: String? = nil) {
    self.address = address
    self.isLowEnergy = isLowEnergy
    self.pin = pin
  }

  /// The port of the adapter, for opening it and for messages. It does not contain the PIN.
  public var port: PortAddress { isLowEnergy ? .ble(address) : .rfcomm(address, channel: nil) }
}
