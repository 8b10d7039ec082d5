import Telemetry

/// The reason why a change of a thing was rejected.
public enum ThingError: Error, Equatable, Sendable {
  /// There is no such thing, or the caller may not see it.
  case notFound(kind: String, id: String)
  /// The client's values are invalid.
  case invalid(FieldErrors)
  /// A thing with this ID exists already. It was created from other values.
  case exists(id: String)
  /// Another thing has the same value in a field whose values must be unique.
  case duplicate(field: String)
  /// Another client changed the same fields of the thing.
  case conflict(MergeConflict)
  /// The thing has changed, and the version that the client has read is too old to merge the changes.
  case changedMeanwhile
  /// The current state of the thing does not allow the change. `allowedFrom` contains the states that allow it.
  case invalidState(state: String, allowedFrom: [String])
  /// The caller has no permission.
  case forbidden(reason: String)
  /// The change violates a rule that concerns more than one field. The value has the rule's code and a message.
  case rule(code: String, message: String)
  case storage(StorageError)
}
