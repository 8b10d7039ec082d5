/// A bidirectional byte connection to a device: a serial, Bluetooth or TCP port, a replayed recording, or a simulated
/// vehicle.
///
///     var port = SerialPort(path: "/dev/ttyUSB0")
///     try port.open()
///     let count = try port.read(into: &buffer)
///     port.close()
///
/// One thread owns a port and calls, in this order:
///
/// 1. `open`, once. It blocks for at most its limit. If it throws, the port remains closed and may be opened again.
/// 2. `read`, `write` and `setBaud`, any number of times. None of them blocks. To wait, use poll(2) with `descriptor`,
///    as ``PortLoop`` does. After an error, continue with step 3.
/// 3. `close`, any number of times, even if the port was never opened. After it, step 1 is possible again.
///
/// An implementation needs no locks, and must not allocate memory between `open` and `close`.
public protocol Port: ~Copyable {
  /// Name of the port in messages: a path, `tcp:192.168.0.10:35000`, `rfcomm:00:1D:A5:68:98:8A` or
  /// `ble:00:1D:A5:68:98:8A`.
  var name: String { get }

  /// The descriptor for poll(2); -1 while the port is closed. It is readable when bytes have arrived or the device is
  /// gone.
  var descriptor: Int32 { get }

  /// The baud rate that was set last, bits per second; `nil` if the port has no baud rate.
  var baud: Int? { get }

  /// Opens the port.
  ///
  /// - Parameters:
  ///   - limit: maximum time for opening.
  ///   - wakeUp: interrupts opening when it is signalled, and remains signalled; `nil` for none.
  /// - Throws: ``PortError``; its kind is ``PortError/Kind/timedOut`` after the limit, and
  ///   ``PortError/Kind/interrupted`` after the wake-up.
  mutating func open(within limit: Duration, unless wakeUp: WakeUp?) throws(PortError)

  /// Closes the port. Bytes that were not sent yet are lost.
  mutating func close()

  /// Reads the bytes that have arrived.
  ///
  /// - Parameter buffer: receives the bytes, beginning at its first element.
  /// - Returns: the number of bytes read; 0 if none have arrived.
  /// - Throws: ``PortError/Kind/gone`` if the device is gone.
  mutating func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int

  /// Writes as many bytes as the port accepts now.
  ///
  /// - Returns: the number of bytes written, counted from the first; 0 if the port accepts none now.
  /// - Throws: ``PortError/Kind/gone`` if the device is gone.
  mutating func write(_ bytes: Span<UInt8>) throws(PortError) -> Int

  /// Changes the baud rate, and discards bytes that were received but not read. Does nothing if the port has no baud
  /// rate.
  ///
  /// Bytes that are still being sent would be garbled. Therefore, call this only after the device has answered, or has
  /// been silent for some time.
  ///
  /// - Parameter baud: the new rate, bits per second.
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
