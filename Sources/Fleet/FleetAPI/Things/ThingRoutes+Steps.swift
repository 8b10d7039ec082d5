import FleetDomain
import Telemetry

/// Changes of derived fields that need several transactions (``DerivedField/Steps``).
///
/// A kind with such fields can have things with many parts, for example a fleet with thousands of vehicles. In SQLite,
/// all other tenants wait while a transaction writes. Therefore these transactions read only what they change. All
/// other values are read before the first transaction or after the last one.
extension ThingRoutes {
  /// Whether the kind has derived fields that are changed in steps.
  var hasSteps: Bool { derived.contains { $0.steps != nil } }

  /// The result of the first transaction of a request.
  struct Begun: Sendable {
    let id: UUIDv7
    /// The thing as the caller sees it; `nil` if it must be read after the last transaction.
    let shown: Shown?
    /// The work that remains for further transactions, by the keys of the derived fields.
    let rest: [String: JSON]
  }

  /// Plans the changes of derived fields of a new thing.
  ///
  /// - Parameters:
  ///   - parts: the values of derived fields that the client sent.
  ///   - id: the id that the client chose; `nil` if the server creates one.
  /// - Returns: `parts`, in which the planned work replaces the value of each field with steps. If a thing with the id
  ///   exists already, the request repeats an earlier one, and the result lacks the fields with steps.
  func plan(_ parts: [String: JSON], ofNew id: UUIDv7?, _ call: Call) async throws -> [String: JSON] {
    guard derived.contains(where: { $0.steps != nil && parts[$0.key] != nil }) else { return parts }
    return try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
      if let id, try view.find(id, Value.self) != nil {
        return parts.filter { part in !derived.contains { $0.steps != nil && $0.key == part.key } }
      }
      return try plan(parts, of: nil, seen: 1, view, call)
    }
  }

  /// Plans the changes of derived fields by a merge patch. For a kind with steps, also checks the keys that the client
  /// cannot set, because their values may depend on many things.
  ///
  /// - Parameter seen: the version of the thing that the client has read; `nil` for any version.
  func plan(_ patch: JSON, _ parts: [String: JSON], seen: Int64?, _ call: Call) async throws -> [String: JSON] {
    guard hasSteps else { return parts }
    return try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
      let stored = try existing(call, view)
      try requireUnchanged(patch, of: stored, view)
      return try plan(parts, of: stored, seen: seen ?? stored.version, view, call)
    }
  }

  private func plan(
    _ parts: [String: JSON], of stored: Stored<Value>?, seen: Int64, _ view: any FleetView, _ call: Call
  ) throws(ThingError) -> [String: JSON] {
    var work = parts
    for field in derived {
      guard let steps = field.steps, let json = parts[field.key] else { continue }
      work[field.key] = try steps.plan(json, stored, seen, view, call)
    }
    return work
  }

  /// Returns the result of a request's first transaction.
  ///
  /// - Parameter isNew: whether the transaction has created the thing.
  func begun(
    _ changed: (thing: Stored<Value>, rest: [String: JSON]), isNew: Bool, _ transaction: any FleetTransaction,
    _ call: Call
  ) throws(ThingError) -> Begun {
    guard !hasSteps else { return Begun(id: changed.thing.id, shown: nil, rest: changed.rest) }
    let shown = try shown(changed.thing, call, transaction)
    return Begun(
      id: changed.thing.id, shown: isNew ? shown.adding(try shownOnce(changed.thing)) : shown, rest: changed.rest)
  }

  /// Does the rest of the work in further transactions. Between them, transactions of other tenants run.
  ///
  /// - Returns: the thing as the caller sees it after the last transaction.
  func finish(_ begun: Begun, _ call: Call) async throws -> Shown {
    if let shown = begun.shown { return shown }
    var rest = begun.rest
    while !rest.isEmpty {
      let work = rest
      rest = try await change(call) { transaction throws(ThingError) in
        let stored = try transaction.existing(begun.id, Value.self)
        return try write(work, stored, stored.version, transaction, call).rest
      }
    }
    return try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
      try shown(try view.existing(begun.id, Value.self), call, view)
    }
  }

  /// Sets derived fields of a thing in one transaction. If a field is changed in steps (``DerivedField/steps``), this
  /// function performs only the next step of its planned work.
  ///
  /// - Parameters:
  ///   - work: for the key of each derived field, its new value or, if the field is changed in steps, its planned work.
  ///   - seen: the version of the thing that the client has read.
  /// - Returns: the changed thing, and the work that remains for further transactions.
  func write(
    _ work: [String: JSON], _ stored: Stored<Value>, _ seen: Int64, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) -> (thing: Stored<Value>, rest: [String: JSON]) {
    var (stored, rest) = (stored, [String: JSON]())
    for field in derived {
      guard let json = work[field.key] else { continue }
      if let write = field.write { stored = try write(json, stored, seen, transaction, call) }
      guard let steps = field.steps else { continue }
      let done = try steps.perform(json, stored, transaction, call)
      stored = done.thing
      rest[field.key] = done.rest
    }
    return (stored, rest)
  }

  /// Checks the keys in a merge patch that are not stored fields: the id, the times, and derived fields that clients
  /// cannot set. If a client sends them, they must have their present values.
  ///
  /// - Throws: `invalid` with the keys that have other values.
  func requireUnchanged(
    _ patch: JSON, of stored: Stored<Value>, _ view: any FleetView
  ) throws(ThingError) {
    guard case .object(let members) = patch else { return }
    var present = stored.members
    for field in derived where !field.isSettable && members[field.key] != nil {
      present[field.key] = try field.read([stored], view).first
    }
    // `updatedAt` is not checked, because it differs if another client has changed the thing.
    let keys = ["id", "createdAt"] + derived.filter { !$0.isSettable }.map(\.key)
    let errors = keys.filter { key in
      guard let value = members[key], !Value.fields.contains(where: { $0.key == key }) else { return false }
      return value != present[key] ?? .null
    }.map { FieldError($0, "the server sets this; leave it out") }
    if !errors.isEmpty { throw .invalid(FieldErrors(errors)) }
  }
}
