import Telemetry

/// A period in which a gateway's own records belong to a vehicle.
///
/// Until a gateway knows its vehicle, it sends records with its own ID as the vehicle's ID. These are the gateway's own
/// records. If a trip begins in the gateway's own records and ends in records of a vehicle, those own records belong to
/// this vehicle. They stay stored under the gateway's ID, so that a repeated record is recognised as a duplicate. Lists
/// of the vehicle's records contain them, too.
public struct Attribution: Kind {
  public var gatewayID = ""
  /// The vehicle's id.
  public var vehicle = ""
  /// The trip that proves the attribution.
  public var tripID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var from = Timestamp(nanoseconds: 0)
  /// End of the period. A record with exactly this time does not belong to the vehicle.
  public var to = Timestamp(nanoseconds: 0)

  public init() {}

  /// Whether a record of the gateway belongs to the vehicle. Records of ``ownClasses`` never do.
  public func contains(_ record: StoredRecord) -> Bool {
    guard !Self.ownClasses.contains(record.recordClass), !record.isTimeAhead, let time = record.time else {
      return false
    }
    return from <= time && time < to
  }

  /// The classes of records about the gateway itself, not about a vehicle.
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
  /// Returns the attributions of a gateway's own records whose periods overlap a time range.
  public func attributions(
    of gateway: String, from first: Timestamp, through last: Timestamp
  ) throws(ThingError) -> [Attribution] {
    let query = ThingQuery<Attribution>(
      .oneOf(key: "gatewayId", [.text(gateway)]), .atMost(key: "from", last.json), .atLeast(key: "to", first.json),
      order: [.init("from")])
    return try listAll(query).map(\.value)
  }
}
