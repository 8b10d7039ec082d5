/// A bidirectional byte connection to a device: serial, Bluetooth, TCP, a replay, a simulated vehicle.
///
///     var port = SerialPort(path: "/dev/ttyUSB0")
///     try port.open()
///     let count = try port.read(into: &buffer)
///     port.close()
///
/// One thread owns a port and calls, in this order:
///
/// 1. `open`, once. It may block up to its limit. If it throws, the port remains closed and may be opened again.
/// 2. `read`, `write` and `setBaud`, in any number. None of them blocks; wait by `poll(2)` for `descriptor`, as
///    ``PortLoop`` does. After an error, continue with step 3.
/// 3. `close`, any number of times, also if it was never opened. Then step 1 is possible again.
///
/// An implementation needs no locks, and must not allocate memory from `open` to `close`.
public protocol Port: ~Copyable {
  /// Name in messages: a path, `tcp:192.168.0.10:35000`, `rfcomm:00:1D:A5:68:98:8A` or `ble:00:1D:A5:68:98:8A`.
  var name: String { get }

  /// The descriptor for `poll(2)`, readable when there are bytes or the device is gone; -1 while closed.
  var descriptor: Int32 { get }

  /// The baud rate last set, in bits per second; `nil` if the port has no rate.
  var baud: Int? { get }

  /// Opens the port.
  ///
  /// - Parameters:
  ///   - limit: the longest time to wait.
  ///   - wakeUp: ends opening when it is signalled. The signal remains set.
  /// - Throws: ``PortError``, of the kind ``PortError/Kind/timedOut`` after the limit and
  ///   ``PortError/Kind/interrupted`` after the wake-up.
  mutating func open(within limit: Duration, unless wakeUp: WakeUp?) throws(PortError)

  /// Closes the port. Bytes that have not been sent are lost.
  mutating func close()

  /// Reads the bytes that have arrived.
  ///
  /// - Parameter buffer: receives the bytes, from its beginning.
  /// - Returns: number of bytes; 0 if there are none at present.
  /// - Throws: ``PortError/Kind/gone`` if the device is gone.
  mutating func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int

  /// Writes as many bytes as fit.
  ///
  /// - Returns: number of bytes written, from the first; 0 if none fits at present.
  /// - Throws: ``PortError/Kind/gone`` if the device is gone.
  mutating func write(_ bytes: Span<UInt8>) throws(PortError) -> Int

  /// Changes the baud rate and discards received bytes. Does nothing if the port has no rate.
  ///
  /// Bytes that are being sent would be garbled, so call it only after the device has answered or has been silent.
  ///
  /// - Parameter baud: bits per second.
  /// - Throws: ``PortError/Kind/invalid`` if the driver does not support the rate.
  mutating func setBaud(_ baud: Int) throws(PortError)
}

extension Port where Self: ~Copyable {
  public var baud: Int? { nil }

  public mutating func setBaud(_ baud: Int) throws(PortError) {}

  /// Opens the port within five seconds.
  public mutating func open() throws(PortError) { try open(within: .seconds(5), unless: nil) }

  /// Whether the port is open.
  public var isOpen: Bool { descriptor >= 0 }
}
