import Failures
import FleetDomain

extension Failure {
  /// Converts the error of a storage call to the failure with which a command ends.
  init(_ error: StorageError) {
    let status: ExitStatus =
      switch error.kind {
      case .noDatabase: .noInput
      case .unavailable, .full, .inUse: .unavailable
      case .readOnly: .unreadable
      case .damaged, .newerSchema: .badData
      default: .failed
      }
    let remedy = error.kind == .noDatabase ? "; fleetstore serve makes it, and so does this command with --create" : ""
    self.init(status, error.place, error.detail + remedy)
  }

  /// Converts the error of a transaction to the failure with which a command ends.
  init(_ error: ThingError) {
    switch error {
    case .storage(let error): self.init(error)
    case .notFound(let kind, let id): self.init(.failed, id, "no such \(kind)")
    case .invalid(let errors):
      let first = errors.all.first
      let rest = errors.all.dropFirst().map { "\($0.path): \($0.message)" }
      self.init(.usage, first?.path ?? "", ([first?.message ?? ""] + rest).joined(separator: "; "))
    case .duplicate(let field): self.init(.failed, field, "another one has this value")
    case .exists(let id): self.init(.failed, id, "this id was used for something else")
    case .rule(_, let message), .forbidden(let message): self.init(.failed, message)
    case .conflict, .changedMeanwhile: self.init(.failed, "changed meanwhile; try again")
    case .invalidState(let state, let allowedFrom):
      self.init(.failed, "the state is \(state); this is allowed from \(allowedFrom.joined(separator: ", "))")
    }
  }
}
