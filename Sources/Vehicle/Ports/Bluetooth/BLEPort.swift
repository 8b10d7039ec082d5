/// A serial connection over Bluetooth Low Energy, which uses BlueZ. Bytes are written to one characteristic of the
/// device and are received as notifications of another one (``SerialOverGATT``).
///
/// Call `open` with a limit of 30 seconds. The search for a device that BlueZ does not know takes up to 10 s,
/// connecting takes 1 to 2 s, and reading the device's services takes 1 to 2 s. Most adapters need no pairing.
///
/// If BlueZ provides sockets (AcquireNotify, AcquireWrite; since 5.46), bytes are transferred through these sockets.
/// Between `open` and `close`, memory is then allocated only for signals of BlueZ, which are rare. Otherwise, each
/// notification and each write is a D-Bus message, for which libsystemd allocates.
public struct BLEPort: Port, ~Copyable {
  public let name: String
  private let address: BluetoothAddress
  private let bus: String?
  private var link: BLELink?

  /// Creates a closed port that uses the system bus.
  public init(address: BluetoothAddress) { self.init(address: address, bus: nil) }

  /// Creates a port that uses another bus.
  ///
  /// - Parameters:
  ///   - address: address of the device.
  ///   - bus: address of the bus; `nil` for the system bus.
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

  /// Closes the port. If `open` established the connection to the device, also ends this connection, because an adapter
  /// that is connected does not accept a phone.
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

  /// Transfers the open connection to the caller, and leaves the port closed; `nil` if the port is closed.
  mutating func release() -> BLELink? {
    defer { link = nil }
    return link
  }
}
