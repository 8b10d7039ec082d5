/// A Bluetooth device known to BlueZ.
public struct BluetoothDevice: Hashable, Sendable {
  /// Address of the device.
  public var address: BluetoothAddress
  /// Name reported by the device; empty if unknown.
  public var name: String
  /// Name given by the machine's owner, usually the same.
  public var alias: String
  /// Whether it is paired with this machine.
  public var isPaired: Bool
  /// Whether the machine's owner trusts it (`bluetoothctl trust`).
  public var isTrusted: Bool
  /// Whether it is connected to this machine.
  public var isConnected: Bool
  /// Whether it offers the Serial Port Profile (service class 0x1101).
  public var hasSerialPort: Bool
  /// Whether it offers a Bluetooth LE service that adapters use for serial connections.
  public var hasAdapterService: Bool
  /// Whether its address is random, which only Bluetooth LE devices have (org.bluez.Device1, `AddressType`).
  public var hasRandomAddress: Bool
  /// Signal strength in dBm during a search; `nil` if unknown.
  public var signal: Int?

  /// Creates a device.
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

  /// Whether it supports only Bluetooth LE, and not classic Bluetooth.
  public var isLowEnergy: Bool { hasRandomAddress || hasAdapterService && !hasSerialPort }

  /// Address of the device. If it supports both transports, the faster RFCOMM is used.
  public var port: PortAddress { isLowEnergy ? .ble(address) : .rfcomm(address, channel: nil) }
}
