/// A Bluetooth adapter that is to be paired where it is not.
public struct PairingWish: Hashable, Sendable {
  public var address: BluetoothAddress
  /// Bluetooth LE, where a PIN has six digits at most; else classic Bluetooth, where it has 1 to 16 characters.
  public var isLowEnergy: Bool
  /// nil: the usual ones are tried.
  public var pin: String?

  public init(address: BluetoothAddress, isLowEnergy: Bool, pin: String? = nil) {
    self.address = address
    self.isLowEnergy = isLowEnergy
    self.pin = pin
  }

  /// How its line is opened, and messages call it; the PIN is in none of them.
  public var port: PortAddress { isLowEnergy ? .ble(address) : .rfcomm(address, channel: nil) }
}
