/// What a ``PortLoop`` tells: the logic of one line, with every moment handed in, so that it can be tested without any.
///
/// Calls come one after another, in the loop's thread. `opened` is the first. Each may ask for things by `actions`; none
/// may wait for anything or take memory from the heap. Moments are those of ``BootClock``.
public protocol PortHandler: ~Copyable {
  /// The loop begins on an open port.
  mutating func opened(at now: Int64, _ actions: inout PortActions)
  /// Bytes have arrived, as many as one read brought: at most ``PortLoop/inputCapacity``.
  ///
  /// - Parameter now: when the read that brought them returned.
  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions)
  /// ``PortActions/deadline`` has come; it is nil now.
  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions)
  /// The loop's ``WakeUp`` rang; it is silent now.
  mutating func wokenUp(at now: Int64, _ actions: inout PortActions)
  /// Bytes that were sent have left for the device.
  mutating func sent(_ bytes: Span<UInt8>, at now: Int64)
  /// The driver cannot make the rate that was asked for: the line has the one before, and what was to be sent at the new
  /// one is forgotten.
  ///
  /// - Returns: false where the handler has no other rate: the loop ends with the port's error.
  mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool
}

extension PortHandler where Self: ~Copyable {
  public mutating func opened(at now: Int64, _ actions: inout PortActions) {}
  public mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) {}
  public mutating func wokenUp(at now: Int64, _ actions: inout PortActions) {}
  public mutating func sent(_ bytes: Span<UInt8>, at now: Int64) {}
  public mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool { false }
}
