import Telemetry

/// A group of a tenant's vehicles that is administered together, for example a depot. A vehicle belongs to at most one
/// fleet (``Vehicle/fleetID``).
public struct Fleet: Kind {
  public var name = ""
  /// The IANA name of the time zone in which the days of the fleet's vehicles begin; `nil` for the time zone of the
  /// tenant (``TenantSettings/timeZone``).
  public var timeZone: String?
  public var notes: String?
  /// The times of the week in which the vehicles are expected to be used; empty for all times. Utilization is computed
  /// for these times.
  public var workingHours: [WorkingHours]?

  public init() {}

  public static let names = KindNames(one: "fleet", many: "fleets")
  public static let fields: [Field<Fleet>] = [
    Field("name", \.name, TextRules.shown).required().filterable().sortable().textSearched(),
    Field("timeZone", \.timeZone, TextRules.timeZone),
    Field("notes", \.notes, TextRules.long).textSearched(),
    Field("workingHours", \.workingHours) { hours throws(FieldError) in
      guard hours?.count ?? 0 <= 20 else { throw FieldError("", "expected at most 20 parts of the week") }
    },
  ]

  /// The maximum number of vehicles that one request may add to or remove from fleets.
  public static let mostMoves = 1_000
}

extension FleetView {
  /// Returns the ids of a fleet's vehicles, in the order of the ids.
  public func vehicles(of fleet: UUIDv7) throws(ThingError) -> [String] {
    try values(["id"], ThingQuery<Vehicle>(.oneOf(key: "fleetId", [fleet.json]), order: [.init("id")]))
      .compactMap { $0[0].textValue }
  }
}

extension FleetView {
  /// Returns all vehicles of the given fleets. The keys are the IDs of the vehicles, and the values are the IDs of
  /// their fleets.
  public func fleetsOfVehicles(in fleets: Set<UUIDv7>) throws(ThingError) -> [String: UUIDv7] {
    var found: [String: UUIDv7] = [:]
    guard !fleets.isEmpty else { return found }
    for values in try values(["id", "fleetId"], ThingQuery<Vehicle>(.oneOf(key: "fleetId", fleets.map(\.json)))) {
      guard let id = values[0].textValue, let fleet = values[1].textValue.flatMap({ UUIDv7($0.utf8.span) }) else {
        continue
      }
      found[id] = fleet
    }
    return found
  }
}
