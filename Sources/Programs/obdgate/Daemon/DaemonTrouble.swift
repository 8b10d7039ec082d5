import Failures

/// The reason why a daemon's status cannot be read, as one line: the place, the problem and the remedy.
typealias DaemonTrouble = PlacedError<DaemonTroubleKind>

/// The kind of a ``DaemonTrouble``.
enum DaemonTroubleKind: Sendable {
  /// The socket does not exist, or no process listens on it.
  case notRunning
  /// This user has no permission.
  case notPermitted
  /// The daemon did not answer within the time limit.
  case timedOut
  /// A wake-up ended the wait.
  case interrupted
  /// The daemon closed the connection before the end of the response.
  case gone
  /// The daemon rejected the request.
  case refused
  /// The response is not that of a daemon.
  case notUnderstood
  /// Any other error of the system.
  case system
}

extension DaemonTrouble {
  /// The failure with which a command ends.
  var failure: Failure { Failure(.unavailable, place, detail) }
}
