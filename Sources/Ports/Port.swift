/// A line to a device that bytes go over in both directions: serial, Bluetooth, TCP, a replay, a simulated car.
///
/// One thread owns a port and calls, in this order:
///
/// 1. `open`, once. It may take up to its limit. Where it throws, the port is closed still, and may be opened again.
/// 2. `read`, `write` and `setBaud` as often as it likes. None of them waits: `poll(2)` on `descriptor` does, in a
///    ``PortLoop``. The first error that one of them throws is the last: go on with 3.
/// 3. `close`, any number of times, also when never opened. After that 1 again.
///
/// An implementation needs no locks, and from `open` to `close` takes nothing from the heap.
public protocol Port: ~Copyable {
  /// How messages call it: a path, `tcp:192.168.0.10:35000`, `rfcomm:00:1D:A5:68:98:8A`,
  /// `ble:00:1D:A5:68:98:8A`.
  var name: String { get }

  /// What `poll(2)` waits on: readable when there are bytes or the device is gone. -1 while closed.
  var descriptor: Int32 { get }

  /// Bits a second as the device was last set to; nil on a line that has no rate.
  var baud: Int? { get }

  /// Opens the line.
  ///
  /// - Parameters:
  ///   - limit: how long it may take; past it ``PortError/Kind/timedOut``.
  ///   - wakeUp: when this is signalled, opening gives up with ``PortError/Kind/interrupted``. The signal stays.
  mutating func open(within limit: Duration, unless wakeUp: WakeUp?) throws(PortError)

  /// Closes the line; what had not left is lost.
  mutating func close()

  /// Reads what has arrived.
  ///
  /// - Returns: how many bytes were put at the beginning of `buffer`; 0: none are there now.
  /// - Throws: ``PortError/Kind/gone`` where no more will ever come.
  mutating func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int

  /// Writes what there is room for.
  ///
  /// - Returns: how many bytes have left, from the first on; 0: no room now.
  /// - Throws: ``PortError/Kind/gone`` where nobody will ever read them.
  mutating func write(_ bytes: Span<UInt8>) throws(PortError) -> Int

  /// Changes the rate and forgets what was received at the old one. Bytes written and still under way would be
  /// garbled: call it when the device has answered, or said nothing.
  ///
  /// Nothing happens on a line that has no rate.
  mutating func setBaud(_ baud: Int) throws(PortError)
}

extension Port where Self: ~Copyable {
  public var baud: Int? { nil }

  public mutating func setBaud(_ baud: Int) throws(PortError) {}

  /// Opens the line within five seconds.
  public mutating func open() throws(PortError) { try open(within: .seconds(5), unless: nil) }

  /// True between `open` and `close`.
  public var isOpen: Bool { descriptor >= 0 }
}
