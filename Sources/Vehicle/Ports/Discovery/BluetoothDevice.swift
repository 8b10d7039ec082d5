/// A Bluetooth device that BlueZ knows.
public struct BluetoothDevice: Hashable, Sendable {
  /// Address of the device.
  public var address: BluetoothAddress
  /// Name that the device itself reports; empty if unknown.
  public var name: String
  /// The name that the machine's owner has given to the device; usually the same as ``name``.
  public var alias: String
  /// Whether the device is paired with this machine.
  public var isPaired: Bool
  /// Whether the machine's owner has marked the device as trusted (`bluetoothctl trust`).
  public var isTrusted: Bool
  /// Whether the device is connected to this machine.
  public var isConnected: Bool
  /// Whether the device offers the Serial Port Profile of classic Bluetooth (service class 0x1101).
  public var hasSerialPort: Bool
  /// Whether the device offers one of the Bluetooth LE services that adapters use for a serial connection.
  public var hasAdapterService: Bool
  /// Whether the device's address is random, which only Bluetooth LE devices have (org.bluez.Device1, `AddressType`).
  public var hasRandomAddress: Bool
  /// Strength of the received signal, dBm; `nil` if unknown. It is known only during a search.
  public var signal: Int?

  /// Creates a description of a device; the parameters are the properties of the same names.
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

  /// Whether the device supports Bluetooth LE but not classic Bluetooth.
  public var isLowEnergy: Bool { hasRandomAddress || hasAdapterService && !hasSerialPort }

  /// The port by which to open the device. If the device supports both transports, RFCOMM is used, because it is
  /// faster.
  public var port: PortAddress { isLowEnergy ? .ble(address) : .rfcomm(address, channel: nil) }
}
