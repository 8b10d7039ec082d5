/// A serial line over Bluetooth Low Energy, by BlueZ: bytes are written to one characteristic of the device and come as
/// notifications of another (``SerialOverGATT``).
///
/// Give `open` thirty seconds: a device that BlueZ does not know is listened for up to ten, connecting takes a second or
/// two, and as long to ask which services it has. Most adapters want no pairing.
///
/// Where BlueZ hands its sockets out (AcquireNotify, AcquireWrite; since 5.46), the bytes go through those, and from
/// `open` to `close` nothing is taken from the heap but for signals of BlueZ, which are rare. Where it does not, every
/// notification and every write is a message of D-Bus, for which libsystemd allocates.
public struct BLEPort: Port, ~Copyable {
  public let name: String
  private let address: BluetoothAddress
  private let bus: String?
  private var link: BLELink?

  public init(address: BluetoothAddress) { self.init(address: address, bus: nil) }

  /// - Parameter bus: the address of another bus than the system's.
  init(address: BluetoothAddress, bus: String?) {
    self.address = address
    self.bus = bus
    name = "ble:\(address)"
  }

  public var descriptor: Int32 { link?.descriptor ?? -1 }

  public mutating func open(within limit: Duration, unless wakeUp: WakeUp?) throws(PortError) {
    close()
    link = try BLELink.open(address, name, bus: bus, until: BootClock.after(limit), unless: wakeUp)
  }

  /// Ends the connection, too, where `open` made it: an adapter that is connected cannot be by a phone.
  public mutating func close() {
    link?.close()
    link = nil
  }

  public mutating func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int {
    guard let link else { throw .gone(name) }
    return try link.read(into: &buffer)
  }

  public mutating func write(_ bytes: Span<UInt8>) throws(PortError) -> Int {
    guard let link else { throw .gone(name) }
    return try link.write(bytes)
  }

  /// Gives the open line away: the port is left closed.
  mutating func release() -> BLELink? {
    defer { link = nil }
    return link
  }
}
