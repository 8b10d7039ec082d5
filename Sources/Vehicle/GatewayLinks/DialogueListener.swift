import AdapterSession
import OBDWire

/// Receives the reports of an ``AdapterDriver`` in addition to the results of the wire.
///
/// Call order: ``begin(at:)``, then all reports of one turn of the loop, then ``end()``. All calls of a turn belong to
/// the time passed to ``begin(at:)`` and come from the driver's thread.
public protocol DialogueListener: ReplyHandler, ~Copyable {
  /// Begins a turn.
  ///
  /// - Parameter now: CLOCK_BOOTTIME, ns; for received bytes, the time at which read(2) returned.
  mutating func begin(at now: Int64)
  /// Reports an event of the adapter or vehicle. The session may be queried and changed.
  mutating func event(_ event: SessionEvent, _ session: inout AdapterSession)
  /// Reports bytes of the adapter before they are parsed.
  mutating func received(_ bytes: Span<UInt8>)
  /// Reports bytes that were sent to the adapter.
  mutating func sent(_ bytes: Span<UInt8>)
  /// Called when the loop's wake-up was signalled.
  ///
  /// - Returns: `false` to end the loop.
  mutating func wokenUp(_ session: inout AdapterSession) -> Bool
  /// Ends a turn.
  ///
  /// - Returns: `false` to end the loop.
  mutating func end() -> Bool
}

extension DialogueListener where Self: ~Copyable {
  public mutating func received(_ bytes: Span<UInt8>) {}
  public mutating func sent(_ bytes: Span<UInt8>) {}
  public mutating func wokenUp(_ session: inout AdapterSession) -> Bool { true }
  public mutating func end() -> Bool { true }
}
