/// What the vehicle did at a fence.
public struct FenceEvent: BitwiseCopyable, Equatable, Sendable {
  /// The three things that are told.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    case enter, exit, dwell
  }

  /// Index into ``FenceSet/fences``.
  public var fence: Int
  public var kind: Kind
  /// The time of the fix that decided it; of a fence crossed between two fixes, the time on the way between them.
  public var time: Int64
  /// Where the vehicle was at that time.
  public var position: GeoPosition

  public init(fence: Int, kind: Kind, time: Int64, position: GeoPosition) {
    self.fence = fence
    self.kind = kind
    self.time = time
    self.position = position
  }
}

/// Takes what a ``FenceWatch`` finds.
///
/// Calls come from inside ``FenceWatch/fix(_:into:)`` only, on the caller's thread, in the order of their times.
public protocol FenceHandler: ~Copyable {
  /// Something happened at a fence. Valid until the watch is given another set.
  mutating func fenceEvent(_ event: FenceEvent)
}
