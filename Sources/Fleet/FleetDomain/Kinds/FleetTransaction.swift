import Telemetry

/// A consistent view of a tenant's things.
///
/// Calls are synchronous. All calls run in one transaction, on a thread of the database.
public protocol FleetView {
  /// Returns a thing by its id; `nil` if there is none.
  func find<Value: Kind>(_ id: UUIDv7, _ kind: Value.Type) throws(ThingError) -> Stored<Value>?

  /// Returns a page of things.
  ///
  /// - Throws: `storage` with `invalidCursor` or `invalidQuery`.
  func list<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> Page<Stored<Value>>

  /// Returns the number of things that match a query. The query's limit, order and cursor are ignored.
  func count<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> Int64

  /// Returns the values of some fields, for all things that match a query, in the query's order. The query's limit and
  /// cursor are ignored.
  ///
  /// - Parameter keys: the keys of the fields.
  /// - Returns: one array for each thing, with the values in the order of the keys.
  func values<Value: Kind>(_ keys: [String], _ query: ThingQuery<Value>) throws(ThingError) -> [[JSON]]

  /// Returns a page of the audit, newest first.
  ///
  /// - Parameters:
  ///   - thing: id of the thing whose entries are returned; `nil` for all entries.
  ///   - number: only entries with lower numbers are returned; `nil` for the first page.
  func audit(thing: UUIDv7?, before number: Int64?, limit: Int) throws(ThingError) -> [AuditEntry]

  /// Returns the newest position of each vehicle that has one, in the order of the vehicles' ids.
  ///
  /// - Parameters:
  ///   - fleets: the fleets whose vehicles are returned; `nil` for all vehicles.
  ///   - drivers: the ids of drivers; `nil` to return all positions. If a vehicle's newest records may belong to a
  ///     private journey of any other driver, its values are left out (``LastKnown/isPrivate``). For such a vehicle,
  ///     call ``newestPlace(of:within:)``.
  func positions(fleets: [UUIDv7]?, hidingPrivateExcept drivers: [UUIDv7]?) throws(ThingError) -> [LastKnown]

  /// Returns the newest position of a vehicle that is in the selection; `nil` if there is none.
  ///
  /// - Parameter vehicle: the vehicle's id.
  /// - Returns: the position, and the driver to whom the vehicle was assigned at its time; `nil` if there was none.
  func newestPlace(
    of vehicle: String, within selection: VehicleSelection
  ) throws(ThingError) -> (place: LastKnown.Place, driver: UUIDv7?)?

  /// Returns the rules of a time zone from the machine's IANA database.
  ///
  /// - Parameter name: for example `Europe/Vienna`; `nil` for UTC.
  /// - Returns: the rules; those of UTC if the database does not contain the name.
  func zone(_ name: String?) -> ZoneRules

  /// Returns the rules of the time zone in which the days of a fleet begin: the zone of the fleet, otherwise of the
  /// tenant, otherwise UTC.
  ///
  /// - Parameter fleet: `nil` for the tenant.
  func zone(ofFleet fleet: UUIDv7?) throws(ThingError) -> ZoneRules

  /// Returns the sums of the figures of days, one sum for each group. They do not depend on who reads them, so private
  /// journeys are left out as ``DaySums`` describes.
  ///
  /// - Parameters:
  ///   - grouping: the property by which the days are grouped.
  ///   - fleet: the fleet whose vehicles are counted; `nil` for all.
  ///   - first: the first day that is counted.
  ///   - last: the last day that is counted.
  ///   - now: the current time, which determines whether a day has ended.
  func daySums(
    by grouping: DaySums.Grouping, fleet: UUIDv7?, from first: CalendarDate, through last: CalendarDate,
    at now: Timestamp
  ) throws(ThingError) -> [DaySums]

  /// Returns stale hours: hours with records that the figures of days do not include yet. For each vehicle and day
  /// (UTC) with stale hours, the result contains the first and the last of them. After a change of a vehicle's time
  /// zone, the hours of all its days in the former zone are stale until its figures are computed again.
  ///
  /// - Parameters:
  ///   - fleet: the fleet whose vehicles are returned; `nil` for all.
  ///   - hours: the hours that are searched, as numbers of hours since 1970.
  func staleHours(fleet: UUIDv7?, in hours: ClosedRange<Int64>) throws(ThingError) -> [StaleHours]

  /// Returns the figures of days, sorted by the vehicles' ids, then by the days.
  ///
  /// - Parameters:
  ///   - vehicles: ids of vehicles; `nil` for all.
  ///   - first: the first day that is returned.
  ///   - last: the last day that is returned.
  func days(
    of vehicles: [String]?, from first: CalendarDate, through last: CalendarDate
  ) throws(ThingError) -> [(vehicle: String, day: VehicleDay)]
}

extension FleetView {
  /// Maximum number of earlier versions of a thing that one request reads. Without this limit, a long transaction could
  /// delay all tenants.
  public static var mostHistory: Int64 { 256 }

  /// Returns a thing that must exist.
  ///
  /// - Throws: `notFound` if there is no thing with the id.
  public func existing<Value: Kind>(_ id: UUIDv7, _ kind: Value.Type) throws(ThingError) -> Stored<Value> {
    guard let stored = try find(id, kind) else {
      throw .notFound(kind: Value.names.one, id: id.json.textValue ?? "")
    }
    return stored
  }

  /// Returns the first thing that matches a query; `nil` if there is none.
  public func first<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> Stored<Value>? {
    var query = query
    query.limit = 1
    return try list(query).items.first
  }
}

/// A transaction that changes a tenant's things.
///
/// Transactions of one tenant run one after another. A rule that was checked is therefore still satisfied at the
/// commit. If the closure with the work throws an error, nothing is changed. The closure may run more than once, so its
/// only effects must be calls of the transaction.
public protocol FleetTransaction: FleetView {
  /// The time of all changes of the transaction.
  var now: Timestamp { get }

  /// Adds a thing.
  ///
  /// - Parameter id: the thing's id; `nil` to create one.
  /// - Throws: `duplicate`; `exists` if there is a thing with the id.
  @discardableResult
  func insert<Value: Kind>(_ value: Value, id: UUIDv7?, action: String) throws(ThingError) -> Stored<Value>

  /// Changes a thing. Does nothing if the new value equals the old one.
  ///
  /// - Parameter action: name of the action in the audit.
  /// - Throws: `duplicate`.
  @discardableResult
  func update<Value: Kind>(_ stored: Stored<Value>, to value: Value, action: String) throws(ThingError) -> Stored<Value>

  /// Sets the live fields of a thing (``Field/Access/live``), without a new version and without an audit entry. Other
  /// fields are not changed.
  @discardableResult
  func refresh<Value: Kind>(_ stored: Stored<Value>, to value: Value) throws(ThingError) -> Stored<Value>

  /// Removes a thing.
  func remove<Value: Kind>(_ stored: Stored<Value>, action: String) throws(ThingError)

  /// Gives a thing a new version although its fields do not change, because something else that belongs to the thing
  /// has changed.
  ///
  /// - Parameter details: the change, as the audit describes it.
  @discardableResult
  func touch<Value: Kind>(
    _ stored: Stored<Value>, action: String, details: [String: JSON]
  ) throws(ThingError) -> Stored<Value>

  /// Removes a vehicle and its records. From then on, no answer contains them. The rows of its records are deleted
  /// later, by ``FleetStorage/finishRemovals()``. A new record with its ID registers a new vehicle.
  func removeVehicle(_ vehicle: Stored<Vehicle>) throws(ThingError)

  /// Stores an ``Attribution``, which assigns records of a gateway to a vehicle, and marks the hours of these records
  /// as stale. Does nothing if an attribution for the same trip is already stored.
  func attribute(_ attribution: Attribution) throws(ThingError)

  /// Adds an entry to the audit for an event that changes no thing, for example a sign-in. `thing` may name a thing to
  /// which the event relates.
  func record(_ action: String, kind: String, thing: UUIDv7?, details: [String: JSON]) throws(ThingError)

  /// Announces to all servers that use the database that this transaction ends sessions. The servers then close the
  /// live connections of these sessions.
  func announceEnd(of sessions: [UUIDv7]) throws(ThingError)

  /// Destroys the key that encrypts a person's data in the audit. The data can then no longer be read, but the hashes
  /// of the audit remain valid.
  func destroyPersonalKey(of subject: UUIDv7) throws(ThingError)
}

extension FleetTransaction {
  /// Adds a thing with a new id.
  @discardableResult
  public func insert<Value: Kind>(_ value: Value) throws(ThingError) -> Stored<Value> {
    try insert(value, id: nil, action: "create")
  }

  /// Adds a thing with an id that the client chose. If the request is repeated, the thing that the first request
  /// created is returned.
  ///
  /// - Throws: `exists` if a thing with the id was created from other values.
  public func insertOnce<Value: Kind>(_ value: Value, id: UUIDv7) throws(ThingError) -> Stored<Value> {
    guard let stored = try find(id, Value.self) else { return try insert(value, id: id, action: "create") }
    try requireFirst(value, of: stored)
    return stored
  }

  /// Checks that a stored thing was created from the values of a request, so that the request repeats an earlier one.
  ///
  /// - Throws: `exists` if it was created from other values.
  public func requireFirst<Value: Kind>(_ value: Value, of stored: Stored<Value>) throws(ThingError) {
    let name = stored.members["id"]?.textValue ?? ""
    guard stored.version <= Self.mostHistory else { throw .exists(id: name) }
    // Undo all later changes to get the values that the thing had at its creation.
    var first = stored.value
    for entry in try audit(thing: stored.id, before: nil, limit: Int(Self.mostHistory)) {
      guard entry.action != "create", let change = entry.change else { continue }
      do throws(FieldError) {
        first = try first.reverting(change)
      } catch {
        throw .exists(id: name)
      }
    }
    for field in Value.fields where field.access == .client || field.access == .creation {
      // The request has no value for this field. The server may have filled in the stored value at creation, so the two
      // cannot be compared.
      if field.isFilledIn, field.json(value) == field.json(Value()) { continue }
      guard field.json(first) == field.json(value) else { throw .exists(id: name) }
    }
  }

  /// Searches the audit for the newest change of a thing whose action is one of `actions`. Returns the thing as it was
  /// directly after this change, with the change's action and its values. Returns `nil` if there is no such change
  /// among the newest ``mostHistory`` audit entries of the thing, or if a later change cannot be undone.
  public func value<Value: Kind>(
    of stored: Stored<Value>, after actions: Set<String>
  ) throws(ThingError) -> (value: Value, action: String, change: ThingChange)? {
    var value = stored.value
    for entry in try audit(thing: stored.id, before: nil, limit: Int(Self.mostHistory)) {
      guard let change = entry.change else { continue }
      if actions.contains(entry.action) { return (value, entry.action, change) }
      do throws(FieldError) {
        value = try value.reverting(change)
      } catch {
        return nil
      }
    }
    return nil
  }

  /// Applies a client's merge patch to a thing that others may have changed since the client read it. The changes of
  /// both are kept if they concern different fields. If the client and others changed the same fields, nothing is
  /// stored.
  ///
  /// - Parameters:
  ///   - version: the version that the client has read.
  ///   - check: checks the merged thing, and may change it, before it is stored.
  /// - Throws: the errors of `check`; `invalid`; `conflict`; `changedMeanwhile` if the version is too old to be
  ///   reconstructed.
  public func patch<Value: Kind>(
    _ stored: Stored<Value>, seen version: Int64, with json: JSON, action: String = "change",
    _ check: (inout Value) throws(ThingError) -> Void = { _ in }
  ) throws(ThingError) -> Stored<Value> {
    var base = stored.value
    if version != stored.version {
      guard version >= 1, version < stored.version, stored.version - version <= Self.mostHistory else {
        throw .changedMeanwhile
      }
      let entries = try audit(thing: stored.id, before: nil, limit: Int(stored.version - version))
        .filter { ($0.version ?? 0) > version }
      guard Int64(entries.count) == stored.version - version else { throw .changedMeanwhile }
      for entry in entries {
        guard let change = entry.change else { throw .changedMeanwhile }
        do throws(FieldError) {
          base = try base.reverting(change)
        } catch {
          throw .changedMeanwhile
        }
      }
    }
    let mine: Value
    do throws(FieldErrors) {
      mine = try base.patched(with: json)
    } catch {
      throw .invalid(error)
    }
    switch Value.merge(base: base, mine: mine, theirs: stored.value) {
    case .success(var merged):
      try check(&merged)
      return try update(stored, to: merged, action: action)
    case .failure(let conflict): throw .conflict(conflict)
    }
  }
}
