import Telemetry

/// A place in a tenant's feed: how many changes were made before. It only goes up, in the order of the commits. After a
/// backup was restored, positions go on from a number that is higher than any that was given out before: that is the
/// generation in a position.
public struct FeedPosition: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Before the first change.
  public static let start = FeedPosition(rawValue: 0)

  public static func < (left: FeedPosition, right: FeedPosition) -> Bool { left.rawValue < right.rawValue }
}

/// A record that was stored, or whose time was improved.
public struct FeedChange: Equatable, Sendable {
  /// Behind this change: to go on after it.
  public var position: FeedPosition
  /// The record as it is now.
  public var record: StoredRecord
  /// The VIN of its vehicle, by which that may be asked for as well; nil: not known.
  public var vin: String?

  public init(position: FeedPosition, record: StoredRecord, vin: String? = nil) {
    self.position = position
    self.record = record
    self.vin = vin
  }
}
