/// A port of any kind (serial, TCP, RFCOMM or Bluetooth LE), created from a ``PortAddress``.
///
///     var port = AddressedPort(try PortAddress(parsing: "tcp:192.168.0.10"))
///     try port.open()
public struct AddressedPort: Port, ~Copyable {
  /// Address of the device.
  public let address: PortAddress
  public let name: String
  public private(set) var baud: Int?
  private var line = Descriptor()
  /// The open connection of a Bluetooth LE port; `nil` for any other port, which uses the descriptor `line`.
  private var link: BLELink?

  /// Creates a closed port. If the address of a serial port has no baud rate, the port starts with 38,400 baud.
  public init(_ address: PortAddress) {
    self.address = address
    switch address {
    case .serial(let path, let baud):
      name = path
      self.baud = baud ?? 38_400
    case .tcp, .rfcomm, .ble: name = address.description
    }
  }

  public var descriptor: Int32 { link?.descriptor ?? line.number }

  /// Opens the port. A serial port opens with the baud rate that was last set.
  public mutating func open(within limit: Duration, unless wakeUp: WakeUp?) throws(PortError) {
    close()
    switch address {
    case .serial(let path, _):
      var port = SerialPort(path: path, baud: baud ?? 38_400)
      try port.open(within: limit, unless: wakeUp)
      line = port.line.release()
    case .tcp(let host, let number):
      var port = TCPPort(host: host, port: number)
      try port.open(within: limit, unless: wakeUp)
      line = port.socket.release()
    case .rfcomm(let peer, let channel):
      var port = RFCOMMPort(address: peer, channel: channel)
      try port.open(within: limit, unless: wakeUp)
      line = port.socket.release()
    case .ble(let peer):
      var port = BLEPort(address: peer)
      try port.open(within: limit, unless: wakeUp)
      link = port.release()
    }
  }

  public mutating func close() {
    link?.close()
    link = nil
    if isOpen && isSerial { SerialPort.prepareToClose(line) }
    line.close()
  }

  public mutating func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int {
    if let link { return try link.read(into: &buffer) }
    return try line.read(into: &buffer, for: name)
  }

  public mutating func write(_ bytes: Span<UInt8>) throws(PortError) -> Int {
    if let link { return try link.write(bytes) }
    return try line.write(bytes, for: name, isSocket: !isSerial)
  }

  public mutating func setBaud(_ baud: Int) throws(PortError) {
    if isSerial { self.baud = try SerialPort.change(line, name, from: self.baud, to: baud) }
  }

  private var isSerial: Bool { if case .serial = address { true } else { false } }
}
