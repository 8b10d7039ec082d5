import Telemetry

/// A period in which the own records of a gateway belong to a vehicle.
///
/// Until a gateway knows its vehicle, it sends records under its own id. These are the gateway's own records. A trip
/// that begins in them and ends in records of a vehicle proves that they belong to this vehicle. The records stay those
/// of the gateway, so that a repeated one is still recognised; lists of the vehicle contain them in addition.
public struct Attribution: Kind {
  public var gatewayID = ""
  /// The vehicle's id.
  public var vehicle = ""
  /// The trip that proves it.
  public var tripID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var from = Timestamp(nanoseconds: 0)
  /// The end of the period, which is not part of it.
  public var to = Timestamp(nanoseconds: 0)

  public init() {}

  /// Whether a record of the gateway belongs to the vehicle. Reports about the gateway itself never do.
  public func contains(_ record: StoredRecord) -> Bool {
    guard !Self.ownClasses.contains(record.recordClass), !record.isTimeAhead, let time = record.time else {
      return false
    }
    return from <= time && time < to
  }

  /// The classes of records that are about the gateway, and not about a vehicle.
  public static let ownClasses: Set<RecordClass> = [.known(.gap), .known(.adapter)]

  public static let names = KindNames(one: "attribution", many: "attributions")
  public static let fields: [Field<Attribution>] = [
    Field("gatewayId", \.gatewayID).filterable(),
    Field("vehicleId", \.vehicle).filterable(as: "vehicle"),
    Field("tripId", \.tripID).filterable(),
    Field("from", \.from).sortable(),
    Field("to", \.to).sortable(),
  ]
}

extension FleetView {
  /// Returns the attributions of a gateway's own records that contain times of a range.
  public func attributions(
    of gateway: String, from first: Timestamp, through last: Timestamp
  ) throws(ThingError) -> [Attribution] {
    var query = ThingQuery<Attribution>(
      .oneOf(key: "gatewayId", [.text(gateway)]), .atMost(key: "from", last.json), .atLeast(key: "to", first.json),
      order: [.init("from")], limit: 1_000)
    var found: [Attribution] = []
    repeat {
      let page = try list(query)
      found += page.items.map(\.value)
      query.cursor = page.next
    } while query.cursor != nil
    return found
  }
}
