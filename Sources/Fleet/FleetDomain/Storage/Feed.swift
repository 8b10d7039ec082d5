import Telemetry

/// A position in a tenant's feed: the number of changes before it. Positions only increase, in the order of the
/// commits. After a backup is restored, they continue with a number above all earlier ones, which begins a new
/// generation.
public struct FeedPosition: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Before the first change.
  public static let start = FeedPosition(rawValue: 0)

  public static func < (left: FeedPosition, right: FeedPosition) -> Bool { left.rawValue < right.rawValue }
}

/// A record that was stored, or whose time was improved.
public struct FeedChange: Equatable, Sendable {
  /// The position after this change, from which a reader resumes.
  public var position: FeedPosition
  /// The record as it is now.
  public var record: StoredRecord
  /// The VIN of its vehicle, by which clients may subscribe; `nil` if unknown.
  public var vin: String?

  public init(position: FeedPosition, record: StoredRecord, vin: String? = nil) {
    self.position = position
    self.record = record
    self.vin = vin
  }
}
