/// The logic of a connection, called by a ``PortLoop``. All times are parameters, so that tests need no real time.
///
/// The loop's thread makes all calls, one after another; the first is `opened`. Each may request something from the
/// loop by `actions`. Implementations must neither block nor allocate memory. Times are those of ``BootClock``.
public protocol PortHandler: ~Copyable {
  /// Called when the loop begins, with an open port.
  mutating func opened(at now: Int64, _ actions: inout PortActions)
  /// Called when bytes have arrived.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that were read at once, at most ``PortLoop/inputCapacity``.
  ///   - now: time at which the read returned.
  ///   - actions: receives the handler's requests to the loop.
  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions)
  /// Called when ``PortActions/deadline`` has come. The deadline is `nil` by then.
  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions)
  /// Called when the loop's ``WakeUp`` was signalled. The signal is already cleared.
  mutating func wokenUp(at now: Int64, _ actions: inout PortActions)
  /// Called when bytes were written to the device.
  mutating func sent(_ bytes: Span<UInt8>, at now: Int64)
  /// Called if the port's driver does not support a baud rate that the handler has requested. The port keeps its former
  /// rate, and bytes that were to be sent at the new one are discarded.
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
