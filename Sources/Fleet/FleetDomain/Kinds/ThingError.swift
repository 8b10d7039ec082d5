import Telemetry

/// The reason why a change of a thing was rejected.
public enum ThingError: Error, Equatable, Sendable {
  /// There is no such thing, or the caller may not see it.
  case notFound(kind: String, id: String)
  /// The client's values are invalid.
  case invalid(FieldErrors)
  /// A thing with this id was created from other values.
  case exists(id: String)
  /// Another thing has the same value in a field whose values must be unique.
  case duplicate(field: String)
  /// Another client changed the same fields of the thing.
  case conflict(MergeConflict)
  /// The thing has changed, and the version that the client had seen is no longer known.
  case changedMeanwhile
  /// The state of the thing does not allow the change.
  case invalidState(state: String, allowedFrom: [String])
  /// The caller has no permission.
  case forbidden(reason: String)
  /// A rule that is not about a single field does not allow the change.
  case rule(code: String, message: String)
  case storage(StorageError)
}
