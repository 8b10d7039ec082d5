/// The logic of a connection, called by a ``PortLoop``. All times are parameters, so that tests need no real time.
///
/// Calls are sequential, in the loop's thread, beginning with `opened`. Each may make requests by `actions`.
/// Implementations must neither block nor allocate memory. Times are those of ``BootClock``.
public protocol PortHandler: ~Copyable {
  /// Called when the loop begins, with an open port.
  mutating func opened(at now: Int64, _ actions: inout PortActions)
  /// Called when bytes have arrived.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of one read, at most ``PortLoop/inputCapacity``.
  ///   - now: time at which the read returned.
  ///   - actions: receives the requests.
  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions)
  /// Called when ``PortActions/deadline`` has passed. The deadline is `nil` then.
  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions)
  /// Called when the loop's ``WakeUp`` was signalled. The signal is cleared then.
  mutating func wokenUp(at now: Int64, _ actions: inout PortActions)
  /// Called when bytes have been written to the device.
  mutating func sent(_ bytes: Span<UInt8>, at now: Int64)
  /// Called if the driver does not support a requested rate. The port keeps the previous rate, and bytes for the new
  /// one are discarded.
  ///
  /// - Returns: `false` if the handler has no alternative. The loop then ends with the port's error.
  mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool
}

extension PortHandler where Self: ~Copyable {
  public mutating func opened(at now: Int64, _ actions: inout PortActions) {}
  public mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) {}
  public mutating func wokenUp(at now: Int64, _ actions: inout PortActions) {}
  public mutating func sent(_ bytes: Span<UInt8>, at now: Int64) {}
  public mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool { false }
}
