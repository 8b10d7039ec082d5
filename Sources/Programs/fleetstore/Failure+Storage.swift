import Failures
import FleetDomain

extension Failure {
  /// Creates the failure of a command from that of the storage.
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
}
