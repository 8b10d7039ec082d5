/// A vehicle's entry to, exit from or dwell in a fence.
public struct FenceEvent: BitwiseCopyable, Equatable, Sendable {
  /// The kind of event.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    case enter, exit, dwell
  }

  /// The fence, as an index into ``FenceSet/fences``.
  public var fence: Int
  /// The kind of event.
  public var kind: Kind
  /// Time of the event, ns: the time of the fix at which the event was detected. If the path between two fixes crosses
  /// the boundary, the time may be interpolated.
  public var time: Int64
  /// Position of the vehicle at the time of the event.
  public var position: GeoPosition

  /// Creates an event.
  public init(fence: Int, kind: Kind, time: Int64, position: GeoPosition) {
    self.fence = fence
    self.kind = kind
    self.time = time
    self.position = position
  }
}

/// Receives the events that a ``FenceWatch`` detects.
///
/// ``FenceWatch/fix(_:into:)`` calls the handler synchronously, on the caller's thread, once for each event in the
/// order of time.
public protocol FenceHandler: ~Copyable {
  /// Receives an event. The index of its fence is valid until the set of fences in the ``FenceWatch`` is replaced.
  mutating func fenceEvent(_ event: FenceEvent)
}
