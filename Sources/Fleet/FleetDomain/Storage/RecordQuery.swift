import Telemetry

/// Which records, in which order.
public struct RecordQuery: Equatable, Sendable {
  public enum Order: UInt8, Sendable { case oldestFirst, newestFirst }

  /// Records that one page may have.
  public static let maximumLimit = 10_000
  /// The longest span of ``every``, ms: 366 days.
  public static let maximumSpan: Int64 = 31_622_400_000

  /// Of this vehicle, by id or VIN; nil: of all. Telemetry of all vehicles cannot be asked for.
  public var vehicle: String?
  /// In these classes.
  public var classes: [RecordClass]
  /// From this time on; nil: from the first, those without a time before all others.
  public var from: Timestamp?
  /// Before this time; nil: to the last.
  public var to: Timestamp?
  /// Milliseconds, 1 to ``maximumSpan``: of each span of this length, counted from 1970, only the newest record. Spans without a
  /// record are absent, and so are records without a time. Needs a vehicle, one class, oldest first.
  public var every: Int64?
  public var order: Order
  /// From the page before; nil: the first page.
  public var cursor: String?
  /// 1 to ``maximumLimit`` records.
  public var limit: Int

  public init(
    vehicle: String?, classes: [RecordClass], from: Timestamp? = nil, to: Timestamp? = nil, every: Int64? = nil,
    order: Order = .newestFirst, cursor: String? = nil, limit: Int = 100
  ) {
    self.vehicle = vehicle
    self.classes = classes
    self.from = from
    self.to = to
    self.every = every
    self.order = order
    self.cursor = cursor
    self.limit = limit
  }

  /// A vehicle's telemetry, oldest first.
  public static func telemetry(
    of vehicle: String, from: Timestamp? = nil, to: Timestamp? = nil, every: Int64? = nil, cursor: String? = nil,
    limit: Int = 1_000
  ) -> RecordQuery {
    RecordQuery(
      vehicle: vehicle, classes: [.known(.telemetry)], from: from, to: to, every: every, order: .oldestFirst,
      cursor: cursor, limit: limit)
  }

  /// What `/trips` lists.
  public static let tripClasses: [RecordClass] = [.known(.trip)]
  /// What `/dtcs` lists.
  public static let dtcClasses: [RecordClass] = [.known(.dtc)]
  /// What `/events` lists.
  public static let eventClasses: [RecordClass] = [
    .known(.driving), .known(.geofence), .known(.adapter), .known(.gap), .known(.monitors), .known(.vehicle), .other,
  ]
}

/// One page of a list.
public struct Page<Element: Sendable>: Sendable {
  public var items: [Element]
  /// For the next page; nil: this was the last.
  public var next: String?

  public init(items: [Element], next: String?) {
    self.items = items
    self.next = next
  }
}

extension Page: Equatable where Element: Equatable {}
