import FleetAccess
import FleetDomain
import Telemetry

extension ThingRoutes {
  /// Checks a new or changed thing of a caller. First checks that the caller may refer to the other things that the
  /// thing names, and then checks the rules of the kind. Because of this order, the error of a rule never describes a
  /// thing outside of the caller's scope.
  func approve(
    _ old: Stored<Value>?, _ new: inout Value, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) {
    try requireReferences(of: new, old: old?.value, transaction, call)
    try check(old, &new, transaction, call)
  }

  /// Checks the references that a value contains and its older version did not contain: the caller must be allowed to
  /// refer to each of these things.
  func requireReferences<Named: Described>(
    of new: Named, old: Named?, _ view: any FleetView, _ call: Call
  ) throws(ThingError) {
    try ReferenceAccess(storage: storage).require(
      new.references(addedTo: old), (new as? Value).map { vehicleUse($0) } ?? VehicleUse(), view, call)
  }

  /// Whether a caller may read the thing with an id.
  ///
  /// - Parameter identity: the caller; `nil` for the server itself, which may read everything.
  func mayRead(_ id: UUIDv7, _ identity: Identity?, _ view: any FleetView) throws(ThingError) -> Bool {
    guard let stored = try view.find(id, Value.self) else { return false }
    guard let identity else { return true }
    let reach = Reach(of: identity.requester, to: .read, area)
    if reach.isEverything { return true }
    return reach.contains(try relation(stored, identity, view))
  }

  /// Returns the call with the permission that a merge patch needs.
  ///
  /// - Throws: `forbidden` if the caller does not have this permission for any thing.
  func forPatch(_ patch: JSON, _ call: Call) throws(APIError) -> Call {
    guard let changingKeys, case .object(let members) = patch, !changingKeys.isSuperset(of: members.keys) else {
      return call
    }
    return try call.requiring(.write, area)
  }

  /// Checks that the caller has the route's permission for a thing. If the caller may not even read the thing, the
  /// error is that of a thing that does not exist.
  func require(_ call: Call, _ stored: Stored<Value>, _ view: any FleetView) throws(ThingError) {
    guard let identity = call.identity, let reach = call.reach, !reach.isEverything else { return }
    let found = try relation(stored, identity, view)
    guard !reach.contains(found) else { return }
    guard call.canRead(found) else { throw .notFound(kind: Value.names.one, id: name(stored)) }
    throw .forbidden(reason: reach.reason)
  }

  /// Checks that the caller has the permission of the route for a thing after a change. Without this check, people
  /// could move things to fleets of other people, or out of all fleets.
  ///
  /// - Throws: `forbidden`. The error need not hide the thing, because the caller has sent it.
  func requireStill(_ call: Call, _ stored: Stored<Value>, _ view: any FleetView) throws(ThingError) {
    guard let identity = call.identity, let reach = call.reach, !reach.isEverything else { return }
    guard reach.contains(try relation(stored, identity, view)) else { throw .forbidden(reason: reach.reason) }
  }
}
