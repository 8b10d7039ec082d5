import Failures

/// The reason why a daemon's status cannot be read, as one text line: the place, the problem and the remedy.
typealias DaemonTrouble = PlacedError<DaemonTroubleKind>

/// The kind of a ``DaemonTrouble``.
enum DaemonTroubleKind: Sendable {
  /// The socket does not exist, or no process listens on it.
  case notRunning
  /// This user is not permitted to open the socket.
  case notPermitted
  /// The daemon did not answer within the time limit.
  case timedOut
  /// A signalled wake-up ended the wait.
  case interrupted
  /// The daemon closed the connection before the end of the response.
  case gone
  /// The daemon rejected the request; the status of its response is not 200.
  case refused
  /// The response does not have the format of a daemon's response, or is too long.
  case notUnderstood
  /// Any other error of the system.
  case system
}

extension DaemonTrouble {
  /// The failure with which a command reports this error.
  var failure: Failure { Failure(.unavailable, place, detail) }
}
