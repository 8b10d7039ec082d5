import Telemetry

/// A position in a tenant's feed: the number of changes before it. Positions increase in the order of the commits.
/// After a backup was restored, new positions are higher than all positions that were used before (a new generation).
/// Positions that are stored in the same database stay valid, because they are restored together with the feed.
public struct FeedPosition: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// The position before the first change.
  public static let start = FeedPosition(rawValue: 0)

  public static func < (left: FeedPosition, right: FeedPosition) -> Bool { left.rawValue < right.rawValue }
}

/// A change in a tenant's feed: a new record, or a better (more accurate) time for a stored record.
public struct FeedChange: Equatable, Sendable {
  /// The position after this change, from which a reader resumes.
  public var position: FeedPosition
  /// The record in its current state, which may include later changes.
  public var record: StoredRecord
  /// The VIN of the record's vehicle, by which clients may subscribe; `nil` if unknown.
  public var vin: String?

  public init(position: FeedPosition, record: StoredRecord, vin: String? = nil) {
    self.position = position
    self.record = record
    self.vin = vin
  }
}
