import Telemetry

/// Why a change of a thing was not done.
public enum ThingError: Error, Equatable, Sendable {
  /// There is no such thing, or the caller may not know of it.
  case notFound(kind: String, id: String)
  /// What the client sent is not allowed.
  case invalid(FieldErrors)
  /// A thing with this id was made from another body.
  case exists(id: String)
  /// Another thing has the same value in a field of which each value occurs once.
  case duplicate(field: String)
  /// The thing was changed meanwhile, in the same fields.
  case conflict(MergeConflict)
  /// The thing was changed meanwhile, and the version that the client saw is not known any more.
  case changedMeanwhile
  /// The thing's state does not allow this.
  case invalidState(state: String, allowedFrom: [String])
  /// The caller may not do this.
  case forbidden(reason: String)
  /// A rule other than those of single fields does not allow this.
  case rule(code: String, message: String)
  case storage(StorageError)
}
