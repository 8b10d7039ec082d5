import AdapterSession
import OBDWire

/// Receives the events and bytes that an ``AdapterDriver`` reports, in addition to the decoded replies that every
/// ``OBDWire/ReplyHandler`` receives.
///
/// In each pass of the poll loop, ``begin(at:)`` is called first, then the other functions, then ``end()``. All these
/// calls belong to the time that ``begin(at:)`` received. The thread that runs the driver makes them.
public protocol DialogueListener: ReplyHandler, ~Copyable {
  /// Begins the reports of one pass of the poll loop.
  ///
  /// - Parameter now: time of the reports, ns since boot (CLOCK_BOOTTIME). For received bytes, it is the time at which
  ///   read(2) returned.
  mutating func begin(at now: Int64)
  /// Reports an event of the adapter or vehicle. The listener may query and change the session.
  mutating func event(_ event: SessionEvent, _ session: inout AdapterSession)
  /// Reports bytes that the adapter has sent, before they are parsed.
  mutating func received(_ bytes: Span<UInt8>)
  /// Reports bytes that were sent to the adapter.
  mutating func sent(_ bytes: Span<UInt8>)
  /// Reports that the wake-up of the poll loop was signalled.
  ///
  /// - Returns: `false` to end the poll loop.
  mutating func wokenUp(_ session: inout AdapterSession) -> Bool
  /// Ends the reports of one pass of the poll loop.
  ///
  /// - Returns: `false` to end the poll loop.
  mutating func end() -> Bool
}

extension DialogueListener where Self: ~Copyable {
  public mutating func received(_ bytes: Span<UInt8>) {}
  public mutating func sent(_ bytes: Span<UInt8>) {}
  public mutating func wokenUp(_ session: inout AdapterSession) -> Bool { true }
  public mutating func end() -> Bool { true }
}
