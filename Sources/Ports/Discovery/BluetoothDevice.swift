/// A Bluetooth device that BlueZ knows of.
public struct BluetoothDevice: Hashable, Sendable {
  public var address: BluetoothAddress
  /// What it calls itself; empty where it has not said.
  public var name: String
  /// What the machine's owner calls it; as a rule the same.
  public var alias: String
  public var isPaired: Bool
  /// The machine's owner has said that it is theirs (`bluetoothctl trust`).
  public var isTrusted: Bool
  /// Connected just now, to this machine.
  public var isConnected: Bool
  /// It offers the Serial Port Profile (service class 0x1101).
  public var hasSerialPort: Bool
  /// It offers one of the services of Bluetooth LE that adapters have their serial line in.
  public var hasAdapterService: Bool
  /// Its address is not a registered one, as only devices of Bluetooth LE have it (org.bluez.Device1, `AddressType`).
  public var hasRandomAddress: Bool
  /// Strength of its signal in dBm, while an inquiry hears it.
  public var signal: Int?

  public init(
    address: BluetoothAddress, name: String = "", alias: String = "", isPaired: Bool = false, isTrusted: Bool = false,
    isConnected: Bool = false, hasSerialPort: Bool = false, hasAdapterService: Bool = false,
    hasRandomAddress: Bool = false, signal: Int? = nil
  ) {
    self.address = address
    self.name = name
    self.alias = alias
    self.isPaired = isPaired
    self.isTrusted = isTrusted
    self.isConnected = isConnected
    self.hasSerialPort = hasSerialPort
    self.hasAdapterService = hasAdapterService
    self.hasRandomAddress = hasRandomAddress
    self.signal = signal
  }

  /// It has Bluetooth LE, and not the faster way besides.
  public var isLowEnergy: Bool { hasRandomAddress || hasAdapterService && !hasSerialPort }

  /// How it is reached: a device that has both ways, by the faster one.
  public var port: PortAddress { isLowEnergy ? .ble(address) : .rfcomm(address, channel: nil) }
}
