/// A Bluetooth adapter to pair.
public struct PairingRequest: Hashable, Sendable {
  /// Address of the adapter.
  public var address: BluetoothAddress
  /// Whether the adapter uses Bluetooth LE; its PIN then has at most six digits. Otherwise, it uses classic Bluetooth,
  /// and its PIN has 1 to 16 characters.
  public var isLowEnergy: Bool
  /// The configured PIN; `nil` to try the usual PINs.
  public var pin: String?

  /// Creates a request; the parameters are the properties of the same names.
  public init(address: BluetoothAddress, isLowEnergy: Bool, pin: String? = nil) {
    self.address = address
    self.isLowEnergy = isLowEnergy
    self.pin = pin
  }

  /// The address at which the adapter is opened, and by which messages name it. It does not contain the PIN.
  public var port: PortAddress { isLowEnergy ? .ble(address) : .rfcomm(address, channel: nil) }
}
