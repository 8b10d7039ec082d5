import FleetAccess
import FleetDomain
import FleetWork
import Telemetry

/// A thing that was changed, with the data that decide which clients learn of it.
struct ChangedThing: Sendable {
  let area: Area
  /// The name of the thing in paths.
  let name: String
  /// The id of the vehicle that the thing is about; `nil` if there is none.
  let vehicle: String?
  /// The time of a meter reading that comes from a gateway; `nil` for another thing. A message about such a reading
  /// shows that a trip has just ended.
  let readAt: Timestamp?
  /// The version of the thing; 0 if it was removed.
  let version: Int64
  /// The thing's id and the texts in its fields, among them the ids of other things. A thing counts as a person's own
  /// only if these texts contain the id of the person, or of a driver or a vehicle of this person.
  let mentions: Set<String>
  /// Returns the relation of the thing to a caller.
  let relation: @Sendable (Identity, any FleetView) throws(ThingError) -> Relation
}

/// The kinds of things whose changes are sent on live channels.
struct ChangedKinds: Sendable {
  /// The functions that read a changed thing of one kind.
  fileprivate struct Reader: Sendable {
    /// Returns the thing with an id; `nil` if it does not exist.
    let find: @Sendable (UUIDv7, any FleetView) throws(ThingError) -> ChangedThing?
    /// Returns a removed thing.
    let removed: @Sendable (UUIDv7, ThingChange) throws(FieldError) -> ChangedThing
  }

  private let readers: [String: Reader]

  init(storage: any FleetStorage) {
    let (work, maintenance) = (WorkRoutes(storage: storage), MaintenanceRoutes(storage: storage))
    let inspections = InspectionRoutes(storage: storage)
    readers = Dictionary(
      uniqueKeysWithValues: [
        Self.kind(VehicleRoutes(storage: storage).things), Self.kind(FleetGroupRoutes(storage: storage).things),
        Self.kind(work.drivers), Self.kind(work.assignments), Self.kind(work.expenses),
        Self.kind(FuelRoutes(storage: storage).entries), Self.kind(JourneyRoutes(storage: storage).journeys),
        Self.kind(inspections.inspections), Self.kind(inspections.ownChecklists),
        Self.kind(DocumentRoutes(storage: storage).documents), Self.kind(maintenance.readings),
        Self.kind(maintenance.serviceTypes), Self.kind(maintenance.schedules), Self.kind(maintenance.records),
        Self.kind(maintenance.defects), Self.kind(NotificationRoutes(storage: storage).rules),
        Self.kind(SettingsRoutes(storage: storage).things),
        Self.people,
      ])
  }

  /// Whether the changes of a kind are sent.
  ///
  /// - Parameter kind: the name of the kind, as in the audit.
  func contains(_ kind: String) -> Bool { readers[kind] != nil }

  /// Returns a changed thing.
  ///
  /// - Parameter kind: the name of the kind, as in the audit.
  /// - Returns: `nil` if the thing does not exist.
  func find(_ id: UUIDv7, _ kind: String, _ view: any FleetView) throws(ThingError) -> ChangedThing? {
    try readers[kind]?.find(id, view)
  }

  /// Returns a removed thing.
  ///
  /// - Parameters:
  ///   - kind: the name of the kind, as in the audit.
  ///   - before: the fields that the audit contains. Encrypted fields are ignored.
  /// - Throws: an error if a field has an invalid value.
  func removed(
    _ id: UUIDv7, _ kind: String, before: [String: JSON]
  ) throws(FieldError) -> ChangedThing? {
    let change = ThingChange(before: before.filter { !PersonalSeal.isSealed($0.value) }, after: [:])
    return try readers[kind]?.removed(id, change)
  }

  private static var people: (String, Reader) {
    kind(
      .people, { (person: Stored<Person>) in person.id.string },
      { (person: Stored<Person>, identity: Identity, _: any FleetView) throws(ThingError) in
        person.relation(to: identity)
      })
  }

  private static func kind<Value: Kind>(_ routes: ThingRoutes<Value>) -> (String, Reader) {
    kind(routes.area, routes.name, routes.relation)
  }

  private static func kind<Value: Kind>(
    _ area: Area, _ name: @escaping @Sendable (Stored<Value>) -> String,
    _ relation: @escaping @Sendable (Stored<Value>, Identity, any FleetView) throws(ThingError) -> Relation
  ) -> (String, Reader) {
    @Sendable func changed(_ stored: Stored<Value>) -> ChangedThing {
      let value = stored.value
      return ChangedThing(
        area: area, name: name(stored), vehicle: vehicle(of: value),
        readAt: (value as? MeterReading).flatMap { $0.source == .gateway ? $0.at : nil }, version: stored.version,
        mentions: Set(Value.fields.compactMap { $0.json(value).textValue }).union([stored.id.string]),
        relation: { identity, view throws(ThingError) in try relation(stored, identity, view) })
    }
    let reader = Reader(
      find: { id, view throws(ThingError) in try view.find(id, Value.self).map(changed) },
      removed: { id, change throws(FieldError) in
        let start = Timestamp(nanoseconds: 0)
        let value = try Value().reverting(change)
        return changed(Stored(id: id, version: 0, createdAt: start, updatedAt: start, value: value))
      })
    return (Value.names.one, reader)
  }

  private static func vehicle<Value: Kind>(of value: Value) -> String? {
    if let vehicle = value as? Vehicle { return vehicle.id }
    if let thing = value as? any WorkThing { return thing.vehicleID }
    return (value as? any VehicleThing)?.vehicleID
  }
}
