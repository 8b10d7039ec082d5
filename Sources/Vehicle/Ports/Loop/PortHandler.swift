/// The logic of a connection, which a ``PortLoop`` calls. All times are parameters, so that tests need no real time.
///
/// The loop's thread calls the methods one after another, beginning with `opened`. In each call, the handler may
/// request actions of the loop through `actions`. Implementations must neither block nor allocate memory. Times are
/// those of ``BootClock``.
public protocol PortHandler: ~Copyable {
  /// Handles the start of the loop. The port is open.
  mutating func opened(at now: Int64, _ actions: inout PortActions)
  /// Handles bytes that have arrived.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of one read, at most ``PortLoop/inputCapacity``.
  ///   - now: time at which the read returned.
  ///   - actions: receives the actions that the handler requests from the loop.
  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions)
  /// Handles the deadline in ``PortActions/deadline``, which has passed. The property is `nil` when this is called.
  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions)
  /// Handles a signal of the loop's ``WakeUp``. The signal is already cleared.
  mutating func wokenUp(at now: Int64, _ actions: inout PortActions)
  /// Handles the information that these bytes were written to the device.
  mutating func sent(_ bytes: Span<UInt8>, at now: Int64)
  /// Handles a requested baud rate that the port's driver does not support. The port keeps its former rate, and bytes
  /// that were to be sent at the requested rate are discarded.
  ///
  /// - Returns: `false` if the handler cannot continue at another rate. The loop then ends with the port's error.
  mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool
}

extension PortHandler where Self: ~Copyable {
  public mutating func opened(at now: Int64, _ actions: inout PortActions) {}
  public mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) {}
  public mutating func wokenUp(at now: Int64, _ actions: inout PortActions) {}
  public mutating func sent(_ bytes: Span<UInt8>, at now: Int64) {}
  public mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool { false }
}
