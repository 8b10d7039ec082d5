import AdapterSession
import OBDWire

/// What an ``AdapterDriver`` tells, beside what the wire reads.
///
/// Call order: ``begin(at:)`` first in each turn, then whatever happened in it, then ``end()``. All calls of a turn belong
/// to the moment that began it, and come from the driver's thread.
public protocol DialogueListener: ReplyHandler, ~Copyable {
  /// - Parameter now: ns of CLOCK_BOOTTIME; for bytes, when the read(2) that brought them returned.
  mutating func begin(at now: Int64)
  /// Something happened to adapter or vehicle; the session may be asked what it knows, and told what to do.
  mutating func event(_ event: SessionEvent, _ session: inout AdapterSession)
  /// Bytes that came from the adapter, before anything is read from them.
  mutating func received(_ bytes: Span<UInt8>)
  /// Bytes that have left for the adapter.
  mutating func sent(_ bytes: Span<UInt8>)
  /// Somebody rang the loop's wakeUp.
  ///
  /// - Returns: false to end the loop.
  mutating func wokenUp(_ session: inout AdapterSession) -> Bool
  /// The turn is over.
  ///
  /// - Returns: false to end the loop.
  mutating func end() -> Bool
}

extension DialogueListener where Self: ~Copyable {
  public mutating func received(_ bytes: Span<UInt8>) {}
  public mutating func sent(_ bytes: Span<UInt8>) {}
  public mutating func wokenUp(_ session: inout AdapterSession) -> Bool { true }
  public mutating func end() -> Bool { true }
}
