import Telemetry

/// A query for records.
public struct RecordQuery: Equatable, Sendable {
  public enum Order: UInt8, Sendable { case oldestFirst, newestFirst }

  /// The maximum number of records in one page.
  public static let maximumLimit = 10_000
  /// The maximum value of ``every`` in ms: 366 days.
  public static let maximumSpan: Int64 = 31_622_400_000

  /// The vehicle's ID or VIN; `nil` for all vehicles, which is not allowed for telemetry.
  public var vehicle: String?
  /// If not `nil`, the query returns the records that this gateway sent under its own ID, before it knew its vehicle
  /// (``Attribution``). `nil` for records of vehicles.
  public var gateway: String?
  /// The classes whose records are returned.
  public var classes: [RecordClass]
  /// The beginning of the time range; `nil` for no limit. Without a limit, records without a time are included; they
  /// count as the oldest records.
  public var from: Timestamp?
  /// The end of the time range, exclusive; `nil` for no limit.
  public var to: Timestamp?
  /// Length of time spans in ms, 1 to ``maximumSpan``; `nil` for all records. If set, only the newest record of each
  /// span is returned; the first span begins at the start of 1970. Records without a time are omitted. It requires a
  /// vehicle, a single class, and the order from the oldest to the newest.
  public var every: Int64?
  public var order: Order
  /// The records that the caller may see. A cursor stays valid if the selection changes.
  public var selection: VehicleSelection
  /// The ``Page/next`` of the previous page; `nil` for the first page.
  public var cursor: String?
  /// Maximum number of records on the page, 1 to ``maximumLimit``.
  public var limit: Int

  public init(
    vehicle: String?, gateway: String? = nil, classes: [RecordClass], from: Timestamp? = nil, to: Timestamp? = nil,
    every: Int64? = nil,
    order: Order = .newestFirst, selection: VehicleSelection = .all, cursor: String? = nil, limit: Int = 100
  ) {
    self.vehicle = vehicle
    self.gateway = gateway
    self.classes = classes
    self.from = from
    self.to = to
    self.every = every
    self.order = order
    self.selection = selection
    self.cursor = cursor
    self.limit = limit
  }

  /// Creates a query for a vehicle's telemetry, oldest first.
  public static func telemetry(
    of vehicle: String, from: Timestamp? = nil, to: Timestamp? = nil, every: Int64? = nil, cursor: String? = nil,
    limit: Int = 1_000
  ) -> RecordQuery {
    RecordQuery(
      vehicle: vehicle, classes: [.known(.telemetry)], from: from, to: to, every: every, order: .oldestFirst,
      cursor: cursor, limit: limit)
  }

  /// The classes of the records that the route `/trips` returns.
  public static let tripClasses: [RecordClass] = [.known(.trip)]
  /// The classes of the records that the route `/dtcs` returns.
  public static let dtcClasses: [RecordClass] = [.known(.dtc)]
  /// The classes of the records that the route `/events` returns.
  public static let eventClasses: [RecordClass] = [
    .known(.driving), .known(.geofence), .known(.adapter), .known(.gap), .known(.monitors), .known(.vehicle), .other,
  ]
}

/// One page of a list.
public struct Page<Element: Sendable>: Sendable {
  public var items: [Element]
  /// The cursor of the next page; `nil` if this is the last page.
  public var next: String?
  /// The rows that were left out because they cannot be read, each with the reason.
  public var unreadable: [String] = []

  public init(items: [Element], next: String?) {
    self.items = items
    self.next = next
  }
}

extension Page: Equatable where Element: Equatable {}
