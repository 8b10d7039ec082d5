import Telemetry

/// One state of a tenant's things.
///
/// Calls are synchronous: they run on a thread of the database, inside one transaction.
public protocol FleetView {
  /// A thing by its id; `nil` if there is none.
  func find<Value: Kind>(_ id: UUIDv7, _ kind: Value.Type) throws(ThingError) -> Stored<Value>?

  /// A page of things.
  ///
  /// - Throws: `storage` with `invalidCursor` or `invalidQuery`.
  func list<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> Page<Stored<Value>>

  /// A page of the audit, newest first.
  ///
  /// - Parameter thing: `nil`: of all things.
  func audit(thing: UUIDv7?, before number: Int64?, limit: Int) throws(ThingError) -> [AuditEntry]
}

extension FleetView {
  /// A thing that must be there.
  ///
  /// - Throws: `notFound`.
  public func existing<Value: Kind>(_ id: UUIDv7, _ kind: Value.Type) throws(ThingError) -> Stored<Value> {
    guard let stored = try find(id, kind) else {
      throw .notFound(kind: Value.names.one, id: id.json.textValue ?? "")
    }
    return stored
  }

  /// The first thing that answers a question; `nil` if there is none.
  public func first<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> Stored<Value>? {
    var query = query
    query.limit = 1
    return try list(query).items.first
  }
}

/// A transaction that changes a tenant's things.
///
/// Transactions of one tenant run one after another, so that a rule that was checked still holds when the transaction is
/// committed. If the work throws, nothing is changed. The work may be run more than once: it must not do anything but
/// call the transaction.
public protocol FleetTransaction: FleetView {
  /// The time of all changes.
  var now: Timestamp { get }

  /// Adds a thing.
  ///
  /// - Parameter id: `nil`: a new one.
  /// - Throws: `duplicate`; `exists` if there is a thing with the id.
  @discardableResult
  func insert<Value: Kind>(_ value: Value, id: UUIDv7?, action: String) throws(ThingError) -> Stored<Value>

  /// Changes a thing; does nothing if no field differs.
  ///
  /// - Parameter action: what was done, for the audit.
  /// - Throws: `duplicate`.
  @discardableResult
  func update<Value: Kind>(_ stored: Stored<Value>, to value: Value, action: String) throws(ThingError) -> Stored<Value>

  /// Removes a thing.
  func remove<Value: Kind>(_ stored: Stored<Value>, action: String) throws(ThingError)

  /// Writes something to the audit that changes no thing, for example a sign-in.
  func note(_ action: String, kind: String, thing: UUIDv7?, details: [String: JSON]) throws(ThingError)

  /// Makes every server close the live connections of sessions that this transaction ends.
  func announceEnd(of sessions: [UUIDv7]) throws(ThingError)

  /// Destroys the key of what the audit says of a person: it cannot be read from then on, and the chain still verifies.
  func destroyPersonalKey(of subject: UUIDv7) throws(ThingError)
}

extension FleetTransaction {
  /// Adds a thing with a new id.
  @discardableResult
  public func insert<Value: Kind>(_ value: Value) throws(ThingError) -> Stored<Value> {
    try insert(value, id: nil, action: "create")
  }

  /// Adds a thing with the client's own id. A repeated request finds the thing that the first one made.
  ///
  /// - Throws: `exists` if a thing with the id was made from other values.
  public func insertOnce<Value: Kind>(_ value: Value, id: UUIDv7) throws(ThingError) -> Stored<Value> {
    guard let stored = try find(id, Value.self) else { return try insert(value, id: id, action: "create") }
    // What the client sent first is the thing before all its later changes.
    var first = stored.value
    for entry in try audit(thing: id, before: nil, limit: .max) {
      guard entry.action != "create", let change = entry.change else { continue }
      do throws(FieldError) {
        first = try first.reverting(change)
      } catch {
        throw .exists(id: id.json.textValue ?? "")
      }
    }
    for field in Value.fields where field.access == .client || field.access == .creation {
      guard field.json(first) == field.json(value) else { throw .exists(id: id.json.textValue ?? "") }
    }
    return stored
  }

  /// Applies a client's merge patch that was made from an older version of a thing.
  ///
  /// Fields that only one side has changed are merged.
  ///
  /// - Parameters:
  ///   - version: the version that the client saw.
  ///   - check: checks the merged thing.
  /// - Throws: what `check` throws; `invalid`; `conflict`; `changedMeanwhile` if that version is not known.
  public func patch<Value: Kind>(
    _ stored: Stored<Value>, seen version: Int64, with json: JSON, action: String = "change",
    _ check: (inout Value) throws(ThingError) -> Void = { _ in }
  ) throws(ThingError) -> Stored<Value> {
    var base = stored.value
    if version != stored.version {
      guard version >= 1, version < stored.version else { throw .changedMeanwhile }
      let entries = try audit(thing: stored.id, before: nil, limit: .max)
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
