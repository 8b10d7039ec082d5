import FleetAccess
import FleetDomain
import Telemetry

extension ThingRoutes {
  /// Checks that the caller may read the files that a change adds to a thing. Otherwise, people could add other
  /// people's files to their own things, and then read the files.
  func requireFiles(
    of new: Value, old: Value, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) {
    let added = Set(new.usedFiles).subtracting(old.usedFiles)
    guard !added.isEmpty, let identity = call.identity else { return }
    let access = FileAccess(storage: storage)
    for id in added {
      guard let file = try transaction.find(id, StoredFile.self), try access.mayRead(file, identity, transaction) else {
        throw .invalid(FieldErrors([FieldError(Value.filesKey, "no complete file \(id.string)")]))
      }
    }
  }

  /// Whether a caller may read the thing with an id.
  func mayRead(_ id: UUIDv7, _ identity: Identity, _ view: any FleetView) throws(ThingError) -> Bool {
    guard let stored = try view.find(id, Value.self) else { return false }
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

  /// could move things to fleets of other people, or out of all fleets.
  ///
  /// - Throws: `forbidden`. The error need not hide the thing, because the caller has sent it.
  func requireStill(_ call: Call, _ stored: Stored<Value>, _ view: any FleetView) throws(ThingError) {
    guard let identity = call.identity, let reach = call.reach, !reach.isEverything else { return }
    guard reach.contains(try relation(stored, identity, view)) else { throw .forbidden(reason: reach.reason) }
  }
}
